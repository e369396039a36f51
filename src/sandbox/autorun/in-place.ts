import {lstatSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';
import {setMode} from './held.ts';

/**
 * Reports whether the path to the file has no symlink. The run may have replaced a folder by a symlink to another
 * user's files.
 */
export function isInPlace(file: string): boolean {
  const folder = path.dirname(file);
  return realpathOrUndefined(folder) === folder;
}

/** Runs `act` once. If it fails, opens the file's folder to its owner and tries once more: the run may have closed the folder. */
export function inOpenFolder<T>(file: string, act: () => T): T | undefined {
  const folder = path.dirname(file);
  const mode = attempt(() => lstatSync(folder).mode & 0o7777);
  const done = attempt(act);
  if (done !== undefined || mode === undefined || (mode & 0o700) === 0o700) return done;
  attempt(() => setMode(folder, mode | 0o700));
  const again = attempt(act);
  attempt(() => setMode(folder, mode));
  return again;
}
