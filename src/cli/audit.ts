import {IonError, quoted, renderMessage, withoutControls} from '../errors.ts';
import {reasons} from '../policy/reasons.ts';
import {nearest} from '../config/nearest.ts';
import {canonicalJson} from '../audit/canonical.ts';
import type {Event} from '../audit/events.ts';
import {findEvents, type Found, type Query} from '../audit/query.ts';
import {verifyLog} from '../audit/verify.ts';
import {asJson, printed, type CliResult} from './result.ts';

export interface AuditInput {
  readonly verb: 'list' | 'show' | 'tail' | 'verify';
  readonly folder: string;
  readonly now: Date;
  /** "2h", "3d", or a date. */
  readonly since?: string;
  readonly decision?: string;
  readonly reason?: string;
  readonly violations?: boolean;
  /** The run to show: its id, or the beginning of it. */
  readonly run?: string;
  /** How many events `tail` shows. */
  readonly count?: number;
  /** How many events `list` shows at most, of those that are asked for the latest. */
  readonly limit?: number;
  readonly json?: boolean;
}

/** `ion audit`: read and check the log. Text for people; with --json the events as they stand there, one a line. */
export function runAudit(input: AuditInput): CliResult {
  const verbs = {list, show, tail, verify};
  return verbs[input.verb](input);
}

/** More than a person reads; JSON is for programs, which get all that they do not bound themselves. */
const listedByDefault = 100;

function list(input: AuditInput): CliResult {
  const {kept, left} = latest(input, input.limit ?? (input.json ? Infinity : listedByDefault));
  const listed = lines(kept, input);
  if (left === 0 || input.json) return listed;
  const older = `ion: ${left} older events are not shown\nhelp: "ion audit list --limit ${left + kept.length}" shows all, --since and --decision choose\n`;
  return {...listed, stderr: older};
}

function tail(input: AuditInput): CliResult {
  return lines(latest(input, input.count ?? 20).kept, input);
}

/** The last events that are asked for, and how many there are before them. */
function latest(input: AuditInput, count: number): {readonly kept: readonly Found[]; readonly left: number} {
  if (!(count >= 1) || (count !== Infinity && !Number.isInteger(count))) {
    throw new IonError('the number of events must be 1 or more');
  }
  const kept: Found[] = [];
  let left = 0;
  for (const found of findEvents(input.folder, queryOf(input))) {
    kept.push(found);
    if (kept.length <= count) continue;
    kept.shift();
    left++;
  }
  return {kept, left};
}

function show(input: AuditInput): CliResult {
  const run = input.run ?? '';
  if (!/^[\da-f-]{4,}$/i.test(run)) {
    throw new IonError(`${quoted(run)} is no run`, {
      help: '"ion audit list" shows the ids; four characters are enough',
    });
  }
  const found = [...findEvents(input.folder, {runId: run.toLowerCase()})];
  const runs = new Set(found.map(({event}) => event.run_id));
  if (runs.size === 0) throw new IonError(`there is no run ${quoted(run)} in the log`);
  if (runs.size > 1) {
    throw new IonError(`${quoted(run)} is the beginning of ${runs.size} runs`, {
      help: [...runs].slice(0, 5).map(shown).join(', '),
    });
  }
  if (input.json) return lines(found, input);
  const texts = found.map(
    ({sequence, event}) => `${sequence}  ${shown(event.time)}  ${shown(event.type)}\n${fields(event)}`,
  );
  return printed(texts.join(''));
}

function verify({folder, json}: AuditInput): CliResult {
  const {records, last, broken, recovered} = verifyLog(folder);
  const exitCode = broken ? 1 : 0;
  if (json) {
    const head = {sequence: last.sequence, hash: last.hash};
    return asJson({intact: !broken, records, last: head, broken: broken ?? null, recovered}, exitCode);
  }
  if (!broken) return printed(`intact: ${records} records, the last is ${last.sequence} ${last.hash}\n`);
  const stderr = renderMessage({
    text: `the audit log does not hold at record ${broken.sequence}: ${broken.why}`,
    at: {file: `${folder}/${broken.at}`},
    help: broken.mended
      ? 'what stood before it may be cut, by somebody or by a crash; from there on the chain holds'
      : 'the records before it are as they were written',
  });
  const notes = recovered.map((note) => `note: mended at ${note}\n`).join('');
  return {exitCode, stdout: notes, stderr};
}

