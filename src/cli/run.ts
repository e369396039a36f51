import {exitCodes, quoted} from '../errors.ts';
import {placeOf} from '../config/origin.ts';
import {parseDuration} from '../config/scalars.ts';
import {IonError} from '../errors.ts';
import type {Decision} from '../policy/decision.ts';
import {decisionRecord} from '../policy/record.ts';
import type {Outcome, RunEvent} from '../sandbox/backend.ts';
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
import {openSession, type Host, type Session, type SessionFlags} from '../session/session.ts';
import {gatherViolations, violationMessages, violationRecord} from '../session/violations.ts';
import {noTiming} from '../session/timing.ts';
import {openEvents} from './events.ts';
import {say, write} from './output.ts';
import type {RunArguments, RunFlags} from './program.ts';
import {withSignals} from './signals.ts';

declare const ION_VERSION: string;

/** `ion run`: decide, say why not, or run and end as the command ended. Returns the exit code. */
export async function run({words, argv, options}: RunArguments, host: Host): Promise<number> {
  const startedAt = performance.now();
  const {timing = noTiming} = host;
  checkEncoding(words);
  const command = argv ? await quoteArgv(words) : words[0]!;
  const session = await openSession(host, {
    ...sessionFlags(options),
    tellExecs: options.events !== undefined,
  });
  const recorder = openRecorder(
    openAuditLog(session, (text) => say({text})),
    openEvents(options.events),
  );
  stateBoundary(session, recorder);

  recordStart(recorder, session, command);
  const {action, decision} = await session.settle(command, recorder.emit);
  timing.mark('decide');
  // A hook may have put another command in the place of the one that was asked for.
  const decided = action.command?.text ?? command;
  const outcome =
    decision.effect === 'allow' ? await execute(session, decided, decision, recorder) : undefined;
  if (!outcome) refuse(decision);

  timing.mark('command');
  const code = outcome ? exitCode(outcome) : exitCodes.denied;
  recorder.emit('run.finished', finishedRecord(outcome, code, startedAt));
  recorder.flush();
  timing.mark('finish');
  write(2, timing.report());
  if (options.json) write(2, `${JSON.stringify(result(recorder, session, decision, outcome, code))}\n`);
  if (outcome?.signal === 2 && outcome.because === 'itself') endBySignal();
  return code;
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

/** What differs from an enforced sandbox is said, every time. */
export function stateBoundary({config, facts, machine}: Session, recorder?: Recorder): void {
  for (const {key, value, origin, why, help} of config.ignored) {
    say({
      text: `ignored: ${key} = ${value} (${why})`,
      at: placeOf(origin),
      help,
    });
    recorder?.emit('config.ignored', {key, value, at: `${origin.file ?? ''}:${origin.line ?? 0}`, why});
  }
  if (facts.backend === 'none')
    say({text: 'no sandbox: nothing confines this command, and no path is checked'});
  if (facts.backend === 'app-level' || facts.backend === 'seccomp-only') {
    say({
      text: `no file sandbox here (${machine.missing ?? 'the kernel has no Landlock'}): only paths named in the command are checked`,
      help: '"ion doctor" shows what is missing; sandbox = "require" refuses to run without it',
    });
  }
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

async function execute(
  session: Session,
  command: string,
  decision: Decision,
  recorder: Recorder,
): Promise<Outcome> {
  warnOfDestruction(decision);
  recorder.emit('sandbox.applied', sandboxRecord(session.facts));
  recorder.flush();
  session.host.timing?.mark('record');
  // Orphans of a launcher that somebody killed come to ion, which ends them (orphans.ts).
  session.machine.native?.addon.becomeSubreaper();
  const events: RunEvent[] = [];
  const running = session.start(command, {
    stdio: ['inherit', 'inherit', 'inherit'],
    onEvent: (event) => {
      events.push(event);
      if (event.kind === 'exec')
        recorder.emit('process.exec', {
          pid: event.pid,
          program: event.command.split(' ', 1)[0] ?? '',
          argv: [event.command],
        });
    },
  });
  session.host.timing?.mark('spawn');
  const outcome = await withSignals(running);
  tellEvents(events, recorder);
  if (outcome.because === 'timeout') {
    say({
      text: 'timed out: the whole process tree was ended',
      help: '--timeout or sandbox.limits.timeout sets the time',
    });
  }
  if (outcome.left < 0)
    say({text: 'some processes of the run could not be killed: they are stuck in the kernel'});
  return outcome;
}

/** What happened on the way, as events and as closing lines. */
function tellEvents(events: readonly RunEvent[], recorder: Recorder): void {
  for (const event of events) {
    if (event.kind !== 'limit') continue;
    say({
      text: `stopped: the run passed its limit of ${event.limit} (${event.value})`,
      help: `sandbox.limits.${event.limit} sets it`,
    });
  }
  const violations = gatherViolations(events);
  for (const violation of violations.list) {
    recorder.emit('sandbox.violation', violationRecord(violation, recorder.runId));
  }
  for (const message of violationMessages(violations)) say(message);
}

function refuse({message, help, ruleRefs}: Decision): void {
  const origin = ruleRefs[0]?.origin;
  say({text: message, at: origin && placeOf(origin), help});
}

function warnOfDestruction({destructive}: Decision): void {
  if (!process.stderr.isTTY) return;
  for (const {what, impactScope, rollbackAdvice} of destructive) {
    say({
      text: `destructive: ${what} (${impactScope.map((path) => quoted(path)).join(', ')})`,
      help: rollbackAdvice,
    });
  }
}

/** Codes that are ion's own, else the command's. A limit ends the tree by SIGKILL. */
function exitCode({code, signal, because, asked}: Outcome): number {
  if (because === 'timeout') return exitCodes.timedOut;
  if (because === 'limit') return 128 + 9;
  if (signal === undefined) return code ?? exitCodes.failed;
  return 128 + (because === 'signal' ? asked : signal);
}

function result(
  {runId}: Recorder,
  {facts}: Session,
  decision: Decision,
  outcome: Outcome | undefined,
  code: number,
): Readonly<Record<string, unknown>> {
  return {
    run_id: runId,
    exit_code: code,
    signal: outcome?.signal ?? null,
    timed_out: outcome?.because === 'timeout',
    ended_by: outcome?.because ?? 'decision',
    processes_left: outcome?.left ?? 0,
    decision: decisionRecord(decision),
    sandbox: sandboxRecord(facts).sandbox_profile,
    usage: outcome?.usage ?? null,
  };
}

/** The command died by Ctrl-C: die the same way, so that a shell script around ion ends too. */
function endBySignal(): void {
  process.kill(process.pid, 'SIGINT');
}
