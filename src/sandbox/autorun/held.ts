import {chmodSync, closeSync, constants, openSync, readlinkSync, realpathSync} from 'node:fs';
import path from 'node:path';

/** Node has no name for it. */
const O_PATH = 0o10000000;

/**
 * Act on `file` (canonical) in the folder that is at its path now, by a name that stays in that folder: another run, for which this
 * repository is a new one, may put a link in the place of any folder on the way between a look and the act. Throws where there is
 * one. Without /proc a look before the act has to do.
 */
export function held<T>(file: string, act: (file: string) => T): T {
  return heldFolder(path.dirname(file), (folder) => act(path.join(folder, path.basename(file))));
}

function heldFolder<T>(folder: string, act: (folder: string) => T): T {
  if (process.platform !== 'linux') {
    refuseOther(realpathSync.native(folder), folder);
    return act(folder);
  }
  const descriptor = openSync(folder, O_PATH | constants.O_DIRECTORY);
  try {
    const name = `/proc/self/fd/${descriptor}`;
    refuseOther(readlinkSync(name), folder);
    return act(name);
  } finally {
    closeSync(descriptor);
  }
}

/** Of a folder, by its path. */
export function setMode(folder: string, mode: number): void {
  heldFolder(folder, (open) => chmodSync(open, mode));
}

function refuseOther(found: string, folder: string): void {
  if (found !== folder) throw new Error(`${folder} leads to ${found}`);
}
