import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import {monotonicMs} from '../../clock.ts';

/** git itself takes larger ones; nobody has them. */
export const maxBytes = 1 << 20;

/** A regular file's bytes, not through a link. Throws when it is anything else, or too large for a config. */
export function readConfig(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readOpen(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The same of a file that is open. */
export function readOpen(descriptor: number): Buffer {
  const info = fstatSync(descriptor);
  if (!info.isFile() || info.size > maxBytes) throw new Error('not a small regular file');
  const bytes = Buffer.alloc(info.size);
  const length = readSync(descriptor, bytes, 0, info.size, 0);
  return bytes.subarray(0, length);
}

/**
 * Change a git config by git's own protocol: `config.lock` made exclusively, the config read under it, the new one renamed
 * into place. `change` gets the current bytes and gives new ones, or undefined to leave the file. Whoever else changes the
 * file by that protocol, git above all, loses nothing. Returns false when somebody holds the lock all the time.
 */
export function withGitLock(config: string, change: (current: Buffer) => Buffer | undefined): boolean {
  return underLock(config, () => {
    const changed = change(readConfig(config));
    return changed && {bytes: changed, as: lstatSync(config)};
  });
}

/** The same, whatever stands there now: undefined is nothing that can be read as a config. A new file gets its folder's owner. */
export function putConfig(config: string, make: (current: Buffer | undefined) => Buffer): boolean {
  return underLock(config, () => ({bytes: make(readable(config)), as: ownerOf(config)}));
}

function readable(config: string): Buffer | undefined {
  try {
    return readConfig(config);
  } catch {
    return undefined;
  }
}

type Owner = Pick<Stats, 'uid' | 'gid' | 'mode'>;

function ownerOf(config: string): Owner {
  const info = lstatSync(config, {throwIfNoEntry: false});
  if (info?.isFile()) return info;
  const {uid, gid} = lstatSync(path.dirname(config));
  return {uid, gid, mode: 0o644};
}

const waitMs = 3000;

function underLock(config: string, make: () => {bytes: Buffer; as: Owner} | undefined): boolean {
  const lock = `${config}.lock`;
  const descriptor = takeLock(lock);
  if (descriptor === undefined) return false;
  let held = true;
  try {
    const made = make();
    if (made === undefined) return true;
    const {
      bytes,
      as: {uid, gid, mode},
    } = made;
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    fchmodSync(descriptor, mode & 0o777);
    if (process.getuid!() === 0) fchownSync(descriptor, uid, gid);
    renameSync(lock, config);
    held = false;
    return true;
  } finally {
    closeSync(descriptor);
    if (held) unlinkSync(lock);
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

/** Returns whether a lock has been given back, or is so within the time that one is waited for. */
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
