import {
  closeSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import type {Addon} from '../linux/native.ts';
import {closedFolders} from '../plan/private-temp.ts';

/** `~/.ion/run/<id>`: the files of one run on the disk. Its lock shows that the run is alive. */
export interface RunFolder {
  readonly path: string;
  readonly lock: number;
}

/**
 * The addon's functions: one returns a descriptor that holds a folder's lock, or -1; the other removes a folder that
 * another process may still change.
 */
export type FolderCalls = Pick<Addon, 'lockFolder' | 'removeFolder'>;

const tempRecord = 'temp';
const tries = 100;
const pauseMs = 1;
/** A run that just began may not have its lock yet. */
const youngMs = 5000;

/**
 * Creates the folder, and removes the folders and private temp folders of runs that were killed together with their
 * launcher (a launcher that survives cleans up itself). With nothing to remove it costs one reading of a folder. Throws
 * the errors of mkdir.
 */
export function makeRunFolder(home: string, runId: string, calls: FolderCalls): RunFolder {
  const parent = path.join(home, '.ion/run');
  const folder = path.join(parent, runId);
  for (let attempt = 0; attempt < tries; attempt++) {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    const lock = calls.lockFolder(folder);
    if (lock !== -1) {
      sweep(home, runId, calls);
      return {path: folder, lock};
    }
    // Another ion took it for a dead run's folder before it had its lock, and is removing it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  throw new Error(`cannot lock ${folder}`);
}

export function removeRunFolder(folder: RunFolder): void {
  rmSync(folder.path, {recursive: true, force: true});
  closeSync(folder.lock);
}

/** Records a private temp folder by identity, not only by its name. */
export function recordTemp(folder: RunFolder, temp: string): void {
  writeFileSync(path.join(folder.path, tempRecord), `${identityOf(temp)} ${temp}`, {flag: 'wx', mode: 0o600});
}

/**
 * Commands of a dead run may still live in it, so ion does not remove a folder that replaced it. Only this user may
 * write the record: another writer could make root remove a folder.
 */
function removeRecordedTemp(folder: string, {removeFolder}: FolderCalls): boolean {
  const record = path.join(folder, tempRecord);
  try {
    if (!isOwn(record)) return false;
    const [, identity, temp] = /^(\S+) (.+)$/s.exec(readFileSync(record, 'utf8')) ?? [];
    if (temp === undefined) return false;
    if (identityOf(temp) === identity && isOwn(temp)) removeFolder(temp);
    return true;
  } catch {
    return false; // The record never existed, or is gone.
  }
}

/** The run was killed before it recorded the folder. Nothing had used it by then, so it is empty; any other folder stays. */
function removeEmptyTemp(home: string, runId: string): void {
  for (const [, temp] of closedFolders({home, uid: process.getuid!()}, runId)) attempt(() => rmdirSync(temp));
}

function identityOf(folder: string): string {
  const {dev, ino} = lstatSync(folder, {bigint: true});
  return `${dev}:${ino}`;
}

function isOwn(file: string): boolean {
  return lstatSync(file).uid === process.getuid!();
}

function sweep(home: string, own: string, calls: FolderCalls): void {
  const parent = path.join(home, '.ion/run');
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name);
    if (name === own || !/^[0-9a-f]{32}$/.test(name) || !isLeft(folder)) continue;
    const lock = calls.lockFolder(folder);
    if (lock === -1) continue;
    if (!removeRecordedTemp(folder, calls)) removeEmptyTemp(home, name);
    removeRunFolder({path: folder, lock});
  }
}

/** Owned by this user, and old enough to have its lock if its run is alive. */
function isLeft(folder: string): boolean {
  const info = lstatSync(folder, {throwIfNoEntry: false});
  return info !== undefined && info.uid === process.getuid!() && Date.now() - info.mtimeMs >= youngMs;
}
