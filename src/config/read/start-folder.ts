import {IonError} from '../../errors.ts';
import {isRepository} from './git-folder.ts';

/** The current folder as the kernel reports it: canonical, and an error if it was deleted. */
export function startFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new IonError('the current folder no longer exists', {help: 'cd to a folder that exists', cause});
  }
}

/**
 * The nearest folder at or above `cwd` that holds a repository. A `.git` that git would not accept does not count: a
 * command can make one with `mkdir`, and the configs above it would lose their effect.
 */
export function findRepositoryTop(cwd: string): string | undefined {
  return foldersUpTo(cwd, '/').find((folder) => isRepository(`${folder === '/' ? '' : folder}/.git`));
}

/** `folder` and its parents up to `top`, nearest first. Only `folder` if `top` is not one of them. Both canonical. */
export function foldersUpTo(folder: string, top: string): string[] {
  const folders = [folder];
  for (let last = folder; last !== top;) {
    if (last === '/') return [folder];
    last = last.slice(0, last.lastIndexOf('/')) || '/';
    folders.push(last);
  }
  return folders;
}
