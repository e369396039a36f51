import {closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, writeSync} from 'node:fs';
import path from 'node:path';
import {escapeUnsafe} from '../audit/canonical.ts';
import {IonError, isIonError, quoted} from '../errors.ts';
import {replaceFile} from '../system/atomic-file.ts';
import {withLockFile} from '../system/lock-file.ts';
import {readSmallFile} from '../system/small-file.ts';
import {writeProblem} from '../system/write-problem.ts';

/** The lines of earlier prompts, in `~/.ion/history`: one JSON string in each line, so no entry can look like two. */
export interface History {
  /** The newest is the last. The lines of this prompt come after the lines that the file had at its start. */
  entries(): readonly string[];
  /**
   * Adds a line. Leaves out an empty line, a line that begins with a blank, and a repetition of the last one. Throws an IonError.
   */
  add(line: string): void;
}

const shown = '~/.ion/history';
const maxBytes = 1024 * 1024;
const maxEntries = 5000;
const maxEntryLength = 16_384;
/** Another prompt holds the lock only while it writes. */
const lockMs = 500;

/** `home` undefined: the lines of this prompt only. */
export function openHistory(home: string | undefined): History {
  const lines = home === undefined ? [] : [...readEntries(path.join(home, '.ion', 'history'))];
  return {
    entries: () => lines,
    add(line) {
      if (line.trim() === '' || /^\s/.test(line) || line.length > maxEntryLength || line === lines.at(-1))
        return;
      lines.push(line);
      if (lines.length > 2 * maxEntries) lines.splice(0, lines.length - maxEntries);
      if (home !== undefined) append(path.join(home, '.ion'), line);
    },
  };
}

/** A file that ion did not write, or that others can write, does not count. */
function readEntries(file: string): readonly string[] {
  try {
    const read = readSmallFile({path: file, shown, refuseSymlink: true, maxBytes: 2 * maxBytes});
    if (!read || !isOwn(read.stats)) return [];
    return read.text.split('\n').flatMap(parsed).slice(-maxEntries);
  } catch (error) {
    if (isIonError(error)) return [];
    throw error;
  }
}

function parsed(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' ? [entry] : [];
  } catch {
    return [];
  }
}

interface Owned {
  readonly uid: number;
  readonly mode: number;
  readonly nlink: number;
}

function isOwn({uid, mode, nlink}: Owned): boolean {
  return uid === process.geteuid?.() && (mode & 0o022) === 0 && nlink === 1;
}

function append(folder: string, line: string): void {
  const file = path.join(folder, 'history');
  try {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    if (lstatSync(folder).isSymbolicLink()) throw new IonError(`${quoted('~/.ion')} is a symlink`);
    withLockFile(
      `${file}.lock`,
      () => {
        if (appendLine(file, `${escapeUnsafe(JSON.stringify(line))}\n`) <= maxBytes) return;
        const kept = fitting(readEntries(file));
        replaceFile(file, kept.map((one) => `${escapeUnsafe(JSON.stringify(one))}\n`).join(''), {
          sync: false,
        });
      },
      lockMs,
    );
  } catch (error) {
    throw writeProblem(shown, error);
  }
}

/** Returns the size of the file. */
function appendLine(file: string, text: string): number {
  const {O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK} = constants;
  const descriptor = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isOwn(stats))
      throw new IonError(`${quoted(shown)} is not a file that only this user can write`, {
        help: `rm ${shown}`,
      });
    writeSync(descriptor, text);
    return stats.size + Buffer.byteLength(text);
  } finally {
    closeSync(descriptor);
  }
}

/** The newest entries in half of the room. */
function fitting(entries: readonly string[]): readonly string[] {
  let room = maxBytes / 2;
  const first = entries.findLastIndex((one) => (room -= Buffer.byteLength(one) + 16) < 0);
  return entries.slice(Math.max(first + 1, entries.length - maxEntries));
}
