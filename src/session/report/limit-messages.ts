import type {EventBodies} from '../../audit/events.ts';
import {placeOf} from '../../config/read/origin.ts';
import {shownDuration, shownSize} from '../../config/scalars.ts';
import type {Limits} from '../../config/settings.ts';
import type {Message} from '../../errors.ts';
import type {LimitEvent} from '../../sandbox/launch.ts';

interface Kind {
  readonly key: keyof Limits;
  /** An amount of it, as a person would write it. */
  readonly shown: (amount: number) => string;
  /** What has to be known of the number, beside the limit. */
  readonly note?: string;
}

/** By the name in the config, which is also what the launcher calls it. */
const kinds: Readonly<Record<string, Kind>> = {
  timeout: {key: 'timeoutMs', shown: shownDuration},
  memory: {key: 'memoryBytes', shown: shownSize},
  processes: {key: 'processes', shown: String},
  open_files: {key: 'openFiles', shown: String},
  file_size: {key: 'fileSizeBytes', shown: shownSize},
  cpu: {key: 'cpuSeconds', shown: (seconds) => shownDuration(seconds * 1000)},
  disk: {key: 'diskBytes', shown: shownSize, note: '; what others write meanwhile counts too'},
};

/** A limit as the config calls it. */
export function limitName(key: string): string {
  return Object.keys(kinds).find((name) => kinds[name]!.key === key) ?? key;
}

/** What to say of a limit that was passed: which, where it is set, what would allow it. Pure. */
export function limitMessage(event: LimitEvent, limits: Limits): Message {
  const {limit, value, pid = 0} = event;
  const kind = kinds[limit];
  const set = kind && limits[kind.key];
  const most = set && kind.shown(set.value);
  const is = most === undefined ? '' : `, which is ${most}`;
  const reached = kind?.shown(value) ?? `${value}`;
  return {
    text:
      pid === 0
        ? `stopped: the run passed its limit of ${limit}${reached === most ? '' : ` (${reached})`}${is}`
        : `limited: a process (pid ${pid}) met its limit of ${limit}${is}`,
    at: set && placeOf(set.origin),
    help: wouldAllow(limit),
  };
}

function wouldAllow(limit: string): string {
  return `a higher sandbox.limits.${limit} allows it${kinds[limit]?.note ?? ''}`;
}

/** The time limit is the only one that a flag can set too. */
export function timeoutMessage({timeoutMs}: Limits): Message {
  const flag = timeoutMs?.origin.layer === 'flag';
  return {
    text: 'timed out: the whole process tree was ended',
    at: timeoutMs && placeOf(timeoutMs.origin),
    help: flag ? 'a longer --timeout allows it' : '--timeout or sandbox.limits.timeout sets the time',
  };
}

export function limitRecord({limit, pid = 0}: LimitEvent, id: string): EventBodies['sandbox.violation'] {
  return {
    violation_id: id,
    operation: 'limit',
    syscall: null,
    path: null,
    program: null,
    pid: pid === 0 ? null : pid,
    protection: `limits.${limit}`,
    count: 1,
    would_allow: wouldAllow(limit),
  };
}
