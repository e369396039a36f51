import {escapeUnsafe} from '../../audit/canonical.ts';
import {exitCodes, IonError, quoted} from '../../errors.ts';
import {parseDuration} from '../../config/scalars.ts';
import {isApprovedAsRead} from '../../policy/approved-as-read.ts';
import type {Decided, Decision} from '../../policy/decision.ts';
import {decisionRecord} from '../../policy/decision-record.ts';
import type {Outcome} from '../../sandbox/launch.ts';
import {adviceTo} from '../../session/report/audience.ts';
import {openAuditLog} from '../../session/open-audit-log.ts';
import {checkEncoding, quoteArgv} from '../../session/command-text.ts';
import {finishedRecord, openRecorder, sandboxRecord} from '../../session/recorder.ts';
import {exitCode, recordStart} from '../../session/run-record.ts';
import {openSession, type Host, type Session, type SessionFlags} from '../../session/session.ts';
import {isExpected, isProbe, ofNote} from '../../session/report/expected.ts';
import {refusingSettings, violationRecord} from '../../session/report/violations.ts';
import {noTiming} from '../../session/timing.ts';
import {givenConfig} from '../given-config.ts';
import {openEvents} from '../events-stream.ts';
import {eventsFile} from '../events-file.ts';
import {execute, type Ended} from '../execute.ts';
import {errorRecord, showError, type ErrorRecord} from '../failure.ts';
import {say, write} from '../output.ts';
import type {RunArguments, RunFlags} from '../program.ts';
import {Interrupted, openSignals} from '../signals.ts';
import {refuseIn, type CommandRun, type Made, type Run} from '../run-in-progress.ts';
import {shellStart} from '../shell-start.ts';
import {writeResultLine} from '../result-line.ts';
import {sayWhatWasEnded, stateBoundary, warnOfDestruction} from '../state.ts';
import {monotonicMs} from '../../system/clock.ts';

declare const ION_VERSION: string;

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

/** For a program the session's warnings also name no setting. */
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
  const startedAt = monotonicMs();
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
  recordStart(recorder, session, command, ION_VERSION);
  let code: number = exitCodes.failed;
  try {
    const decided = (made.decided = await signals.orEnd(() => session.decide(command, recorder.emit)));
    timing.mark('decide');
    await carryOut(decided, {session, flags, recorder, signals, made, given});
    timing.mark('command');
    code = made.ended ? exitCode(made.ended.outcome) : exitCodes.denied;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    made.interrupted = error;
    code = 128 + error.number;
  } finally {
    // This also runs when the set-up failed, so that each run that the log has as started also finishes.
    const {ended, interrupted} = made;
    const violationRefs = recorder.violationRefs();
    recorder.emit(
      'run.finished',
      finishedRecord({...ended, interrupted, code, startedAt, violationRefs, denial: made.denial}),
    );
    recorder.flush();
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

/** Runs a command that was allowed. `made.ended` stays undefined if it did not run. */
async function carryOut({action, decision}: Decided, run: Run): Promise<void> {
  const {recorder, signals, made} = run;
  if (decision.effect !== 'allow') return refuseIn(run, decision);
  await warnOfDestruction(decision);
  const reads = isApprovedAsRead(decision, run.session.config.settings.approval.value);
  const session = (made.session = reads ? run.session : await withNetwork(run, {action, decision}));
  // A hook may have replaced the command.
  const command = action.command!.text;
  await signals.orEnd(() => session.notify('SessionStart', recorder.emit));
  const runner = reads ? await session.reader() : session;
  let ended = (made.ended = await execute(
    runner,
    command,
    recorder,
    signals,
    shellStart(run.given, command),
  ));
  if (reads && hasFailed(ended.outcome)) {
    const {afterRefusedWrite} = await import('../refused-write.ts');
    ended = made.ended = (await afterRefusedWrite(run, {action, decision}, ended)) ?? ended;
  }
  const wasStopped = ended.violations.length > 0 || hasFailed(ended.outcome);
  if (session.config.settings.approval.value === 'on_failure' && wasStopped) {
    const {offerAgain} = await import('../on-failure.ts');
    ended = made.ended = (await signals.orEnd(() => offerAgain(run, action, ended))) ?? ended;
  }
  const again = reads ? undefined : await askForNetwork(run, {action, decision}, ended);
  if (again) ended = made.ended = again;
  sayWhatWasEnded(ended.outcome, action);
  if (session.facts.enforced && hasFailed(ended.outcome)) {
    const {sayWhatIsClosed} = await import('../say-hints.ts');
    sayWhatIsClosed(
      session,
      action,
      ended.violations.filter((one) => !isProbe(one) && !isExpected(one, session.expected)),
    );
  }
  const after = {command, exitCode: exitCode(ended.outcome)};
  await signals.orEnd(() => session.notify('PostToolUse', recorder.emit, {after}));
  await signals.orEnd(() => session.notify('Stop', recorder.emit));
}

/** The session for the command: with the network if it was approved, where the approval mode asks for it. */
async function withNetwork({session, flags}: Run, decided: Decided): Promise<Session> {
  return (await session.approvesNetwork(decided))
    ? openSession(session.host, {...flags, networkApproved: true})
    : session;
}

/**
 * The command failed after it was refused the network, which was never asked for. Asks now, and runs it once more
 * after a yes.
 */
async function askForNetwork(run: Run, decided: Decided, ended: Ended): Promise<Ended | undefined> {
  const {flags, recorder, signals, made, given} = run;
  const session = made.session!;
  const refused = ended.violations.some(
    (one) => one.rule === 'network' && !isExpected(one, session.expected),
  );
  if (!refused || !hasFailed(ended.outcome)) return undefined;
  const asked = await signals.orEnd(() => session.decideNetwork(decided, recorder.emit));
  if (!asked) return undefined;
  if (asked.effect !== 'allow') {
    refuseIn(run, asked);
    return undefined;
  }
  const again = (made.session = await openSession(session.host, {...flags, networkApproved: true}));
  const {text} = decided.action.command!;
  return execute(again, text, recorder, signals, shellStart(given, text));
}

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

/** True if the command itself failed. Exit 127 means that there is no such program. */
function hasFailed({code, because}: Outcome): boolean {
  return because === 'itself' && code !== undefined && code !== 0 && code !== 127;
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
    sandbox: session ? sandboxRecord(session.facts, recorder?.violationRefs()).sandbox_profile : null,
    usage: outcome?.usage ?? null,
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
