import type {AuditLog} from '../audit/log.ts';
import type {EventBodies} from '../audit/events.ts';
import {isApprovedAsRead} from '../policy/approved-as-read.ts';
import {decisionRecord} from '../policy/decision-record.ts';
import type {Outcome, Running, Stdio} from '../sandbox/launch.ts';
import {
  openRecorder,
  finishedRecord,
  sandboxApplied,
  sandboxProfile,
  type Recorder,
  type Stream,
} from '../session/recorder.ts';
import {adviceTo} from '../session/report/audience.ts';
import {ofNote} from '../session/report/expected.ts';
import {refusingSettings, violationRecord} from '../session/report/violations.ts';
import {collectRefusals, type RefusalCollector} from '../session/run-refusals.ts';
import {exitCode, recordStart} from '../session/run-record.ts';
import type {Decided} from '../policy/decision.ts';
import type {Session} from '../session/session.ts';
import {monotonicMs} from '../system/clock.ts';
import {exitCodes} from '../errors.ts';
import {commandError, type ErrorFields} from './command-error.ts';
import type {Decision, Denial, Facts} from './types.ts';

/** One command of a session, with the log and the stream that get its records. */
export interface RunInput {
  readonly session: Session;
  readonly command: string;
  /** Canonical. */
  readonly cwd: string;
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  readonly timeoutMs?: number | undefined;
  readonly killSignal: NodeJS.Signals;
  readonly log: AuditLog | undefined;
  readonly stream: Stream;
  /** The SessionStart hooks run before the session's first command. */
  readonly isFirst: boolean;
  /** Opens the session with network. Used when the approval of this command also allows the network. */
  readonly withNetwork: () => Promise<Session>;
}

/** A command that was started. */
export interface StartedRun {
  readonly running: Running;
  /** Rejects if the set-up failed. */
  readonly ended: Promise<EndedRun>;
}

/** The result of a run, without its output. */
export interface EndedRun extends Pick<ErrorFields, 'facts' | 'denials' | 'decision'> {
  readonly outcome: Outcome;
}

declare const ION_VERSION: string;

/** A run that is not started yet. Its id is the first entry in the log. */
export interface OneRun {
  readonly runId: string;
  /**
   * Decides and starts. Returns undefined if the command was killed before it started. Throws a `CommandError` if the command is
   * denied, and an IonError if the boundary cannot be set up.
   */
  start(isKilled: () => boolean): Promise<StartedRun | undefined>;
}

export function openRun(input: RunInput): OneRun {
  const recorder = openRecorder(input.log, input.stream);
  return {runId: recorder.runId, start: (isKilled) => startRun(input, recorder, isKilled)};
}

async function startRun(
  input: RunInput,
  recorder: Recorder,
  isKilled: () => boolean,
): Promise<StartedRun | undefined> {
  const startedAt = monotonicMs();
  const {session, command, cwd} = input;
  recordStart(recorder, session, command, ION_VERSION, cwd);
  const finish = (fields: Partial<Parameters<typeof finishedRecord>[0]> & {readonly code: number}): void => {
    recorder.emit(
      'run.finished',
      finishedRecord({
        interrupted: undefined,
        denial: undefined,
        violationRefs: recorder.violationRefs(),
        startedAt,
        ...fields,
      }),
    );
    recorder.flush();
  };
  try {
    const decided = await session.decide(command, recorder.emit, cwd);
    if (decided.decision.effect !== 'allow') throw denied(decided, input, recorder);
    const runner = await runnerFor(decided, input);
    if (input.isFirst) await session.notify('SessionStart', recorder.emit);
    if (isKilled()) {
      finish({code: exitCodes.failed});
      return undefined;
    }
    return await begin({decided, runner, input, recorder, finish});
  } catch (error) {
    const {exitCode: code = exitCodes.failed, denialId: denial} = error as {
      exitCode?: number;
      denialId?: string;
    };
    finish({code, denial});
    throw error;
  }
}

async function runnerFor(decided: Decided, {session, withNetwork}: RunInput): Promise<Session> {
  if (isApprovedAsRead(decided.decision, session.config.settings.approval.value)) return session.reader();
  return (await session.approvesNetwork(decided)) ? withNetwork() : session;
}

interface Beginning {
  readonly decided: Decided;
  readonly runner: Session;
  readonly input: RunInput;
  readonly recorder: Recorder;
  readonly finish: (fields: Partial<Parameters<typeof finishedRecord>[0]> & {readonly code: number}) => void;
}

async function begin({decided, runner, input, recorder, finish}: Beginning): Promise<StartedRun> {
  const {cwd, stdio, timeoutMs, killSignal} = input;
  recorder.emit('sandbox.applied', sandboxApplied(runner.facts));
  recorder.flush();
  const refusals = collectRefusals(recorder, runner);
  // A hook may have replaced the command.
  const command = decided.action.command!.text;
  const running = await runner.start(command, {
    stdio,
    cwd,
    runId: recorder.runId,
    onEvent: refusals.onEvent,
    decided: {action: decided.action, emit: recorder.emit},
    timeoutSignal: killSignal,
    ...(timeoutMs === undefined ? {} : {timeoutMs}),
  });
  const ended = running.outcome.then(
    async (outcome): Promise<EndedRun> => {
      const denials = denialsOf(refusals, runner);
      const code = exitCode(outcome);
      await input.session.notify('PostToolUse', recorder.emit, {after: {command, exitCode: code}});
      finish({code, outcome});
      return {outcome, denials, facts: factsOf(runner), decision: decisionOf(decided, runner)};
    },
    (error: unknown) => {
      finish({code: exitCodes.failed});
      throw error;
    },
  );
  return {running, ended};
}

function denialsOf(refusals: RefusalCollector, session: Session): Denial[] {
  const {violations, others} = refusals.finish();
  const settings = refusingSettings(session);
  const {expected, audience} = session;
  const records = ofNote(violations).map((one) =>
    violationRecord(one, one.id, settings, {audience, expected}),
  );
  return [
    ...others.map(({id, record}) => ({
      ...record,
      would_allow: adviceTo(audience, record.would_allow ?? undefined, id) ?? null,
    })),
    ...records,
  ].map(asDenial);
}

/** Returns the event's record. Only an index signature is added, for the type. */
function asDenial(record: EventBodies['sandbox.violation']): Denial {
  return {...record};
}

function denied(decided: Decided, {session, command}: RunInput, recorder: Recorder): Error {
  const {message, help} = decided.decision;
  const denialId = recorder.newRefusalId();
  return Object.assign(
    commandError(message, 'ERR_ION_DENIED', {
      command,
      exitCode: exitCodes.denied,
      facts: factsOf(session),
      decision: decisionOf(decided, session, denialId),
      runId: recorder.runId,
      help: adviceTo(session.audience, help, denialId),
    }),
    {denialId},
  );
}

export function factsOf({facts}: Session): Facts {
  return {...sandboxProfile(facts)} as Facts;
}

function decisionOf({decision}: Decided, {audience}: Session, denialId?: string): Decision {
  const record = decisionRecord(decision);
  return {...record, help: adviceTo(audience, record.help ?? undefined, denialId) ?? null};
}
