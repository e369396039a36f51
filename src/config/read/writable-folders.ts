import {sharedTemps} from '../../shell/paths.ts';
import {realpathOrSame} from '../../system/real-path.ts';
import type {LayerContent} from '../layer.ts';

/** The temp folders that runs share, and `temp`, the one of the environment. Real paths. */
export function tempFolders(temp: string | undefined): string[] {
  return [...sharedTemps, ...(temp ? [temp] : [])].map(realpathOrSame);
}

/** Every write root that one of these layers names, whether it counts or not. Real paths. */
export function writeRootsIn(layers: readonly LayerContent[]): string[] {
  const roots = layers.flatMap(({values}) => values['sandbox.write_roots'] ?? []);
  return roots.map(({value}) => realpathOrSame(value));
}
