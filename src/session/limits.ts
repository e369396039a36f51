import type {EventBodies} from '../audit/events.ts';
import {placeOf} from '../config/origin.ts';
import type {Limits} from '../config/settings.ts';
import type {Message} from '../errors.ts';
import type {LimitEvent} from '../sandbox/backend.ts';

interface Kind {
  readonly key: keyof Limits;
  readonly unit: string;
  /** What has to be known of the number, beside the limit. */
  readonly note?: string;
}

/** By the name in the config, which is also what the launcher calls it. */
const kinds: Readonly<Record<string, Kind>> = {
  timeout: {key: 'timeoutMs', unit: ' ms'},
  memory: {key: 'memoryBytes', unit: ' bytes'},
  processes: {key: 'processes', unit: ''},
  open_files: {key: 'openFiles', unit: ''},
  file_size: {key: 'fileSizeBytes', unit: ' bytes'},
  cpu: {key: 'cpuSeconds', unit: ' s'},
  disk: {key: 'diskBytes', unit: ' bytes', note: '; what others write meanwhile counts too'},
};

/** What to say of a limit that was passed: which, where it is set, what would allow it. Pure. */
export function limitMessage(event: LimitEvent, limits: Limits): Message {
  const {limit, value, pid = 0} = event;
  const kind = kinds[limit];
  const set = kind && limits[kind.key];
  const is = set ? `, which is ${set.value}${kind.unit}` : '';
  return {
    text:
      pid === 0
        ? `stopped: the run passed its limit of ${limit} (${value})${is}`
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

export function limitRecord(
  {limit, pid = 0}: LimitEvent,
  number: number,
  runId: string,
): EventBodies['sandbox.violation'] {
  return {
    violation_id: `${runId}-limit-${number}`,
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
