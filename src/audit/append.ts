import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import {withLockFile} from '../system/lock-file.ts';
import type {Appended} from '../sandbox/linux/native.ts';
import {
  asideName,
  beginsNext,
  emptyHead,
  headBytes,
  parseHead,
  parseRecord,
  digest,
  renderHead,
  renderRecord,
  type Head,
  type Position,
} from './log-record.ts';

/**
 * Appends to the audit log where the addon is missing: on macOS, or where there is neither a prebuild nor a compiler.
 * It writes the same files in the same format. It takes a lock file, because Node has no flock. The two appenders
 * must not write one log at the same time. They never do: a machine either has the addon or does not.
 */
export function appendWithoutAddon(
  folder: string,
  events: readonly string[],
  maxFileBytes: number,
  sync: boolean,
): Appended {
  for (const one of [path.dirname(folder), folder]) makeFolder(one);
  checkFolder(folder);
  return withLockFile(path.join(folder, 'lock'), () => appendLocked(folder, events, maxFileBytes, sync));
}

/** Without `recursive`: ion never creates a missing home folder. The addon does the same. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, {mode: 0o700});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function appendLocked(
  folder: string,
  events: readonly string[],
  maxFileBytes: number,
  sync: boolean,
): Appended {
  const headFile = openOwn(path.join(folder, 'head'));
  let log = openOwn(path.join(folder, 'audit.jsonl'));
  try {
    let size = fstatSync(log).size;
    const found = reconcile(folder, {headFile, log, size});
    let {head} = found;
    const bytes = events.reduce((sum, event) => sum + Buffer.byteLength(event) + 200, 0);
    if (size > 0 && size + bytes > maxFileBytes && found.recovery.length === 0) {
      let file = head.file;
      while (existsSync(path.join(folder, asideName(file)))) file++;
      renameSync(path.join(folder, 'audit.jsonl'), path.join(folder, asideName(file)));
      head = {...head, file: file + 1};
      closeSync(log);
      log = openOwn(path.join(folder, 'audit.jsonl'));
      size = 0;
    }
    let position: Position = head;
    let batch = found.front;
    for (const event of [...found.recovery, ...events]) {
      const record = renderRecord(event, position);
      batch += record.line;
      position = record;
    }
    writeAll(log, batch, size);
    const next: Head = {...head, ...position, size: size + Buffer.byteLength(batch)};
    writeSync(
      headFile,
      renderHead({sequence: next.sequence, hash: next.hash, size: next.size, file: next.file}),
      0,
    );
    ftruncateSync(headFile, headBytes);
    if (sync) {
      fdatasyncSync(log);
      fdatasyncSync(headFile);
    }
    return {sequence: position.sequence, hash: position.hash};
  } finally {
    closeSync(log);
    closeSync(headFile);
  }
}

/** The head records the log's size. ion reads at most so many bytes after it: a crash never leaves more. */
const maxTailBytes = 64 * 1024 * 1024;

interface Reconciled {
  readonly head: Head;
  /** A line break if the file ends in an incomplete line, else empty. */
  readonly front: string;
  readonly recovery: readonly string[];
}

/** Makes head and log agree again after a crash or an edit. Never removes bytes. */
function reconcile(
  folder: string,
  {headFile, log, size}: {readonly headFile: number; readonly log: number; readonly size: number},
): Reconciled {
  const rawHead = readHead(headFile);
  const head = parseHead(rawHead);
  if (head?.size === size) return {head, front: '', recovery: []};
  if (head && size === 0 && existsSync(path.join(folder, asideName(head.file)))) {
    return {head: {...head, file: head.file + 1, size: 0}, front: '', recovery: []};
  }
  if (head && size < head.size) {
    const recovery = [recovered('log_shorter', head.size - size)];
    return {head, front: endsLine(readRange(log, Math.max(0, size - 1), size)), recovery};
  }
  if (head && size - head.size > maxTailBytes) {
    const recovery = [recovered('foreign_bytes', size - head.size)];
    return {head, front: endsLine(readRange(log, size - 1, size)), recovery};
  }
  if (head) return adopt(head, readRange(log, head.size, size));
  const recovery = rawHead === '' ? [] : [recovered('head_unreadable', Buffer.byteLength(rawHead))];
  if (size === 0) {
    // A new log gets its head before its first record. If the disk is full by then, no log exists without a head.
    if (rawHead === '') writeSync(headFile, renderHead(emptyHead), 0);
    return {head: emptyHead, front: '', recovery};
  }
  if (rawHead === '') recovery.push(recovered('head_missing', size));
  const text = readRange(log, Math.max(0, size - 4 * 1024 * 1024), size);
  const last = text
    .split('\n')
    .map(parseRecord)
    .findLast((record) => record !== undefined);
  return {head: {...emptyHead, ...(last ? pick(last) : {})}, front: endsLine(text), recovery};
}

/**
 * Records that continue the chain were written before a crash. ion keeps the bytes behind them: it did not write
 * them.
 */
function adopt(head: Head, tail: string): Reconciled {
  let position: Position = head;
  let done = 0;
  for (let end = tail.indexOf('\n'); end !== -1; end = tail.indexOf('\n', done)) {
    const record = parseRecord(tail.slice(done, end));
    const next = record && digest(position.sequence + 1, position.hash, record.event);
    if (!record || record.sequence !== position.sequence + 1 || record.hash !== next) break;
    position = pick(record);
    done = end + 1;
  }
  const rest = Buffer.byteLength(tail.slice(done));
  const reason = beginsNext(tail.slice(done), position) ? 'torn_line' : 'foreign_bytes';
  const recovery = rest === 0 ? [] : [recovered(reason, rest)];
  return {head: {...head, ...position}, front: rest === 0 ? '' : endsLine(tail), recovery};
}

function pick({sequence, hash}: Position): Position {
  return {sequence, hash};
}

function recovered(reason: string, bytes: number): string {
  const time = new Date().toISOString();
  return JSON.stringify({bytes, reason, run_id: null, schema: 1, time, type: 'log.recovered'});
}

function endsLine(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}

function checkFolder(folder: string): void {
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw denied('ELOOP', folder);
  if (stat.uid !== process.geteuid?.() || (stat.mode & 0o022) !== 0) throw denied('EPERM', folder);
}

/**
 * Opens only a regular file that this user owns. O_NONBLOCK, because opening another user's FIFO would wait forever.
 */
function openOwn(file: string): number {
  const {O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK} = constants;
  const descriptor = openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const stat = fstatSync(descriptor);
  if (stat.isFile() && stat.uid === process.geteuid?.() && stat.nlink === 1) return descriptor;
  closeSync(descriptor);
  throw denied('EPERM', file);
}

function denied(code: string, file: string): Error {
  return Object.assign(new Error(`${code}: ${file}`), {code});
}

function readHead(file: number): string {
  return readRange(file, 0, headBytes + 1);
}

function readRange(file: number, from: number, to: number): string {
  const buffer = Buffer.alloc(to - from);
  let done = 0;
  while (done < buffer.length) {
    const count = readSync(file, buffer, done, buffer.length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return buffer.toString('utf8', 0, done);
}

function writeAll(file: number, text: string, at: number): void {
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, at + done);
  } catch (error) {
    // Cuts back to whole records, so that no incomplete line stays in the chain.
    ftruncateSync(file, at);
    throw error;
  }
}
