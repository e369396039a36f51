import {eventOf, readHeadText, readLines, type LogLine} from './read.ts';
import {digest, emptyHead, parseHead, type LogRecord, type Position} from './record.ts';

export interface Verification {
  readonly records: number;
  readonly last: Position;
  /** The first place where the chain does not hold, else the first that was mended; absent = it holds from the first record to the head. */
  readonly broken?: Broken;
  /** What the log itself recorded as mended: a crash, or somebody's edit that a later append found. */
  readonly recovered: readonly string[];
}

interface Broken {
  readonly at: string;
  readonly sequence: number;
  readonly why: string;
  /** The chain goes on from here, and does not tell what stood before it. */
  readonly mended?: true;
}

/**
 * Follow the chain from the first record to the head. It shows an edit, an insertion, a removal and a cut at either
 * end. It can't show that somebody who may write the folder made a whole new chain and head: what is sandboxed may
 * not write there; nor, without head and log, that there ever was one. What a later append found missing or foreign is in
 * the chain as a record of its own, and no less a cut for that.
 */
export function verifyLog(folder: string): Verification {
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
  for (const line of readLines(folder)) {
    const at = `${line.file}:${line.line}`;
    const {record} = line;
    if (!record) {
      // Half a line is left by a crash while writing; then the next record says so. Else it is an edit.
      if (foreign) return fail(`${foreign.file}:${foreign.line}`, 'not a record');
      foreign = line;
      continue;
    }
    const problem = linkProblem(position, record);
    if (problem) return fail(at, problem);
    const recovery = recoveryOf(record);
    if (foreign && !recovery) return fail(`${foreign.file}:${foreign.line}`, 'not a record');
    if (recovery !== undefined) {
      recovered.push(`${at}: ${recovery}`);
      mended ??= {at, sequence: record.sequence, why: `it was mended after ${recovery}`, mended: true};
    }
    foreign = undefined;
    position = {sequence: record.sequence, hash: record.hash};
    records++;
  }
  if (foreign) return fail(`${foreign.file}:${foreign.line}`, 'not a record');
  const checked = checkHead(folder, position, records, recovered, fail);
  return checked.broken || !mended ? checked : {...checked, broken: mended};
}

function linkProblem(position: Position, record: LogRecord): string | undefined {
  if (record.sequence !== position.sequence + 1) {
    return `record ${record.sequence} where ${position.sequence + 1} is due: records are missing or moved`;
  }
  if (record.previous !== position.hash) return 'it does not follow the record before it';
  if (record.hash !== digest(record.sequence, record.previous, record.event))
    return 'its content was changed';
  return undefined;
}

function recoveryOf(record: LogRecord): string | undefined {
  if (!record.event.includes('"log.recovered"')) return undefined;
  const event = eventOf(record);
  return event?.type === 'log.recovered' ? `${event.reason} (${event.bytes} bytes)` : undefined;
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
    return records === 0 ? {records, last: position, recovered} : fail('head', 'the head is missing');
  }
  const head = parseHead(text);
  if (!head)
    return text === '' && records === 0 ? {records, last: position, recovered} : fail('head', 'unreadable');
  if (head.sequence > position.sequence) {
    return fail(
      'head',
      `the log ends at record ${position.sequence}, the head says ${head.sequence}: its end was cut`,
    );
  }
  if (head.sequence === position.sequence && head.hash !== position.hash) {
    return fail('head', 'the last record is not the one that the head names');
  }
  // Records beyond the head: written, and stopped before the head was. The next append adopts them.
  return {records, last: position, recovered};
}
