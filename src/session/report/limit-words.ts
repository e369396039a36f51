import type {EventBodies} from '../../audit/events.ts';
import {locationOf} from '../../config/read/origin.ts';
import {shownDuration, shownSize} from '../../config/scalars.ts';
import type {Limits} from '../../config/settings.ts';
import {limitNamed, limitTable, type Limit, type LimitName} from '../../config/limits.ts';
import type {Message} from '../../errors.ts';
import type {LimitEvent} from '../../sandbox/launch.ts';
import {helpOf, inWords, type Advice} from './setting-advice.ts';

/** An amount in the form that a user would write. */
const shown: Readonly<Record<(typeof limitTable)[Limit]['unit'], (amount: number) => string>> = {
  ms: shownDuration,
  seconds: (seconds) => shownDuration(seconds * 1000),
  bytes: shownSize,
  count: String,
};

/** What the user must know about the number of a limit. */
const notes: {readonly [name in LimitName]?: string} = {disk: '; writes of other processes count too'};

/** How a limit was reached, and where it is set. Pure. */
export function limitText({limit, value, pid = 0}: LimitEvent, limits: Limits): Pick<Message, 'text' | 'at'> {
  const key = limitNamed(limit);
  const show = key === undefined ? String : shown[limitTable[key].unit];
  const set = key && limits[key];
  const most = set && show(set.value);
  const is = most === undefined ? '' : `, which is ${most}`;
  const reached = show(value);
  return {
    text:
      pid === 0
        ? `stopped: the run exceeded its limit of ${limit}${reached === most ? '' : ` (${reached})`}${is}`
        : `limited: a process (pid ${pid}) reached its limit of ${limit}${is}`,
    at: set && locationOf(set.origin),
  };
}

export function limitAdvice(limit: LimitName): Advice {
  return inWords(`raise sandbox.limits.${limit} to allow it${notes[limit] ?? ''}`);
}

export function timeoutText({timeoutMs}: Limits): Pick<Message, 'text' | 'at'> {
  const after = timeoutMs ? ` after ${shownDuration(timeoutMs.value)}` : '';
  return {
    text: `timed out${after}: killed the command and everything it started`,
    at: timeoutMs && locationOf(timeoutMs.origin),
  };
}

/** The time limit is the only one that also has a flag. */
export function timeoutAdvice({timeoutMs}: Limits): Advice {
  return inWords(
    timeoutMs?.origin.layer === 'flag' ? 'raise --timeout' : 'raise sandbox.limits.timeout, or use --timeout',
  );
}

export function limitRecord(
  {limit, pid = 0, pidInside}: LimitEvent,
  id: string,
): EventBodies['sandbox.violation'] {
  return {
    violation_id: id,
    operation: 'limit',
    syscall: null,
    path: null,
    program: null,
    pid: pid === 0 ? null : pid,
    pid_inside: pidInside ?? null,
    protection: `limits.${limit}`,
    count: 1,
    would_allow: helpOf(limitAdvice(limit)),
    rule: null,
    detail: null,
    chain: [],
    chain_complete: false,
    expected: false,
    program_failed: false,
  };
}
