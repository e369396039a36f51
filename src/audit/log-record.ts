import {createHash} from 'node:crypto';

/** The format of one line of the log, and of its head. The native twin is native/addon/audit_head.cc. */

export const zeroHash = '0'.repeat(64);
export const headBytes = 256;

export interface Position {
  readonly sequence: number;
  readonly hash: string;
}

export interface Head extends Position {
  /** The size of audit.jsonl. */
  readonly size: number;
  /** The number that audit.jsonl gets when it is rotated. */
  readonly file: number;
}

export const emptyHead: Head = {sequence: 0, hash: zeroHash, size: 0, file: 1};

export interface LogRecord extends Position {
  readonly previous: string;
  /** The event as its exact text, because the hash is over these bytes. */
  readonly event: string;
}

const recordForm = /^\{"seq":(\d{1,15}),"prev":"([\da-f]{64})","hash":"([\da-f]{64})","event":(\{.*\})\}$/;
const headForm =
  /^\{"version":1,"seq":(\d{1,15}),"hash":"([\da-f]{64})","size":(\d{1,15}),"file":(\d{1,15})\} *\n$/;

export function digest(sequence: number, previous: string, event: string): string {
  return createHash('sha256').update(`${sequence}\n${previous}\n${event}`).digest('hex');
}

export function parseRecord(line: string): LogRecord | undefined {
  const [, sequence, previous, hash, event] = recordForm.exec(line) ?? [];
  if (sequence === undefined) return undefined;
  return {sequence: Number(sequence), previous: previous!, hash: hash!, event: event!};
}

export function renderRecord(event: string, {sequence, hash}: Position): LogRecord & {readonly line: string} {
  const next = sequence + 1;
  const own = digest(next, hash, event);
  const line = `{"seq":${next},"prev":"${hash}","hash":"${own}","event":${event}}\n`;
  return {sequence: next, previous: hash, hash: own, event, line};
}

/**
 * Reports whether this text is an incomplete beginning of the next record, and nothing else. Then a write was
 * interrupted: no earlier record is missing, and ion never reported this one as written.
 */
export function beginsNext(text: string, {sequence, hash}: Position): boolean {
  const front = `{"seq":${sequence + 1},"prev":"${hash}","hash":"`;
  return !text.includes('\n') && (text.startsWith(front) || front.startsWith(text));
}

export function parseHead(text: string): Head | undefined {
  const [, sequence, hash, size, file] = headForm.exec(text) ?? [];
  if (sequence === undefined || text.length !== headBytes) return undefined;
  return {sequence: Number(sequence), hash: hash!, size: Number(size), file: Number(file)};
}

export function renderHead({sequence, hash, size, file}: Head): string {
  const text = `{"version":1,"seq":${sequence},"hash":"${hash}","size":${size},"file":${file}}`;
  return text.padEnd(headBytes - 1) + '\n';
}

export function asideName(file: number): string {
  return `audit-${String(file).padStart(6, '0')}.jsonl`;
}
