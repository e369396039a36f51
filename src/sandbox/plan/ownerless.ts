import {isWithin} from '../../system/is-within.ts';
import {realpathIfThere} from '../../system/real-path.ts';
import type {Features} from '../matrix/features.ts';
import type {MountPlan} from './mounts.ts';
import {grantsFiles, type Root} from './roots.ts';
import {etcFolder} from './system-roots.ts';

/**
 * For root: /etc. The kernel then denies files that other users may not read, even files that another process makes or closes
 * during the run. Exceptions below it: entries that the user lists, and files that no run can do without (etcOpen).
 */
export function planOwnerless(
  roots: readonly Root[],
  {ownerlessEtc}: Features,
): Pick<MountPlan, 'ownerless' | 'owned'> {
  const system = roots.find(({path, owned}) => path === etcFolder && owned !== undefined);
  const others = roots.filter((root) => root !== system && grantsFiles(root.grant));
  // The user has granted it as a whole: it lies in read_roots, or read mode starts there or in `/`.
  const isWhole = others.some(({path}) => isWithin(etcFolder, path));
  if (!ownerlessEtc || !system || isWhole) return {ownerless: [], owned: []};
  const named = (system.owned ?? []).map((name) => `${etcFolder}/${name}`);
  const owned = [...named, ...others.map(({path}) => path)]
    .filter((path) => isWithin(path, etcFolder))
    .flatMap(realpathIfThere)
    .filter((path) => isWithin(path, etcFolder));
  return {ownerless: [etcFolder], owned: [...new Set(owned)].sort()};
}
