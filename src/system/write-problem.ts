import {lstatSync} from 'node:fs';
import {codeOf} from './small-file.ts';
import {IonError, quoted, isIonError} from '../errors.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written: permission denied',
  EPERM: 'cannot be written: permission denied',
  EROFS: 'cannot be written: the file system is read-only',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: your disk quota is used up',
  ENOENT: 'cannot be written: the home folder does not exist',
  EEXIST: 'cannot be written: "~/.ion" is not a folder',
  ENOTDIR: 'cannot be written: "~/.ion" is not a folder',
  ETIMEDOUT: 'is being changed by another process',
};

/**
 * Explains in words why a file of ion's own under `~/.ion` could not be written. An error without a code is a bug in ion
 * and is returned unchanged.
 */
export function writeProblem(shown: string, error: unknown): unknown {
  const code = codeOf(error);
  if (isIonError(error) || code === undefined) return error;
  return new IonError(`${quoted(shown)} ${reasons[code] ?? `cannot be written: ${code}`}`, {cause: error});
}

/** A rename would replace even a read-only file, but the user made it read-only to keep it. */
export function refuseReadOnly(file: string, shown: string): void {
  const stats = lstatSync(file, {throwIfNoEntry: false});
  if (stats && (stats.mode & 0o200) === 0) {
    throw new IonError(`${quoted(shown)} is read-only`, {help: `chmod 600 ${shown}`});
  }
}
