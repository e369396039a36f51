import {lstatSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../system/attempt.ts';
import {isWithin} from '../system/is-within.ts';

/** Where Nix and Guix keep packages, each in a folder of its own. */
const stores = ['/nix/store', '/gnu/store'];

/**
 * The folders of those programs that are in a store of the machine: root owns the whole path, and no other user can
 * write it. A store that the user owns (Nix without its daemon) does not count, because a run of another tool could
 * have changed it. Paths are canonical.
 */
export function storeFoldersOf(programs: Iterable<string | null>, cwd: string): readonly string[] {
  const folders = [...programs].flatMap((file) =>
    file !== null && inStore(file, cwd) && isRoots(file) ? [path.dirname(file)] : [],
  );
  return [...new Set(folders)];
}

/** A workspace inside a store counts as a workspace. */
function inStore(file: string, cwd: string): boolean {
  return stores.some((store) => isWithin(file, store) && !(isWithin(cwd, store) && isWithin(file, cwd)));
}

/**
 * A group may write the store's own folder, as Nix's builders do. It is sticky, so they cannot replace anything of
 * root's.
 */
function isRoots(file: string): boolean {
  const stats = attempt(() => lstatSync(file));
  if (!stats || stats.uid !== 0) return false;
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
  if ((stats.mode & 0o022) !== 0 && !isSticky) return false;
  return file === '/' || isRoots(path.dirname(file));
}
