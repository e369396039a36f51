import {
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import {monotonicMs} from '../../../system/clock.ts';
import {readOpen, readPlain} from '../../../system/read-plain.ts';
import {held} from '../held.ts';

/** git accepts larger configs; they do not occur in practice. */
export const maxBytes = 1 << 20;

/**
 * Returns the bytes of a regular file, without following a symlink. Throws when it is any other kind of file, or too
 * large for a config.
 */
export function readConfig(file: string): Buffer {
  return held(file, readHeld);
}

function readHeld(file: string): Buffer {
  return readPlain(file, maxBytes);
}

/** The same for an open file. */
export function readOpenConfig(descriptor: number): Buffer {
  return readOpen(descriptor, maxBytes);
}

/**
 * Changes a git config by git's own protocol: creates `config.lock` exclusively, reads the config under it, renames the
 * new one into place. `change` gets the current bytes and returns new ones, or undefined to leave the file unchanged. A
 * process that uses the same protocol, above all git, loses no change. Returns false when another process holds the
 * lock all the time.
 */
export function withGitLock(config: string, change: (current: Buffer) => Buffer | undefined): boolean {
  return underLock(config, (file) => {
    const changed = change(readHeld(file));
    return changed && {bytes: changed, as: lstatSync(file)};
  });
}

/**
 * The same, whatever the file contains. `change` gets undefined if the file cannot be read as a config. A new file gets its
 * folder's owner.
 */
export function putConfig(config: string, make: (current: Buffer | undefined) => Buffer): boolean {
  return underLock(config, (file) => ({bytes: make(readable(file)), as: ownerOf(file)}));
}

function readable(config: string): Buffer | undefined {
  try {
    return readHeld(config);
  } catch {
    return undefined;
  }
}

type Owner = Pick<Stats, 'uid' | 'gid' | 'mode'>;

function ownerOf(config: string): Owner {
  const info = lstatSync(config, {throwIfNoEntry: false});
  if (info?.isFile()) return info;
  const {uid, gid} = statSync(path.dirname(config));
  return {uid, gid, mode: 0o644};
}

const waitMs = 3000;

interface Made {
  readonly bytes: Buffer;
  readonly as: Owner;
}

function underLock(config: string, make: (config: string) => Made | undefined): boolean {
  return held(config, (file) => underHeldLock(file, make));
}

function underHeldLock(config: string, make: (config: string) => Made | undefined): boolean {
  const lock = `${config}.lock`;
  const descriptor = takeLock(lock);
  if (descriptor === undefined) return false;
  let locked = true;
  try {
    const made = make(config);
    if (made === undefined) return true;
    const {
      bytes,
      as: {uid, gid, mode},
    } = made;
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    fchmodSync(descriptor, mode & 0o777);
    if (process.getuid!() === 0) fchownSync(descriptor, uid, gid);
    renameSync(lock, config);
    locked = false;
    return true;
  } finally {
    closeSync(descriptor);
    if (locked) unlinkSync(lock);
  }
}

function takeLock(lock: string): number | undefined {
  const deadline = monotonicMs() + waitMs;
  for (;;) {
    try {
      return openSync(lock, 'wx', 0o600);
    } catch (error) {
      if ((error as {code?: string}).code !== 'EEXIST') throw error;
    }
    if (!pause(deadline)) return undefined;
  }
}

/** Returns whether the lock is gone, or goes within the waiting time. */
export function waitUntilGone(lock: string): boolean {
  const deadline = monotonicMs() + waitMs;
  while (lstatSync(lock, {throwIfNoEntry: false})) {
    if (!pause(deadline)) return false;
  }
  return true;
}

/** Returns whether there is time left. */
function pause(deadline: number): boolean {
  if (monotonicMs() > deadline) return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
  return true;
}
