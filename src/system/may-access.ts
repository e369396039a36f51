import {accessSync} from 'node:fs';

/** May this user do that (`constants.R_OK` and the like, access(2)) with what lies there? */
export function mayAccess(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
