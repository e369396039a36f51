import {realpathSync} from 'node:fs';

/** The canonical path, or undefined when the path does not exist or cannot be reached. */
export function realpathOrUndefined(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/** The canonical path, or `file` itself when it does not exist or cannot be reached. */
export function realpathOrSame(file: string): string {
  return realpathOrUndefined(file) ?? file;
}

/** A list of the canonical path, or an empty one when it does not exist: for flatMap. */
export function realpathIfThere(file: string): string[] {
  const real = realpathOrUndefined(file);
  return real === undefined ? [] : [real];
}
