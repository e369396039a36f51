import {accessSync} from 'node:fs';

/** Reports whether access(2) allows this process `mode` (such as `constants.R_OK`) on the file. */
export function mayAccess(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
