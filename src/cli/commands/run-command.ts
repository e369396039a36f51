import {escapeUnsafe} from '../../audit/canonical.ts';
import {IonError, quoted} from '../../errors.ts';
import {parseDuration} from '../../config/scalars.ts';
import type {Decision} from '../../policy/decision.ts';
import {decisionRecord} from '../../policy/decision-record.ts';
import {adviceTo} from '../../session/report/audience.ts';
import {openAuditLog} from '../../session/open-audit-log.ts';
import {checkEncoding, quoteArgv} from '../../session/command-text.ts';
import {openRecorder, sandboxProfile} from '../../session/recorder.ts';
import {openSession, type Host, type Session, type SessionFlags} from '../../session/session.ts';
import {ofNote} from '../../session/report/expected.ts';
import {refusingSettings, violationRecord} from '../../session/report/violations.ts';
import {noTiming} from '../../session/timing.ts';
import {givenConfig} from '../given-config.ts';
import {openEvents} from '../events-stream.ts';
import {eventsFile} from '../events-file.ts';
import {runRecorded} from '../carry-out.ts';
import type {Ended} from '../execute.ts';
import {errorRecord, showError, type ErrorRecord} from '../failure.ts';
import {say, write} from '../output.ts';
import type {RunArguments, RunFlags} from '../run-flags.ts';
import {openSignals} from '../signals.ts';
import type {CommandRun, Made} from '../run-in-progress.ts';
import {writeResultLine} from '../result-line.ts';
import {stateBoundary} from '../state.ts';

/** `ion run`: decides, then refuses the command, or runs it and ends as the command ended. Returns the exit code. */
export async function run({words, argv, options}: RunArguments, host: Host): Promise<number> {
  const made: Made = {};
  try {
    checkEncoding(words);
    const command = argv ? await quoteArgv(words) : words[0]!;
    const audience = options.json ? {audience: 'program' as const} : {};
    return await runCommand({command, options, ...audience}, host, made);
  } catch (error) {
    if (!options.json) throw error;
    const code = showError(error, 'program');
    writeResult(made, code, errorRecord(error, 'program'));
    return code;
  }
}

/** Runs a command that has been read already. Returns the exit code. */
export function runCommand(given: CommandRun, host: Host, made: Made = {}): Promise<number> {
  return carryThrough(given, given.audience === 'program' ? adviceForPrograms(host) : host, made);
}

/** If the reader is a program, the session's warnings name no setting either. */
function adviceForPrograms(host: Host): Host {
  const {warn} = host;
  if (!warn) return host;
  return {
    ...host,
    warn: (problem) =>
      warn(
        typeof problem === 'string'
          ? problem
          : new IonError(problem.message, {at: problem.at, help: adviceTo('program', problem.help)}),
      ),
  };
}

async function carryThrough(given: CommandRun, host: Host, made: Made): Promise<number> {
  const {timing = noTiming} = host;
  const {command, audience, front, script, options = noOptions} = given;
  const stream = openEvents(options.events);
  const flags = {
    for: 'run',
    ...sessionFlags(options),
    ...(audience === undefined ? {} : {audience}),
    ...(front === undefined ? {} : {front}),
    ...(script === undefined ? {} : {script}),
    command,
    reportsExecs: options.events !== undefined,
    eventsFile: eventsFile(options.events),
  } as const;
  const session = (made.session = await openSession(host, flags));
  const recorder = (made.recorder = openRecorder(await openAuditLog(session, (text) => say({text})), stream));
  await stateBoundary(session, recorder);
  const signals = openSignals(() => (made.session ?? session).ending.end());
  const open = (changed: SessionFlags): Promise<Session> => openSession(host, changed);
  const run = {session, flags, recorder, signals, made, given, open};
  let code: number;
  try {
    code = await runRecorded(run, command);
  } finally {
    signals.close();
  }
  timing.mark('finish');
  write(2, timing.report());
  if (options.json) writeResult(made, code, null);
  const {ended, interrupted} = made;
  const isItsOwn = ended?.outcome.signal === 2 && ended.outcome.because === 'itself';
  if (interrupted ? interrupted.signal === 'SIGINT' : isItsOwn) endBySignal();
  return code;
}

const noOptions: RunFlags = {sandbox: true};

export function sessionFlags(options: RunFlags): Omit<SessionFlags, 'for'> {
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout);
  if (options.timeout !== undefined && timeoutMs === undefined) {
    throw new IonError(`--timeout ${quoted(options.timeout)} is not a time`, {
      help: 'write "500ms", "30s", "10m" or a number of seconds',
    });
  }
  return {
    ...(options.read ? {read: true} : {}),
    ...(options.sandbox === false ? {noSandbox: true} : {}),
    ...(timeoutMs === undefined ? {} : {timeoutMs}),
    ...(options.explain ? {explain: true} : {}),
    ...givenConfig(options.config),
    ...(options.set === undefined ? {} : {sets: options.set}),
  };
}

function writeResult(made: Made, code: number, error: ErrorRecord | null): void {
  writeResultLine(escapeUnsafe(JSON.stringify(result(made, code, error))), made.ended !== undefined);
}

/** The result for --json. The keys are the same however the run ended. Null for what does not apply. */
function result(
  {session, recorder, decided, denial, ended, interrupted}: Made,
  code: number,
  error: ErrorRecord | null,
): Readonly<Record<string, unknown>> {
  const outcome = ended?.outcome;
  const runId = recorder?.runId ?? null;
  return {
    run_id: runId,
    exit_code: code,
    signal: interrupted?.number ?? outcome?.signal ?? null,
    timed_out: outcome?.because === 'timeout',
    ended_by: error ? 'error' : interrupted ? 'signal' : (outcome?.because ?? 'decision'),
    processes_left: outcome?.left ?? 0,
    error,
    decision: decided ? recordFor(decided.decision, denial) : null,
    violations: session && ended ? violationRecords(session, ended) : [],
    sandbox: session ? sandboxProfile(session.facts, recorder?.violationRefs()) : null,
    usage: outcome?.usage ?? null,
    connections: outcome?.connections ?? null,
  };
}

function recordFor(decision: Decision, denial: string | undefined): object {
  const record = decisionRecord(decision);
  return {...record, help: adviceTo('program', record.help ?? undefined, denial) ?? null};
}

function violationRecords(session: Session, {violations, others}: Ended): readonly object[] {
  const settings = refusingSettings(session);
  const {expected} = session;
  const records = ofNote(violations).map((one) =>
    violationRecord(one, one.id, settings, {audience: 'program', expected}),
  );
  return [...others, ...records];
}

/** The command or a hook was ended by Ctrl-C. ion dies by SIGINT too, so that a shell script around it also stops. */
function endBySignal(): void {
  process.kill(process.pid, 'SIGINT');
}
