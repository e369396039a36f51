import {chmodSync, closeSync, constants, openSync, readlinkSync, realpathSync} from 'node:fs';
import path from 'node:path';

/** Node has no constant for it. */
export const O_PATH = 0o10000000;

/**
 * Runs `act` on `file` (canonical), by a name that always leads to the folder that is at its path now. Attack: another run, which
 * may write here, replaces a folder on the way with a symlink between the check and the action. Throws where a symlink is found.
 * Without /proc the check happens only before the action.
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

/** Sets the mode of a folder, by its path. */
export function setMode(folder: string, mode: number): void {
  heldFolder(folder, (open) => chmodSync(open, mode));
}

function refuseOther(found: string, folder: string): void {
  if (found !== folder) throw new Error(`${folder} leads to ${found}`);
}
