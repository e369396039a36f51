import type {EventBodies} from '../../audit/events.ts';
import {locationOf} from '../../config/read/origin.ts';
import {renderToml} from '../../config/read/render.ts';
import {shownDuration, shownSize, wholeSize} from '../../config/scalars.ts';
import {setOptionFor} from '../../config/set-option.ts';
import type {LayerKind, Limits, Origin} from '../../config/settings.ts';
import {limitNamed, limitTable, type Limit, type LimitName} from '../../config/limits.ts';
import {visible, type Message} from '../../errors.ts';
import type {LimitEvent} from '../../sandbox/run-event.ts';
import {helpOf, inWords, type Advice} from './setting-advice.ts';

/** An amount in the form that a user would write. */
const shown: Readonly<Record<(typeof limitTable)[Limit]['unit'], (amount: number) => string>> = {
  ms: shownDuration,
  seconds: (seconds) => shownDuration(seconds * 1000),
  bytes: shownSize,
  count: String,
};

/** A note about the number of a limit that the user must know. */
const notes: {readonly [name in LimitName]?: string} = {disk: '; writes of other processes count too'};

/** The way in which a limit was reached, and the place where it is set. Pure. */
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

/** A limit in one of these layers may be untrusted: higher layers can only lower it. */
const ofProjects: ReadonlySet<LayerKind> = new Set(['environment', 'project-local', 'project']);

/** Twice the limit, for this run and where the limit is set. */
export function limitAdvice(limit: LimitName, limits: Limits): Advice {
  const key = `sandbox.limits.${limit}`;
  const row = limitNamed(limit);
  const set = row && limits[row];
  const note = notes[limit] ?? '';
  if (!set) return inWords(`raise ${key} to allow it${note}`);
  const more = raised[limitTable[row].unit](2 * set.value);
  return inWords(
    `${formsToRaise(key, more, set.origin, limit === 'timeout' ? `--timeout ${more}` : setOptionFor(key, more))}${note}`,
  );
}

/** At least this amount, in the form that a user would write: `90s`, `3G`, `300`. */
const raised: Readonly<Record<(typeof limitTable)[Limit]['unit'], (amount: number) => string | number>> = {
  ms: shownDuration,
  seconds: (seconds) => shownDuration(seconds * 1000),
  bytes: wholeSize,
  count: Number,
};

function formsToRaise(key: string, value: string | number, {layer, file}: Origin, option: string): string {
  const line = `${key} = ${renderToml(value, Infinity)}`;
  if (ofProjects.has(layer)) return `write: ${line} in ${visible(file ?? layer)}`;
  const forRun = `for this run: ${option}`;
  if (file === undefined || layer === 'set') return forRun;
  return `${forRun}; for all: ${line} in ${layer === 'machine' ? '~/.ion/config.toml' : visible(file)}`;
}

export function timeoutText({timeoutMs}: Limits): Pick<Message, 'text' | 'at'> {
  const after = timeoutMs ? ` after ${shownDuration(timeoutMs.value)}` : '';
  return {
    text: `timed out${after}: killed the command and everything it started`,
    at: timeoutMs && locationOf(timeoutMs.origin),
  };
}

export function limitRecord(
  {limit, pid = 0, pidInside}: LimitEvent,
  id: string,
  limits: Limits,
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
    would_allow: helpOf(limitAdvice(limit, limits)),
    rule: null,
    detail: null,
    name: null,
    address: null,
    port: null,
    chain: [],
    chain_complete: false,
    expected: false,
    program_failed: false,
  };
}
