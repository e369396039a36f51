import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import path from 'node:path';
import {outerRun} from '../../config/outer-config.ts';
import {readSmallFile, type FileRead} from '../../system/small-file.ts';

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

/** The settings of the run around this process (src/config/outer-config.ts). Undefined outside a run. */
export function outerConfigFile(packageRoot: string): FileRead | undefined {
  if (!isInsideRun(packageRoot)) return undefined;
  const file = path.join(packageRoot, 'profiles/inside/config.toml');
  return readSmallFile({path: file, shown: outerRun});
}
