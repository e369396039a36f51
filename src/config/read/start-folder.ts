import {IonError} from '../../errors.ts';
import {isRepository} from './git-folder.ts';

/** Where the user stands, as the kernel knows it: canonical, and an error when it was deleted. */
export function startFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new IonError('the current folder no longer exists', {help: 'cd to a folder that exists', cause});
  }
}

/**
 * The folder nearest above `cwd`, itself included, that holds a repository. A `.git` that git would not accept does not count: a
 * command makes one with `mkdir`, and the configs above it would say nothing any more.
 */
export function findRepositoryTop(cwd: string): string | undefined {
  return foldersUpTo(cwd, '/').find((folder) => isRepository(`${folder === '/' ? '' : folder}/.git`));
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
