import {realpathSync} from 'node:fs';

/** The canonical path, or undefined where there is nothing or it cannot be reached. */
export function realpathOrUndefined(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** The canonical path, or the path as it is where there is nothing or it cannot be reached. */
export function realpathOrSame(file: string): string {
  return realpathOrUndefined(file) ?? file;
}

/** The canonical path alone, or none: for flatMap. */
export function realpathIfThere(file: string): string[] {
  const real = realpathOrUndefined(file);
  return real === undefined ? [] : [real];
}
