import {isIonError} from '../errors.ts';
import type {Decided, Decision} from '../policy/decision.ts';
import {modeOutcome} from '../config/approval-table.ts';
import {decisionRecord} from '../policy/decision-record.ts';
import {actionRecord} from '../session/recorder.ts';
import {shellWord} from '../shell/quote.ts';
import {messageFor} from '../session/report/message-for.ts';
import {offerWrite} from '../session/ask/rerun.ts';
import {openTerminal} from '../session/ask/terminal.ts';
import {execute, type Ended} from './execute.ts';
import {refuseIn, type Run} from './run-in-progress.ts';

const offerTimeoutMs = 120_000;

/** The functions that ask, and that run the command again. Tests replace them. */
interface Effects {
  readonly openTerminal: typeof openTerminal;
  readonly again: typeof execute;
}

/**
 * Offers a write after a refused write. The command was approved because it only reads, was refused a write, and
 * failed. A user at a terminal is offered one more run as a write. Without a terminal, and after a no, the write is
 * denied with a reason of its own. Undefined if it was not run again.
 */
export async function afterRefusedWrite(
  run: Run,
  decided: Decided,
  {violations}: Ended,
  effects: Effects = {openTerminal, again: execute},
): Promise<Ended | undefined> {
  const refused = violations.find(({operation}) => operation === 'write');
  if (!refused) return undefined;
  const {session, recorder, signals, made} = run;
  const command = decided.action.command!.text;
  const allowed =
    mayBeOffered(run) &&
    (await signals.orEnd(() => isWanted(run, effects, {command, target: refused.target})));
  const decision = allowed
    ? asAnswered(decided.decision)
    : asRefused(decided.decision, command, refused.target);
  made.decided = {...decided, decision};
  recorder.emit('permission.evaluated', {
    ...decisionRecord(decision),
    action: actionRecord(command),
    duration_us: null,
  });
  if (allowed) return effects.again(session, decided.action, recorder, signals);
  refuseIn(run, decision);
  return undefined;
}

/** Not under a lock, not in read mode, and only if the row asks for shell commands: no answer lifts the others. */
function mayBeOffered({session}: Run): boolean {
  const {lock, settings} = session.config;
  const {mode, approval} = settings;
  return lock === undefined && mode.value === 'write' && modeOutcome(approval.value, 'shell') === 'ask';
}

async function isWanted(
  {session}: Run,
  effects: Effects,
  {command, target}: {readonly command: string; readonly target: string},
): Promise<boolean> {
  const terminal = effects.openTerminal(session.host);
  if (!terminal) return false;
  try {
    return await session.ending.during(
      () => terminal.cancel(),
      offerWrite(command, target, terminal, offerTimeoutMs),
    );
  } catch (error) {
    // The exit code reports that the command failed. A failed offer is only a warning.
    if (!isIonError(error)) throw error;
    session.host.warn?.(error.message);
    return false;
  } finally {
    terminal.close();
  }
}

function asAnswered(decision: Decision): Decision {
  return {
    ...decision,
    source: 'asking',
    reason: 'answer_allow',
    message: 'allowed by your answer, as a write',
  };
}

function asRefused(decision: Decision, command: string, target: string): Decision {
  const {text, help} = messageFor({
    kind: 'approved-as-read',
    command,
    word: shellWord(command),
    target,
  });
  return {
    ...decision,
    effect: 'deny',
    source: 'asking',
    reason: 'approved_as_read',
    message: text,
    ...(help === undefined ? {} : {help}),
  };
}
