import {closeSync, constants, openSync} from 'node:fs';
import {codeOf} from './small-file.ts';

/** Has this process a controlling terminal? What cannot be told counts as one: a person may be there. */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    // ENXIO: none. ENOENT: a container without the device.
    return !['ENXIO', 'ENOENT'].includes(codeOf(error) ?? '');
  }
}
