import {lstatSync} from 'node:fs';
import path from 'node:path';
import {IonError} from '../errors.ts';

/** Where the user stands, as the kernel knows it: canonical, and an error when it was deleted. */
export function startFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new IonError('the current folder does not exist any more', {help: 'cd to one that does', cause});
  }
}

/** The folder nearest above `cwd`, itself included, that holds `.git` (a folder, or a file in worktrees and submodules). */
export function findRepositoryTop(cwd: string): string | undefined {
  return foldersUpTo(cwd, '/').find(holdsGit);
}

function holdsGit(folder: string): boolean {
  try {
    return lstatSync(path.join(folder, '.git'), {throwIfNoEntry: false}) !== undefined;
  } catch {
    // A folder that may not be looked into holds nothing that git would find either.
    return false;
  }
}

/** `folder` and its parents up to `top`, nearest first; `folder` alone when `top` is none of them. */
export function foldersUpTo(folder: string, top: string): string[] {
  const folders = [path.resolve(folder)];
  for (let last = folders[0]!; last !== top;) {
    const parent = path.dirname(last);
    if (parent === last) return [folders[0]!];
    folders.push(parent);
    last = parent;
  }
  return folders;
}
