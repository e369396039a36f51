import {closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync} from 'node:fs';
import path from 'node:path';
import {StringDecoder} from 'node:string_decoder';
import type {Event} from './events.ts';
import {parseRecord, type LogRecord} from './record.ts';

/** A line of the log with where it stands; `record` is missing when it is none. */
export interface LogLine {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly bytes: number;
  readonly record?: LogRecord;
}

/** The files of a log, oldest first: those put aside by number, then audit.jsonl. */
export function logFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const aside = readdirSync(folder)
    .filter((name) => /^audit-\d{6,}\.jsonl$/.test(name))
    .toSorted((one, other) => fileNumber(one) - fileNumber(other));
  const current = existsSync(path.join(folder, 'audit.jsonl')) ? ['audit.jsonl'] : [];
  return [...aside, ...current];
}

function fileNumber(name: string): number {
  return Number(name.slice('audit-'.length, -'.jsonl'.length));
}

export function* readLines(folder: string): Generator<LogLine> {
  for (const file of logFiles(folder)) {
    let line = 0;
    for (const text of linesOf(path.join(folder, file))) {
      line++;
      const record = parseRecord(text);
      yield {file, line, bytes: Buffer.byteLength(text), ...(record ? {record} : {})};
    }
  }
}

const chunkBytes = 1 << 20;
/** Longer lines are not ours (the append refuses them); what follows is read as another line. */
const maxLineCharacters = 8 << 20;

/** The lines of a file, a megabyte at a time: a log may be larger than memory. */
function* linesOf(file: string): Generator<string> {
  const descriptor = openSync(file, 'r');
  try {
    if (!fstatSync(descriptor).isFile()) return;
    const buffer = Buffer.alloc(chunkBytes);
    const decoder = new StringDecoder('utf8');
    let rest = '';
    for (let count = 1; count > 0;) {
      count = readSync(descriptor, buffer, 0, buffer.length, null);
      const parts = (rest + decoder.write(buffer.subarray(0, count))).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
      if (rest.length > maxLineCharacters) {
        yield rest;
        rest = '';
      }
    }
    if (rest !== '') yield rest;
  } finally {
    closeSync(descriptor);
  }
}

/** The event of a record; undefined when its text is no event (verify says so). */
export function eventOf({event}: LogRecord): (Event & {readonly sequence?: number}) | undefined {
  try {
    const parsed = JSON.parse(event) as Event;
    return typeof parsed.type === 'string' && typeof parsed.time === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function readHeadText(folder: string): string | undefined {
  const file = path.join(folder, 'head');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
