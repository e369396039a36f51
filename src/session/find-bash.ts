import {constants, realpathSync} from 'node:fs';
import path from 'node:path';
import {mayAccess} from '../system/may-access.ts';
import {IonError} from '../errors.ts';
import {isWithin} from '../system/is-within.ts';

const system = ['/bin', '/usr/bin'];

/**
 * The bash to run: the system's, else the first on PATH outside the workspace, where an earlier command may have put
 * one. System folders are trusted even when the workspace is `/` or `/usr`: whoever can write there already controls
 * the machine.
 */
export function findBash(searchPath: string, workspace: string): string {
  const isTrusted = (folder: string): boolean =>
    path.isAbsolute(folder) && !isWithin(realpathSync.native(path.join(folder, 'bash')), workspace);
  const has = (folder: string): boolean => mayAccess(path.join(folder, 'bash'), constants.X_OK);
  const found =
    system.find((folder) => has(folder)) ??
    searchPath.split(':').find((folder) => has(folder) && isTrusted(folder));
  if (found !== undefined) return path.join(found, 'bash');
  throw new IonError('bash is not installed', {help: 'ion runs every command with bash; install it'});
}
