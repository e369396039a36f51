import {exitCodes, IonError, quoted} from '../errors.ts';
import {parseDuration} from '../config/scalars.ts';
import {decisionRecord} from '../policy/record.ts';
import type {Outcome} from '../sandbox/backend.ts';
import {openAuditLog} from '../session/audit.ts';
import {checkEncoding, quoteArgv} from '../session/command.ts';
import {
  actionRecord,
  finishedRecord,
  openRecorder,
  permissionStateRecord,
  sandboxRecord,
  type Recorder,
} from '../session/recorder.ts';
import {openSession, type Host, type Session, type SessionFlags, type Settled} from '../session/session.ts';
import {isProbe, refusingSettings, violationRecord} from '../session/violations.ts';
import {noTiming} from '../session/timing.ts';
import {openEvents} from './events.ts';
import {execute, type Ended} from './execute.ts';
import {say, write} from './output.ts';
import type {RunArguments, RunFlags} from './program.ts';
import {refuse, stateBoundary, warnOfDestruction} from './state.ts';
import {monotonicMs} from '../clock.ts';

declare const ION_VERSION: string;

/** `ion run`: decide, say why not, or run and end as the command ended. Returns the exit code. */
export async function run({words, argv, options}: RunArguments, host: Host): Promise<number> {
  const startedAt = monotonicMs();
  const {timing = noTiming} = host;
  checkEncoding(words);
  const command = argv ? await quoteArgv(words) : words[0]!;
  const flags = {...sessionFlags(options), command, tellExecs: options.events !== undefined};
  const session = await openSession(host, flags);
  const stream = openEvents(options.events);
  const recorder = openRecorder(await openAuditLog(session, (text) => say({text})), stream);
  await stateBoundary(session, recorder);
  recordStart(recorder, session, command);
  let settled: Settled | undefined;
  let ended: Ended | undefined;
  let code: number = exitCodes.failed;
  try {
    settled = await session.settle(command, recorder.emit);
    timing.mark('decide');
    ended = await carryOut(settled, session, flags, recorder);
    timing.mark('command');
    code = ended ? exitCode(ended.outcome) : exitCodes.denied;
  } finally {
    // Also when the set-up failed: a run that is in the log as started is there as finished.
    recorder.emit('run.finished', finishedRecord(ended?.outcome, code, startedAt));
    recorder.flush();
  }
  timing.mark('finish');
  write(2, timing.report());
  if (options.json) write(2, `${JSON.stringify(result(recorder, session, settled, ended, code))}\n`);
  if (ended?.outcome.signal === 2 && ended.outcome.because === 'itself') endBySignal();
  return code;
}

/** Run what was allowed; undefined when it was not. */
async function carryOut(
  {action, decision}: Settled,
  session: Session,
  flags: SessionFlags,
  recorder: Recorder,
): Promise<Ended | undefined> {
  if (decision.effect !== 'allow') {
    refuse(decision);
    return undefined;
  }
  await warnOfDestruction(decision);
  // A hook may have put another command in the place of the one that was asked for.
  const command = action.command!.text;
  await session.notify('SessionStart', recorder.emit);
  let ended = await execute(session, command, recorder);
  if (session.config.settings.approval.value === 'on_failure' && ended.violations.length > 0) {
    const {offerAgain} = await import('./on-failure.ts');
    ended = (await offerAgain(session, flags, command, ended, recorder)) ?? ended;
  }
  if (session.facts.enforced && hasFailed(ended.outcome)) {
    const {sayWhatIsClosed} = await import('./closed.ts');
    sayWhatIsClosed(
      session,
      action,
      ended.violations.some((one) => !isProbe(one)),
    );
  }
  await session.notify('PostToolUse', recorder.emit, {
    after: {command, exitCode: exitCode(ended.outcome)},
  });
  await session.notify('Stop', recorder.emit);
  return ended;
}

export function sessionFlags(options: RunFlags): SessionFlags {
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
    ...(options.config === undefined ? {} : {configFile: options.config}),
  };
}

function recordStart(recorder: Recorder, {config}: Session, command: string): void {
  recorder.emit('run.started', {
    ion_version: ION_VERSION,
    pid: process.pid,
    cwd: process.cwd(),
    action: actionRecord(command),
    permission_state: permissionStateRecord(config),
  });
}

/** By itself, and not because there is no such program. */
function hasFailed({code, because}: Outcome): boolean {
  return because === 'itself' && code !== undefined && code !== 0 && code !== 127;
}

/** Codes that are ion's own, else the command's. A limit ends the tree by SIGKILL. */
function exitCode({code, signal, because, asked, left}: Outcome): number {
  // A run that may not be over is no success.
  if (left < 0 && code === 0) return exitCodes.failed;
  if (because === 'timeout') return exitCodes.timedOut;
  if (because === 'limit') return 128 + 9;
  if (signal === undefined) return code ?? exitCodes.failed;
  return 128 + (because === 'signal' ? asked : signal);
}

function result(
  {runId}: Recorder,
  {facts, config, host}: Session,
  settled: Settled,
  ended: Ended | undefined,
  code: number,
): Readonly<Record<string, unknown>> {
  const outcome = ended?.outcome;
  const settings = refusingSettings(config, host.environment['HOME']);
  return {
    run_id: runId,
    exit_code: code,
    signal: outcome?.signal ?? null,
    timed_out: outcome?.because === 'timeout',
    ended_by: outcome?.because ?? 'decision',
    processes_left: outcome?.left ?? 0,
    decision: decisionRecord(settled.decision),
    violations: (ended?.violations ?? []).map((violation) => violationRecord(violation, runId, settings)),
    sandbox: sandboxRecord(facts).sandbox_profile,
    usage: outcome?.usage ?? null,
  };
}

/** The command died by Ctrl-C: die the same way, so that a shell script around ion ends too. */
function endBySignal(): void {
  process.kill(process.pid, 'SIGINT');
}
