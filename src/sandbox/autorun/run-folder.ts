import {closeSync, lstatSync, mkdirSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';

/** `~/.ion/run/<id>`: what one run keeps on the disk. Its lock says that the run is alive. */
export interface RunFolder {
  readonly path: string;
  readonly lock: number;
}

/** The addon's: a descriptor that holds a folder's lock, or -1. */
export type LockFolder = (folder: string) => number;

const tries = 100;
const pauseMs = 1;
/** A run that has just begun may not have its lock yet. */
const youngMs = 5000;

/**
 * Make it, and remove those of runs that were killed together with their launcher (a launcher that lives cleans up by
 * itself). Nothing to find costs one reading of a folder. Throws what mkdir throws.
 */
export function makeRunFolder(home: string, runId: string, lockFolder: LockFolder): RunFolder {
  const parent = path.join(home, '.ion/run');
  const folder = path.join(parent, runId);
  for (let attempt = 0; attempt < tries; attempt++) {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    const lock = lockFolder(folder);
    if (lock !== -1) {
      sweep(parent, runId, lockFolder);
      return {path: folder, lock};
    }
    // Somebody who sweeps took it for a dead run's, before it had its lock, and is removing it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  throw new Error(`cannot lock ${folder}`);
}

export function removeRunFolder(folder: RunFolder): void {
  rmSync(folder.path, {recursive: true, force: true});
  closeSync(folder.lock);
}

function sweep(parent: string, own: string, lockFolder: LockFolder): void {
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name);
    if (name === own || !/^[0-9a-f]{32}$/.test(name) || isYoung(folder)) continue;
    const lock = lockFolder(folder);
    if (lock !== -1) removeRunFolder({path: folder, lock});
  }
}

function isYoung(folder: string): boolean {
  const info = lstatSync(folder, {throwIfNoEntry: false});
  return info === undefined || Date.now() - info.mtimeMs < youngMs;
}