function queryOf({since, decision, reason, violations, now}: AuditInput): Query {
  return {
    ...(since === undefined ? {} : {since: parseSince(since, now)}),
    ...(decision === undefined
      ? {}
      : {decision: known(decision, 'decision', ['allow', 'ask', 'deny', 'unavailable'])}),
    ...(reason === undefined ? {} : {reason: known(reason, 'reason code', Object.keys(reasons))}),
    ...(violations ? {violations} : {}),
  };
}

/** An answer of nothing to a word that nothing can match would say that there is nothing. */
function known(word: string, what: string, words: readonly string[]): string {
  if (words.includes(word)) return word;
  const meant = nearest(word, words);
  const help = meant === undefined ? `there is ${words.join(', ')}` : `did you mean ${quoted(meant)}?`;
  throw new IonError(`${quoted(word)} is no ${what}`, {help});
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

function parseSince(text: string, now: Date): number {
  const [, amount, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const time = unit === undefined ? Date.parse(text) : now.getTime() - Number(amount) * unitMs[unit]!;
  if (!Number.isFinite(time)) {
    throw new IonError(`${quoted(text)} is no time`, {help: 'use "2h", "3d" or a date like 2026-01-31'});
  }
  return time;
}

function lines(found: readonly Found[], {json}: AuditInput): CliResult {
  const texts = found.map((one) => (json ? canonicalJson({seq: one.sequence, ...one.event}) : summary(one)));
  return printed(texts.map((text) => `${text}\n`).join(''));
}

function summary({sequence, event}: Found): string {
  const run = String(event.run_id ?? '')
    .slice(0, 8)
    .padEnd(8);
  return `${sequence}  ${shown(event.time)}  ${run}  ${shown(event.type)}${safely(() => about(event))}`;
}

/** What stands in the log is from outside, its names too: somebody may have edited it. */
function shown(text: unknown): string {
  return quoted(String(text)).slice(1, -1);
}

/** A record may be of another version, or edited: what it lacks must not hide the others. */
function safely(render: () => string): string {
  try {
    return withoutControls(render() ?? '');
  } catch {
    return '  (fields are missing)';
  }
}

function about(event: Event): string {
  switch (event.type) {
    case 'run.started':
      return `  ${quoted(event.action.command ?? event.action.tool, 80)}`;
    case 'permission.evaluated':
      return `  ${event.decision} ${event.decision_reason}  ${quoted(event.action.command ?? event.action.tool, 80)}`;
    case 'permission.requested':
      return `  ${event.decision_reason}`;
    case 'permission.resolved':
      return `  ${event.resolution} (${event.scope})`;
    case 'sandbox.applied':
      return `  ${event.sandbox_profile.backend}`;
    case 'sandbox.violation':
      // A limit has no path, and nobody was seen at what was found after the run.
      return `  ${event.operation} ${quoted(String(event.path ?? event.protection), 80)}${byWhom(event.program)}`;
    case 'config.ignored':
      return `  ${quoted(`${event.key} = ${event.value}`, 80)} (${event.at})`;
    case 'hook.finished':
      return `  ${event.outcome}  ${quoted(event.command, 80)}`;
    case 'process.exec':
      return `  ${quoted(event.program, 80)}`;
    case 'run.finished':
      return `  exit ${event.exit_code}`;
    case 'log.recovered':
      return `  ${event.reason}`;
  }
}

function byWhom(program: string | null): string {
  return program ? ` by ${quoted(program, 80)}` : '';
}

/** Every field of an event but those of the headline, one a line, escaped. */
function fields(event: Event): string {
  const headline = new Set(['schema', 'type', 'time', 'run_id']);
  return Object.entries(event)
    .filter(([name]) => !headline.has(name))
    .map(
      ([name, value]) =>
        `    ${shown(name)}: ${typeof value === 'string' ? quoted(value, 2000) : canonicalJson(value)}\n`,
    )
    .join('');
}
