import {closeSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import type {Addon} from '../linux/native.ts';

/** `~/.ion/run/<id>`: what one run keeps on the disk. Its lock says that the run is alive. */
export interface RunFolder {
  readonly path: string;
  readonly lock: number;
}

/** The addon's: a descriptor that holds a folder's lock, or -1; and how to remove one that somebody may still change. */
export type FolderCalls = Pick<Addon, 'lockFolder' | 'removeFolder'>;

const tempRecord = 'temp';
const tries = 100;
const pauseMs = 1;
/** A run that has just begun may not have its lock yet. */
const youngMs = 5000;

/**
 * Make it, and remove those of runs that were killed together with their launcher (a launcher that lives cleans up by
 * itself), with their private temp folders. Nothing to find costs one reading of a folder. Throws what mkdir throws.
 */
export function makeRunFolder(home: string, runId: string, calls: FolderCalls): RunFolder {
  const parent = path.join(home, '.ion/run');
  const folder = path.join(parent, runId);
  for (let attempt = 0; attempt < tries; attempt++) {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    const lock = calls.lockFolder(folder);
    if (lock !== -1) {
      sweep(parent, runId, calls);
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

/** Write down a private temp folder, as the one that it is and not only by its name. */
export function recordTemp(folder: RunFolder, temp: string): void {
  writeFileSync(path.join(folder.path, tempRecord), `${identityOf(temp)} ${temp}`, {flag: 'wx', mode: 0o600});
}

/**
 * The commands of a dead run may live on in it: what has taken its place is not removed. The record is one's own: whoever could
 * write it could have root remove something.
 */
function removeRecordedTemp(folder: string, {removeFolder}: FolderCalls): void {
  const record = path.join(folder, tempRecord);
  try {
    if (!isOwn(record)) return;
    const [, identity, temp] = /^(\S+) (.+)$/s.exec(readFileSync(record, 'utf8')) ?? [];
    if (temp !== undefined && identityOf(temp) === identity && isOwn(temp)) removeFolder(temp);
  } catch {
    // There was none, or it has gone.
  }
}

function identityOf(folder: string): string {
  const {dev, ino} = lstatSync(folder, {bigint: true});
  return `${dev}:${ino}`;
}

function isOwn(file: string): boolean {
  return lstatSync(file).uid === process.getuid!();
}

function sweep(parent: string, own: string, calls: FolderCalls): void {
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name);
    if (name === own || !/^[0-9a-f]{32}$/.test(name) || !isLeft(folder)) continue;
    const lock = calls.lockFolder(folder);
    if (lock === -1) continue;
    removeRecordedTemp(folder, calls);
    removeRunFolder({path: folder, lock});
  }
}

/** One's own, and old enough to have its lock if its run is alive. */
function isLeft(folder: string): boolean {
  const info = lstatSync(folder, {throwIfNoEntry: false});
  return info !== undefined && info.uid === process.getuid!() && Date.now() - info.mtimeMs >= youngMs;
}
