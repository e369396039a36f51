import {lstatSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../system/attempt.ts';
import {isWithin} from '../system/is-within.ts';

/** Where Nix and Guix keep packages, each in a folder of its own. */
const stores = ['/nix/store', '/gnu/store'];

/**
 * The folders of those programs that are in a store of the machine: root owns all of the path and nobody else can write it. A store
 * that the user owns (Nix without its daemon) is not one: a run of another tool could have changed it. Paths are canonical.
 */
export function storeFoldersOf(programs: Iterable<string | null>, cwd: string): readonly string[] {
  const folders = [...programs].flatMap((file) =>
    file !== null && inStore(file, cwd) && isRoots(file) ? [path.dirname(file)] : [],
  );
  return [...new Set(folders)];
}

/** A workspace in a store is a workspace. */
function inStore(file: string, cwd: string): boolean {
  return stores.some((store) => isWithin(file, store) && !(isWithin(cwd, store) && isWithin(file, cwd)));
}

/** The store's own folder may be written by a group, as Nix's is by its builders: it is sticky, so that they replace nothing of root's. */
function isRoots(file: string): boolean {
  const stats = attempt(() => lstatSync(file));
  if (!stats || stats.uid !== 0) return false;
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
  if ((stats.mode & 0o022) !== 0 && !isSticky) return false;
  return file === '/' || isRoots(path.dirname(file));
}
