import {closeSync, constants, fstatSync, openSync, readdirSync, readSync} from 'node:fs';
import path from 'node:path';
import {StringDecoder} from 'node:string_decoder';
import {IonError, quoted} from '../errors.ts';
import {meaningOf} from '../system/system-errors.ts';
import type {Event} from './events.ts';
import {headBytes, parseRecord, type LogRecord} from './log-record.ts';

/** A line of the log and its location. `record` is missing if the line is not a record. */
export interface LogLine {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly bytes: number;
  /** The file ends before this line does. */
  readonly open?: true;
  readonly text: string;
  readonly record?: LogRecord;
}

/** The files of a log, oldest first: the rotated ones by number, then audit.jsonl. */
export function logFiles(folder: string): string[] {
  const names = namesIn(folder);
  const aside = names
    .filter((name) => /^audit-\d{6,}\.jsonl$/.test(name))
    .toSorted((one, other) => fileNumber(one) - fileNumber(other));
  return [...aside, ...names.filter((name) => name === 'audit.jsonl')];
}

/** Only a missing folder is an empty log. A folder that ion cannot read may hold anything. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable(folder, error);
  }
}

function fileNumber(name: string): number {
  return Number(name.slice('audit-'.length, -'.jsonl'.length));
}

export function* readLines(folder: string, files = logFiles(folder)): Generator<LogLine> {
  for (const file of files) {
    let line = 0;
    for (const {text, open} of linesOf(path.join(folder, file))) {
      line++;
      const record = parseRecord(text);
      yield {
        file,
        line,
        text,
        bytes: Buffer.byteLength(text),
        ...(open ? {open} : {}),
        ...(record ? {record} : {}),
      };
    }
  }
}

interface Line {
  readonly text: string;
  readonly open?: true;
}

export const chunkBytes = 1 << 20;
/** The append refuses longer lines, so ion did not write them. The rest of such a line is read as another line. */
export const maxLineCharacters = 8 << 20;

/** The lines of a file, read in chunks of a megabyte: a log may be larger than memory. */
function* linesOf(file: string): Generator<Line> {
  const descriptor = openLogFile(file);
  try {
    const buffer = Buffer.alloc(chunkBytes);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (let count = 1; count > 0;) {
      count = readSync(descriptor, buffer, 0, buffer.length, null);
      const parts = (rest + decoder.write(buffer.subarray(0, count))).split('\n');
      rest = parts.pop() ?? '';
      for (const text of parts) yield {text};
      if (rest.length > maxLineCharacters) {
        yield {text: rest};
        rest = '';
      }
    }
    if (rest !== '') yield {text: rest, open: true};
  } finally {
    closeSync(descriptor);
  }
}

/** The event of a record. Undefined when its text is not an event, which verify reports. */
export function eventOf({event}: LogRecord): (Event & {readonly sequence?: number}) | undefined {
  try {
    const parsed = JSON.parse(event) as Event;
    return typeof parsed.type === 'string' && typeof parsed.time === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Reads one byte more than a head has, to notice a head that is too long. Undefined if there is no head. */
export function readHeadText(folder: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openLogFile(path.join(folder, 'head'));
  } catch (error) {
    if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const buffer = Buffer.alloc(headBytes + 1);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Opens only a regular file, as the append does. O_NONBLOCK, because opening a FIFO would wait forever. */
export function openLogFile(file: string): number {
  const {O_RDONLY, O_NOFOLLOW, O_NONBLOCK} = constants;
  let descriptor: number;
  try {
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw unreadable(file, error);
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw unreadable(file, {code: 'ENXIO'});
}

const takeItAway = 'remove it; ion creates its own';

const advice: Readonly<Record<string, string>> = {
  EACCES: 'make it readable: chmod -R u+rX ~/.ion/audit',
  ENOTDIR: takeItAway,
  ELOOP: takeItAway,
  ENXIO: takeItAway,
};

function unreadable(file: string, error: unknown): IonError {
  const {code = ''} = error as NodeJS.ErrnoException;
  const why = meaningOf(error, {ENXIO: 'it is not a regular file'});
  const help = advice[code] ?? 'find out what it is, and move it elsewhere';
  return new IonError(`cannot read the audit log ${quoted(file, 4096)}: ${why}`, {help, cause: error});
}
