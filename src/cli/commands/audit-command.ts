import {IonError, quoted, renderMessage, visible, withoutControls} from '../../errors.ts';
import {reasons} from '../../policy/reasons.ts';
import {nearest} from '../../system/nearest.ts';
import {canonicalJson} from '../../audit/canonical.ts';
import type {Event} from '../../audit/events.ts';
import {findEvents, type Found, type Query} from '../../audit/query.ts';
import {findRuns, type RunSummary} from '../../audit/runs.ts';
import {recordVerification} from '../../audit/verified.ts';
import {verifyLog} from '../../audit/verify-log.ts';
import type {AppendFunction} from '../../sandbox/linux/native.ts';
import {shownDuration} from '../../config/scalars.ts';
import {isWithin} from '../../system/is-within.ts';
import {asJson, printed, type CliResult} from '../result.ts';

export interface AuditInput {
  readonly verb: 'list' | 'show' | 'tail' | 'verify' | 'export';
  readonly folder: string;
  readonly now: Date;
  /** "2h", "3d", or a date. */
  readonly since?: string;
  readonly decision?: string;
  readonly reason?: string;
  readonly violations?: boolean;
  /** The run to show: its id, or a prefix of it. */
  readonly run?: string;
  /** How many events `tail` shows. */
  readonly count?: number;
  /** How many runs `list` shows at most: the latest ones that match. */
  readonly limit?: number;
  /** Only runs that were started in this folder or below it. */
  readonly here?: string;
  /** How verify records its result. Absent: it does not. */
  readonly append?: AppendFunction;
  readonly json?: boolean;
}

/**
 * `ion audit`: reads and checks the log. Prints text for people, or with --json the events as they are in the log,
 * one per line.
 */
export function runAudit(input: AuditInput): CliResult {
  const verbs = {list, show, tail, verify, export: exported};
  return verbs[input.verb](input);
}

/** More than a person reads. JSON is for programs, which get everything unless they pass a limit. */
const listedByDefault = 100;

/** One line per run, oldest first. */
function list(input: AuditInput): CliResult {
  const {limit = input.json ? Infinity : listedByDefault, here, json} = input;
  checkCount(limit);
  const {since, decision, reason, violations} = queryOf(input);
  const runs = findRuns(input.folder, {
    ...(since === undefined ? {} : {since}),
    ...(decision === undefined ? {} : {decision}),
    ...(reason === undefined ? {} : {reason}),
    ...(violations ? {violations} : {}),
    ...(here === undefined ? {} : {isHere: (folder: string) => isWithin(folder, here)}),
  });
  const kept = runs.slice(-limit);
  const stdout = kept.map((run) => `${json ? canonicalJson(runRecord(run)) : runLine(run)}\n`).join('');
  const left = runs.length - kept.length;
  if (left === 0 || json) return printed(stdout);
  const older = `ion: ${left} older runs are not shown\nhelp: "ion audit list --limit ${runs.length}" shows all; --here and --since filter\n`;
  return {...printed(stdout), stderr: older};
}

function runRecord({run, exitCode, durationMs, ...others}: RunSummary): object {
  return {run_id: run, exit_code: exitCode, duration_ms: durationMs, ...others};
}

function runLine(run: RunSummary): string {
  return safely(() =>
    [
      run.started,
      run.run.slice(0, 8),
      run.exitCode === null ? 'no end' : `exit ${run.exitCode}`,
      run.durationMs === null ? '-' : shownDuration(run.durationMs),
      run.decision === 'deny' ? `denied ${run.reason}` : `${run.refusals} refused`,
      quoted(run.folder, 200),
      quoted(run.command, 80),
    ].join('  '),
  );
}

function tail(input: AuditInput): CliResult {
  return lines(latest(input, input.count ?? 20), input);
}

/** Every event as it is in the log, one JSON object per line, for other programs. */
function exported(input: AuditInput): CliResult {
  return lines(latest(input, Infinity), {...input, json: true});
}

function checkCount(count: number): void {
  if (!(count >= 1) || (count !== Infinity && !Number.isInteger(count))) {
    throw new IonError('the number must be 1 or more');
  }
}

