import {isApprovedAsRead} from '../policy/approved-as-read.ts';
import type {Decided} from '../policy/decision.ts';
import type {Outcome} from '../sandbox/launch.ts';
import {isExpected, isProbe} from '../session/report/expected.ts';
import {finishedRecord, type Recorder} from '../session/recorder.ts';
import {exitCode, recordStart} from '../session/run-record.ts';
import type {Session} from '../session/session.ts';
import {exitCodes} from '../errors.ts';
import {monotonicMs} from '../system/clock.ts';
import {execute, type Ended} from './execute.ts';
import {refuseIn, type Run} from './run-in-progress.ts';
import {shellStart} from './shell-start.ts';
import {Interrupted} from './signals.ts';
import {say} from './output.ts';
import {stepFiles, writtenSince, type StepFile} from '../session/step-files.ts';
import {sayWhatWasEnded, warnOfDestruction} from './state.ts';

declare const ION_VERSION: string;

/** Whatever else happened: later steps read these files. */
function reportWritten(before: readonly StepFile[], recorder: Recorder): void {
  for (const {file, bytes} of writtenSince(before)) {
    const {variable, path} = file;
    say({text: `the command wrote to ${variable}, which later steps read`});
    recorder.emit('step.written', {
      variable,
      path,
      bytes_before: Number(file.state.size),
      bytes_after: bytes,
    });
  }
}

/** Decides about a command and runs it, and writes the first and the last record. Returns the exit code. */
export async function runRecorded(run: Run, command: string): Promise<number> {
  const {session, recorder, signals, made, cwd} = run;
  const startedAt = monotonicMs();
  recordStart(recorder, session, command, ION_VERSION, cwd);
  const ofStep = stepFiles(session.host.environment);
  let code: number = exitCodes.failed;
  try {
    const decided = (made.decided = await signals.orEnd(() => session.decide(command, recorder.emit, cwd)));
    session.host.timing?.mark('decide');
    await carryOut(decided, run);
    session.host.timing?.mark('command');
    code = made.ended ? exitCode(made.ended.outcome) : exitCodes.denied;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    made.interrupted = error;
    code = 128 + error.number;
  } finally {
    // This also runs when the set-up failed, so that each run that the log has as started also finishes.
    const {ended, interrupted} = made;
    reportWritten(ofStep, recorder);
    const violationRefs = recorder.violationRefs();
    recorder.emit(
      'run.finished',
      finishedRecord({...ended, interrupted, code, startedAt, violationRefs, denial: made.denial}),
    );
    recorder.flush();
  }
  return code;
}

/** Runs a command that was allowed. `made.ended` stays undefined if it did not run. */
async function carryOut({action, decision}: Decided, run: Run): Promise<void> {
  const {recorder, signals, made} = run;
  if (decision.effect !== 'allow') return refuseIn(run, decision);
  await warnOfDestruction(decision);
  const reads = isApprovedAsRead(decision, run.session.config.settings.approval.value);
  const session = (made.session = reads ? run.session : await withNetwork(run, {action, decision}));
  // A hook may have replaced the command.
  const command = action.command!.text;
  if (!run.isLasting) await signals.orEnd(() => session.notify('SessionStart', recorder.emit));
  const runner = reads ? await session.reader() : session;
  let ended = (made.ended = await execute(runner, action, recorder, signals, shellStart(run.given, command)));
  if (reads && hasFailed(ended.outcome)) {
    const {afterRefusedWrite} = await import('./refused-write.ts');
    ended = made.ended = (await afterRefusedWrite(run, {action, decision}, ended)) ?? ended;
  }
  const wasStopped = ended.violations.length > 0 || hasFailed(ended.outcome);
  if (session.config.settings.approval.value === 'on_failure' && wasStopped) {
    const {offerAgain} = await import('./on-failure.ts');
    ended = made.ended = (await signals.orEnd(() => offerAgain(run, action, ended))) ?? ended;
  }
  const again = reads ? undefined : await askForNetwork(run, {action, decision}, ended);
  if (again) ended = made.ended = again;
  sayWhatWasEnded(ended.outcome, action);
  // The last run may have had more than the first.
  const last = made.session;
  if (last.facts.enforced && hasFailed(ended.outcome)) {
    const {sayWhatIsClosed} = await import('./say-hints.ts');
    sayWhatIsClosed(
      last,
      action,
      ended.violations.filter((one) => !isProbe(one) && !isExpected(one, last.expected)),
      run.cwd,
    );
  }
  const after = {command, exitCode: exitCode(ended.outcome)};
  await signals.orEnd(() => session.notify('PostToolUse', recorder.emit, {after}));
  if (!run.isLasting) await signals.orEnd(() => session.notify('Stop', recorder.emit));
}

/** The session for the command: with the network if it was approved, where the approval mode asks for it. */
async function withNetwork({session, flags, open}: Run, decided: Decided): Promise<Session> {
  return (await session.approvesNetwork(decided)) ? open({...flags, networkApproved: true}) : session;
}

/**
 * The command failed after the boundary refused it the network, and no question about the network was asked. Asks now, and runs
 * it once more after a yes.
 */
async function askForNetwork(run: Run, decided: Decided, ended: Ended): Promise<Ended | undefined> {
  const {flags, recorder, signals, made, given, open} = run;
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
  const again = (made.session = await open({...flags, networkApproved: true}));
  const {text} = decided.action.command!;
  return execute(again, decided.action, recorder, signals, shellStart(given, text));
}

/** True if the command itself failed. Exit 127 means that there is no such program. */
function hasFailed({code, because}: Outcome): boolean {
  return because === 'itself' && code !== undefined && code !== 0 && code !== 127;
}
