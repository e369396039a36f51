import type {Event, EventType} from './events.ts';
import {eventOf, readHeadText, readLines, type LogLine} from './read-log.ts';
import {beginsNext, digest, emptyHead, parseHead, type LogRecord, type Position} from './log-record.ts';

export interface Verification {
  readonly records: number;
  readonly last: Position;
  /**
   * The first place where the chain is broken, else the first that was mended. Absent: the chain holds from the first
   * record to the head.
   */
  readonly broken?: Broken;
  /**
   * The problems that the log itself recorded: a crash, an edit that a later append found, a prune, or the result of an earlier
   * verify.
   */
  readonly recovered: readonly string[];
}

interface Broken {
  readonly at: string;
  readonly sequence: number;
  readonly why: string;
  /** The chain continues after this place, but does not show what was there before. */
  readonly mended?: true;
}

/** The statement of a record about the log itself. */
interface Note {
  readonly text: string;
  /** A cut, or something that may be one. It stays reported. */
  readonly alarm?: string;
}

/**
 * Follows the chain from the first record to the head. It shows an edit, an insertion, a removal and a cut at either end.
 *
 * It cannot show that a process with write access to the folder made a whole new chain and head. (A sandboxed command has no such
 * access.) Without head and log, it cannot show that a log ever existed.
 *
 * If a later append found bytes missing or foreign, the chain has a record of that, and verify still reports a cut. If an
 * incomplete line is the beginning of the next record, ion crashed or the disk was full. No record that was reported as written
 * is missing.
 */
export function verifyLog(folder: string, files?: readonly string[]): Verification {
  let position: Position = emptyHead;
  let records = 0;
  let foreign: LogLine | undefined;
  const recovered: string[] = [];
  let mended: Broken | undefined;
  const fail = (at: string, why: string): Verification => ({
    records,
    last: position,
    recovered,
    broken: {at, sequence: position.sequence + 1, why},
  });
  for (const line of readLines(folder, files && [...files])) {
    const at = `${line.file}:${line.line}`;
    const {record} = line;
    if (!record) {
      // A crash while writing leaves an incomplete line, and the next record reports that. Any other incomplete line
      // is an edit.
      if (foreign) return fail(`${foreign.file}:${foreign.line}`, 'not a record');
      foreign = line;
      continue;
    }
    if (records === 0 && isPruned(folder, record))
      position = {sequence: record.sequence - 1, hash: record.previous};
    const problem = linkProblem(position, record);
    if (problem) return fail(at, problem);
    const event = ofLog(record);
    if (foreign && event?.type !== 'log.recovered')
      return fail(`${foreign.file}:${foreign.line}`, 'not a record');
    const note = event && noteOf(event);
    if (note) recovered.push(`${at}: ${note.text}`);
    if (note?.alarm !== undefined) mended ??= {at, sequence: record.sequence, why: note.alarm, mended: true};
    foreign = undefined;
    position = {sequence: record.sequence, hash: record.hash};
    records++;
  }
  if (foreign) {
    if (!foreign.open || !beginsNext(foreign.text, position))
      return fail(`${foreign.file}:${foreign.line}`, 'not a record');
    recovered.push(`${foreign.file}:${foreign.line}: torn_line (${foreign.bytes} bytes)`);
  }
  // If only some of the files are checked, the head does not belong to them.
  const checked = files
    ? {records, last: position, recovered}
    : checkHead(folder, position, records, recovered, fail);
  return checked.broken || !mended ? checked : {...checked, broken: mended};
}

function linkProblem(position: Position, record: LogRecord): string | undefined {
  if (record.sequence !== position.sequence + 1) {
    return `record ${record.sequence} where ${position.sequence + 1} was expected: records are missing or moved`;
  }
  if (record.previous !== position.hash) return 'its hash does not match the record before it';
  if (record.hash !== digest(record.sequence, record.previous, record.event))
    return 'its content was changed';
  return undefined;
}

type OfLog = Event<Extract<EventType, `log.${string}`>>;

function ofLog(record: LogRecord): OfLog | undefined {
  if (!record.event.includes('"log.')) return undefined;
  const event = eventOf(record);
  return event?.type.startsWith('log.') ? (event as OfLog) : undefined;
}

function noteOf(event: OfLog): Note | undefined {
  if (event.type === 'log.recovered') {
    const text = `${event.reason} (${event.bytes} bytes)`;
    return event.reason === 'torn_line' ? {text} : {text, alarm: `it was repaired after ${text}`};
  }
  if (event.type === 'log.pruned') {
    const [first] = event.found;
    const text = `pruned: ${event.records} records, to ${event.through_sequence}`;
    return first === undefined ? {text} : {text, alarm: `the pruned records did not verify: ${first}`};
  }
  if (event.intact) return undefined;
  const found = `${event.at}: ${event.why}`;
  return {text: `found by an earlier verify: ${found}`, alarm: `an earlier verify found ${found}`};
}

/** Reports whether the chain starts where a prune left it. The record of the prune is further on in the chain. */
function isPruned(folder: string, {sequence, previous}: LogRecord): boolean {
  if (sequence === 1) return false;
  for (const {record} of readLines(folder)) {
    const event = record && ofLog(record);
    if (
      event?.type === 'log.pruned' &&
      event.through_sequence === sequence - 1 &&
      event.through_hash === previous
    )
      return true;
  }
  return false;
}

function checkHead(
  folder: string,
  position: Position,
  records: number,
  recovered: readonly string[],
  fail: (at: string, why: string) => Verification,
): Verification {
  const text = readHeadText(folder);
  if (text === undefined) {
    return records === 0 ? {records, last: position, recovered} : fail('head', 'the head file is missing');
  }
  const head = parseHead(text);
  if (!head)
    return text === '' && records === 0 ? {records, last: position, recovered} : fail('head', 'unreadable');
  if (head.sequence > position.sequence) {
    return fail(
      'head',
      `the log ends at record ${position.sequence}, but the head file names record ${head.sequence}: its end was cut off`,
    );
  }
  if (head.sequence === position.sequence && head.hash !== position.hash) {
    return fail('head', 'the last record is not the one that the head file names');
  }
  // Records beyond the head: ion was stopped after writing them and before writing the head. The next append adopts
  // them.
  return {records, last: position, recovered};
}
