import {accessSync, constants, realpathSync} from 'node:fs';
import path from 'node:path';
import {IonError} from '../errors.ts';
import {isWithin} from '../sandbox/paths.ts';

/**
 * The bash to run: the system's, else the first on PATH that does not lie in the workspace, where the command that ran
 * before may have put it.
 */
export function findBash(searchPath: string, workspace: string): string {
  const folders = ['/bin', '/usr/bin', ...searchPath.split(':')];
  for (const folder of folders) {
    const file = path.join(folder, 'bash');
    if (!path.isAbsolute(folder) || !isExecutable(file)) continue;
    if (!isWithin(realpathSync.native(file), workspace)) return file;
  }
  throw new IonError('bash is not installed', {help: 'ion runs every command with bash; install it'});
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
