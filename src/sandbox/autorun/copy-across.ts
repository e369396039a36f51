import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import {removeTree} from '../../system/remove-tree.ts';
import {O_PATH} from './held.ts';

/** A run may leave files of any size. Larger ones stay on their file system. */
const most = {bytes: 64 << 20, entries: 10_000, depth: 64};

interface Copied {
  readonly name: string;
  readonly isFolder: boolean;
  readonly entries: readonly Copied[];
}

interface Spent {
  bytes: number;
  entries: number;
}

/**
 * Moves a file or folder to another file system: copies all of it, then removes exactly what it copied. Linux only: a
 * descriptor that opens nothing (O_PATH) holds each entry. So a FIFO cannot make ion wait, and a link cannot lead it
 * elsewhere. Throws when a part cannot be copied; the source is then unchanged, except for modes that its owner cannot
 * read.
 */
export function moveAcross(from: string, to: string): void {
  let copied;
  try {
    copied = copyEntry(from, to, {bytes: 0, entries: 0}, 0);
  } catch (error) {
    removePartOf(to);
    throw error;
  }
  try {
    removeCopied(`${path.dirname(from)}/.`, [copied]);
  } catch {
    // Another process put a file into it: ion must not remove that file, and no program runs it by this name.
  }
}

function removePartOf(to: string): void {
  try {
    removeTree(to);
  } catch {
    // It is not a folder, or it does not exist.
    unlinkSync(to);
  }
}

function copyEntry(from: string, to: string, spent: Spent, depth: number): Copied {
  if (++spent.entries > most.entries || depth > most.depth) throw new Error('too large to copy');
  const descriptor = openSync(from, O_PATH | constants.O_NOFOLLOW);
  try {
    const info = fstatSync(descriptor);
    const entries = copyHeld(`/proc/self/fd/${descriptor}`, info, {from, to, spent, depth});
    if (process.getuid!() === 0) lchownSync(to, info.uid, info.gid);
    // After the owner: changing the owner removes mode bits. Owners can read the copy, or they could not move it back.
    if (info.isDirectory()) chmodSync(to, (info.mode & 0o777) | 0o700);
    if (info.isFile()) chmodSync(to, (info.mode & 0o777) | 0o400);
    return {name: path.basename(from), isFolder: info.isDirectory(), entries};
  } finally {
    closeSync(descriptor);
  }
}

interface Way {
  readonly from: string;
  readonly to: string;
  readonly spent: Spent;
  readonly depth: number;
}

function copyHeld(held: string, info: Stats, {from, to, spent, depth}: Way): readonly Copied[] {
  if (info.isDirectory()) {
    openToOwner(held, info, 0o700);
    mkdirSync(to, {mode: 0o700});
    return readdirSync(held).map((name) =>
      copyEntry(path.join(held, name), path.join(to, name), spent, depth + 1),
    );
  }
  if (info.isFile()) {
    openToOwner(held, info, 0o400);
    copyBytes(held, to, spent);
  } else if (info.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else writeFileSync(to, `${kindOf(info)}\n`, {flag: 'wx', mode: 0o600});
  return [];
}

/** Neither kind has content: ion only keeps the fact that it existed. */
function kindOf(info: Stats): string {
  if (info.isFIFO()) return 'this was a FIFO';
  if (info.isSocket()) return 'this was a unix socket';
  return `this was a ${info.isBlockDevice() ? 'block' : 'character'} device, number ${info.rdev}`;
}

function openToOwner(held: string, {mode}: Stats, needed: number): void {
  if ((mode & needed) !== needed) chmodSync(held, (mode & 0o777) | needed);
}

function copyBytes(held: string, to: string, spent: Spent): void {
  const source = openSync(held, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const copy = openSync(to, 'wx', 0o600);
    try {
      if (spent.bytes + fstatSync(source).size > most.bytes) throw new Error('too large to copy');
      const buffer = Buffer.allocUnsafe(1 << 16);
      for (let length; (length = readSync(source, buffer)) > 0; writeAll(copy, buffer.subarray(0, length))) {
        if ((spent.bytes += length) > most.bytes) throw new Error('too large to copy');
      }
    } finally {
      closeSync(copy);
    }
  } finally {
    closeSync(source);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/** New entries stay: rmdir(2) does not remove a folder that is not empty. */
function removeCopied(folder: string, entries: readonly Copied[]): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const held = `/proc/self/fd/${descriptor}`;
  try {
    for (const {name, isFolder, entries: inside} of entries) {
      const entry = path.join(held, name);
      if (isFolder) removeCopied(entry, inside);
      if (isFolder) rmdirSync(entry);
      else unlinkSync(entry);
    }
  } finally {
    closeSync(descriptor);
  }
}
