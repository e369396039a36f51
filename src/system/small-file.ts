import {isUtf8} from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  type Stats,
} from 'node:fs';
import path from 'node:path';
import {IonError, quoted, isIonError} from '../errors.ts';
import {realpathOrUndefined} from './real-path.ts';

/** Far above any config file that people write, and too small to be slow. */
const maxBytes = 1024 * 1024;

/**
 * O_NONBLOCK: the open of a FIFO without a writer would wait for ever. O_NOCTTY: a terminal must not become ion's
 * controlling terminal. O_NOFOLLOW: ion follows a symlink only after a check of its target.
 */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW;

export interface FileToRead {
  readonly path: string;
  /** As the user would write it. */
  readonly shown: string;
  /** A folder that no symlink may lead out of. Undefined: the file is the user's own, and may be anywhere. */
  readonly inside?: string | undefined;
  /** Refuses every symlink, even one that stays inside. */
  readonly refuseSymlink?: boolean;
  readonly maxBytes?: number;
}

export interface FileRead {
  readonly text: string;
  /** Owner, mode and identity of the descriptor that was read. */
  readonly stats: Stats;
  /** The owner of the folder that contains the file, who can replace the file. */
  readonly folderUid: number;
  /** The canonical path of the file. */
  readonly realPath: string;
}

/**
 * Reads a small regular file, or returns undefined when it does not exist. Anything else is an error: a config that cannot
 * be read may be the one that forbids something.
 *
 * The checks of size, type, owner and place apply to the open descriptor, so they hold for what is read.
 */
export function readSmallFile(file: FileToRead, tries = 3): FileRead | undefined {
  const descriptor = open(file);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw problem(file, `is ${kindOf(stats)}, not a regular file`);
    const realPath = realpathSync.native(file.path);
    if (file.inside !== undefined) {
      refuseOutside(file, realPath, file.inside);
      // Another process (mostly an editor) may have replaced any part of the path since the open. The checked file must be
      // the file that is read.
      const now = lstatSync(realPath, {throwIfNoEntry: false});
      if (now?.dev !== stats.dev || now.ino !== stats.ino) {
        if (tries === 1) throw problem(file, 'changed while ion read it');
        return readSmallFile(file, tries - 1);
      }
    }
    const folderUid = statSync(path.dirname(file.path)).uid;
    return {text: decode(file, readBounded(file, descriptor)), stats, folderUid, realPath};
  } catch (error) {
    throw explained(file, error);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads an open descriptor that a process passed to ion: a pipe (`<(...)` of bash) to its end, or a regular file. An open by its
 * name would wait for ever if the writer of a pipe has ended.
 */
export function readGivenFile(descriptor: number, shown: string): FileRead {
  const file = {path: shown, shown};
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() && !stats.isFIFO()) throw problem(file, `is ${kindOf(stats)}, not a file or a pipe`);
    const text = decode(file, readBounded(file, descriptor));
    return {text, stats, folderUid: stats.uid, realPath: nameOf(descriptor, stats) ?? shown};
  } catch (error) {
    throw explained(file, error);
  }
}

/** The path of an open file, if it still has one. */
function nameOf(descriptor: number, {dev, ino}: Stats): string | undefined {
  const real = realpathOrUndefined(`/proc/self/fd/${descriptor}`);
  const now = real === undefined ? undefined : lstatSync(real, {throwIfNoEntry: false});
  return now?.dev === dev && now.ino === ino ? real : undefined;
}

function open(file: FileToRead): number | undefined {
  if (file.path.includes('\0')) throw problem(file, 'has a NUL byte in its name');
  try {
    // Most of the time the file does not exist. An exception costs a hundred times as much as this lstat.
    const entry = lstatSync(file.path, {throwIfNoEntry: false});
    if (entry === undefined) return undefined;
    if (entry.isSymbolicLink() && file.refuseSymlink) throw problem(file, 'is a symlink');
    return openSync(entry.isSymbolicLink() ? followed(file) : file.path, openFlags);
  } catch (error) {
    throw explained(file, error);
  }
}

/** Resolves a symlink. A target outside is not even opened: opening a device can have effects. */
function followed(file: FileToRead): string {
  const real = realpathSync.native(file.path);
  if (file.inside !== undefined) refuseOutside(file, real, file.inside);
  return real;
}

function refuseOutside(file: FileToRead, real: string, inside: string): void {
  const relative = path.relative(realpathSync.native(inside), real);
  if (relative !== '..' && !relative.startsWith('../')) return;
  const help = 'ion reads config only from inside the project';
  throw problem(file, 'is a symlink that leads out of its project', help);
}

/** Counts the bytes while reading: a file may grow, and files of /proc report no size. */
function readBounded(file: FileToRead, descriptor: number): Buffer {
  const limit = file.maxBytes ?? maxBytes;
  const buffer = Buffer.allocUnsafe(64 * 1024);
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const length = readSync(descriptor, buffer, 0, buffer.length, null);
    if (length === 0) return Buffer.concat(chunks);
    total += length;
    if (total > limit) throw problem(file, `is larger than ${limit} bytes`);
    chunks.push(Buffer.from(buffer.subarray(0, length)));
  }
}

function decode(file: FileToRead, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw problem(file, 'is not valid UTF-8');
  return bytes.toString('utf8');
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

export function problem(file: FileToRead, what: string, help?: string): IonError {
  return new IonError(`${quoted(file.shown)} ${what}`, {help});
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  ELOOP: 'is a symlink loop',
  ENOENT: 'is a symlink that leads nowhere',
  ENOTDIR: 'cannot be read: a part of its path is not a folder',
  ENAMETOOLONG: 'cannot be read: its path is too long',
  ENXIO: 'is a socket, not a regular file',
  EISDIR: 'is a folder, not a regular file',
  EBADF: 'is not an open descriptor',
  EAGAIN: 'has nothing to read yet',
};

function explained(file: FileToRead, error: unknown): unknown {
  const code = codeOf(error);
  if (isIonError(error) || code === undefined) return error;
  const {message} = problem(file, reasons[code] ?? `cannot be read: ${code}`);
  if (code !== 'EACCES' && code !== 'EPERM') return new IonError(message);
  return new IonError(message, {
    help: 'ion does not skip it: make it and its folders readable for this user; "ls -l" shows the owners',
    cause: error,
  });
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
