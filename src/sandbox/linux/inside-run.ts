import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import path from 'node:path';

/**
 * True if the supervisor of a run around this process says so (native/launcher/base/inside_call.h). The starter asks it, because Node
 * cannot make the system call.
 */
export function isInsideRun(packageRoot: string): boolean {
  if (!existsSync(path.join(packageRoot, 'profiles/inside/run'))) return false;
  const {status} = spawnSync(path.join(packageRoot, 'bin/ion-sh'), ['--ion-inside'], {
    env: {},
    stdio: 'ignore',
  });
  return status === 0;
}
