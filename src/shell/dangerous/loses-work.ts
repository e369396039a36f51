import {isWithin} from '../../system/is-within.ts';
import type {DestructiveFact} from './destructive.ts';

/** Folders that a build makes again. */
const made = new Set(
  [
    'build dist out target node_modules coverage obj _build CMakeFiles __pycache__ htmlcov',
    '.cache .next .nuxt .svelte-kit .turbo .parcel-cache .gradle .pytest_cache .mypy_cache .ruff_cache .tox .nyc_output .venv venv',
  ].flatMap((line) => line.split(' ')),
);
const madeByPattern = /^cmake-build-|\.egg-info$/;

/** Reports whether the path is in a folder of the workspace that a build makes again. */
export function isBuildFolder(path: string, workspace: string): boolean {
  return (
    isWithin(path, workspace) &&
    path
      .slice(workspace.length)
      .split('/')
      .some((name) => made.has(name) || madeByPattern.test(name))
  );
}

/**
 * Reports whether a person has to hear of it. Records have every fact. False for what everybody does in a workspace
 * (`> file`, `rm -f file`, `rm -rf build`), and for paths that do not exist. A path that is not known may exist.
 */
export function losesWork(
  {row, isOrdinary, impactScope}: Pick<DestructiveFact, 'row' | 'isOrdinary' | 'impactScope'>,
  exists: (path: string) => boolean,
): boolean {
  if (isOrdinary) return false;
  const mayExist = (path: string): boolean => !/^\/[^*?[]*$/.test(path) || exists(path);
  return !/^(?:redirection|rm \d)$/.test(row) || impactScope.length === 0 || impactScope.some(mayExist);
}
