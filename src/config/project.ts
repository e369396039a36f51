import {lstatSync} from 'node:fs';
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
  for (const folder of foldersUpTo(cwd, '/')) if (holdsGit(folder)) return folder;
  return undefined;
}

function holdsGit(folder: string): boolean {
  try {
    return lstatSync(`${folder}/.git`, {throwIfNoEntry: false}) !== undefined;
  } catch {
    // A folder that may not be looked into holds nothing that git would find either.
    return false;
  }
}

/** `folder` and its parents up to `top`, nearest first; `folder` alone when `top` is none of them. Both canonical. */
export function foldersUpTo(folder: string, top: string): string[] {
  const folders = [folder];
  for (let last = folder; last !== top;) {
    if (last === '/') return [folder];
    last = last.slice(0, last.lastIndexOf('/')) || '/';
    folders.push(last);
  }
  return folders;
}
