import {closeSync, lstatSync, mkdirSync, openSync} from 'node:fs';
import {IonError, quoted} from '../errors.ts';
import {meaningOf} from './system-errors.ts';

const make: Readonly<Record<'folder' | 'file', (path: string) => void>> = {
  folder: (path) => {
    mkdirSync(path);
  },
  // O_EXCL: a symlink at this path is not followed, and a file keeps its content.
  file: (path) => closeSync(openSync(path, 'wx')),
};

/**
 * Makes a folder or an empty file that a user has granted. Another process may have made it at the same time. A symlink in its
 * place would be a grant for another path.
 */
export function makeGranted(path: string, kind: 'folder' | 'file'): void {
  try {
    make[kind](path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST' && isOf(path, kind)) return;
    throw new IonError(`cannot make ${quoted(path)}: ${meaningOf(cause)}`, {cause});
  }
}

function isOf(path: string, kind: 'folder' | 'file'): boolean {
  const found = lstatSync(path, {throwIfNoEntry: false});
  return kind === 'folder' ? found?.isDirectory() === true : found?.isFile() === true;
}
