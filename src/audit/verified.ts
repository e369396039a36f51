import type {Message} from '../errors.ts';
import {meaningOf} from '../system/system-errors.ts';
import {canonicalJson} from './canonical.ts';
import {eventSchema} from './events.ts';
import type {AppendFunction} from '../sandbox/linux/native.ts';
import {maxLogFileBytes} from './log.ts';
import {eventOf, readLines} from './read-log.ts';
import type {Verification} from './verify-log.ts';

/**
 * Records what verify found, so that it is still reported when its cause is no longer visible. Does not repeat a record, and does
 * not create a log. Returns why it could not be written.
 */
export function recordVerification(
  folder: string,
  {records, broken}: Verification,
  {append, now}: {readonly append: AppendFunction; readonly now: Date},
): Message | undefined {
  const at = broken?.at ?? null;
  const why = broken?.why ?? null;
  if (records === 0 && !broken) return undefined;
  if (isWritten(folder, at, why)) return undefined;
  const event = {
    schema: eventSchema,
    type: 'log.verified',
    time: now.toISOString(),
    run_id: null,
    intact: !broken,
    records,
    at,
    why,
  };
  try {
    append(folder, [canonicalJson(event)], maxLogFileBytes, true);
    return undefined;
  } catch (error) {
    return {text: `cannot write the result of verify to the log: ${meaningOf(error)}`};
  }
}

/** A finding needs to be recorded once. "Intact" must be the last result in the log. */
function isWritten(folder: string, at: string | null, why: string | null): boolean {
  let written = false;
  for (const {record} of readLines(folder)) {
    const event = record?.event.includes('"log.verified"') ? eventOf(record) : undefined;
    const isSame = event?.type === 'log.verified' && event.at === at && event.why === why;
    written = isSame || (written && why !== null);
  }
  return written;
}
