import {mkdirSync} from 'node:fs';
import {IonError, quoted} from '../errors.ts';
import {meaningOf} from './system-errors.ts';

/** Makes a folder that a user has granted. Another process may have made it at the same time. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw new IonError(`cannot make ${quoted(folder)}: ${meaningOf(cause)}`, {cause});
  }
}