/** The last events that match. */
function latest(input: AuditInput, count: number): Found[] {
  checkCount(count);
  const kept: Found[] = [];
  for (const found of findEvents(input.folder, queryOf(input))) {
    kept.push(found);
    if (kept.length > count) kept.shift();
  }
  return kept;
}

function show(input: AuditInput): CliResult {
  const run = input.run ?? '';
  if (!/^[\da-f-]{4,}$/i.test(run)) {
    throw new IonError(`${quoted(run)} is not the id of a run`, {
      help: '"ion audit list" shows the ids; the first four characters are enough',
    });
  }
  const found = [...findEvents(input.folder, {runId: run.toLowerCase()})];
  const runs = new Set(found.map(({event}) => event.run_id));
  if (runs.size === 0) throw new IonError(`there is no run ${quoted(run)} in the log`);
  if (runs.size > 1) {
    throw new IonError(`${quoted(run)} matches the ids of ${runs.size} runs`, {
      help: [...runs].slice(0, 5).map(shown).join(', '),
    });
  }
  if (input.json) return lines(found, input);
  const texts = found.map(
    ({sequence, event}) => `${sequence}  ${shown(event.time)}  ${shown(event.type)}\n${fields(event)}`,
  );
  return printed(texts.join(''));
}

function verify({folder, json, append, now}: AuditInput): CliResult {
  const found = verifyLog(folder);
  const {records, last, broken, recovered} = found;
  const exitCode = broken ? 1 : 0;
  const unwritten = append && recordVerification(folder, found, {append, now});
  if (json) {
    const head = {sequence: last.sequence, hash: last.hash};
    return asJson({intact: !broken, records, last: head, broken: broken ?? null, recovered}, exitCode);
  }
  const notes = recovered.map((note) => `note: ${visible(note)}\n`).join('');
  if (!broken)
    return {
      exitCode,
      stdout: `${notes}intact: ${records} records, the last is ${last.sequence} ${last.hash}\n`,
      stderr: unwritten ? renderMessage(unwritten) : '',
    };
  const stderr = renderMessage({
    text: `the audit log is broken at record ${broken.sequence}: ${broken.why}`,
    at: {file: `${folder}/${broken.at}`},
    help: broken.mended
      ? 'earlier records may be missing because of a crash or a deletion; the chain is intact from there on'
      : 'the records before it are intact',
  });
  return {exitCode, stdout: notes, stderr: `${stderr}${unwritten ? renderMessage(unwritten) : ''}`};
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

/** Refuses a word that cannot match anything: an empty answer would suggest that there are no such events. */
function known(word: string, what: string, words: readonly string[]): string {
  if (words.includes(word)) return word;
  const meant = nearest(word, words);
  const help = meant === undefined ? `one of: ${words.join(', ')}` : `did you mean ${quoted(meant)}?`;
  throw new IonError(`${quoted(word)} is not a ${what}`, {help});
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
    throw new IonError(`${quoted(text)} is not a time`, {help: 'use "2h", "3d" or a date like 2026-01-31'});
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

/** Escapes text from the log, names included: another process may have edited the file. */
function shown(text: unknown): string {
  return quoted(String(text)).slice(1, -1);
}

/** A record may be of another version, or edited. A missing field in it must not hide the other records. */
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
      // A limit has no path. A finding after the run has no program.
      return `  ${event.operation} ${quoted(String(event.path ?? event.protection), 80)}${byWhom(event.program)}`;
    case 'config.ignored':
      return `  ${quoted(`${event.key} = ${event.value}`, 80)} (${event.at})`;
    case 'hook.finished':
      return `  ${event.outcome}  ${quoted(event.command, 80)}`;
    case 'step.written':
      return `  ${event.variable}`;
    case 'process.exec':
      return `  ${quoted(event.program, 80)}`;
    case 'run.finished':
      return `  exit ${event.exit_code}`;
    case 'log.recovered':
      return `  ${event.reason}`;
    case 'log.verified':
      return `  ${event.intact ? 'intact' : quoted(`${event.at}: ${event.why}`, 200)}`;
    case 'log.pruned':
      return `  ${event.records} records`;
  }
}

function byWhom(program: string | null): string {
  return program ? ` by ${quoted(program, 80)}` : '';
}

/** Every field of an event except those of the headline, one per line, escaped. */
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
