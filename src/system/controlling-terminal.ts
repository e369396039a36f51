import {closeSync, constants, openSync} from 'node:fs';
import {codeOf} from './small-file.ts';

/** Reports whether this process has a controlling terminal. An unknown error counts as yes: a person may be there. */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    // ENXIO: no terminal. ENOENT: a container without /dev/tty.
    return !['ENXIO', 'ENOENT'].includes(codeOf(error) ?? '');
  }
}
