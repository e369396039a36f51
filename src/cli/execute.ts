import type {EventBodies} from '../audit/events.ts';
import type {Action} from '../policy/decision.ts';
import type {Outcome} from '../sandbox/launch.ts';
import {adviceTo} from '../session/report/audience.ts';
import {sandboxApplied, type Recorder} from '../session/recorder.ts';
import {messageFor} from '../session/report/message-for.ts';
import {collectRefusals, type IdentifiedViolation, type Refusals} from '../session/run-refusals.ts';
import type {Session} from '../session/session.ts';
import {refusingSettings, violationMessages} from '../session/report/violations.ts';
import type {ShellStart} from '../session/start.ts';
import {say} from './output.ts';
import type {Signals} from './signals.ts';

/** The end of a run, and the refusals of the boundary during it. */
export interface Ended {
  readonly outcome: Outcome;
  readonly violations: readonly IdentifiedViolation[];
  /**
   * Events that are not refusals by the supervisor: limits that were reached, and changes that were found and
   * reverted afterwards.
   */
  readonly others: readonly EventBodies['sandbox.violation'][];
}

/** Runs an allowed command, and reports what happened. */
export async function execute(
  session: Session,
  action: Action,
  recorder: Recorder,
  signals: Signals,
  shell?: ShellStart,
): Promise<Ended> {
  recorder.emit('sandbox.applied', sandboxApplied(session.facts));
  recorder.flush();
  session.host.timing?.mark('record');
  // If another process kills the launcher, its orphans become children of ion, which ends them (orphans.ts).
  session.machine.native?.addon.becomeSubreaper();
  const refusals = collectRefusals(recorder, session);
  const outcome = await signals.passOn(async () => {
    const running = await session.start(action.command!.text, {
      stdio: ['inherit', 'inherit', 'inherit'],
      runId: recorder.runId,
      ...shell,
      onEvent: refusals.onEvent,
      decided: {action, emit: recorder.emit},
    });
    session.host.timing?.mark('spawn');
    return running;
  });
  const found = refusals.finish();
  const others = sayOthers(found, session);
  sayViolations(found, outcome, session);
  const reached = await refusals.reachedMessage();
  if (reached) say(reached);
  if (outcome.because === 'timeout') {
    const {limits} = session.config.settings;
    say(messageFor({kind: 'timeout', limits}), session.audience);
  }
  if (outcome.left < 0) await endLeftOvers(session);
  return {outcome, violations: found.violations, others};
}

/** The launcher could not end some processes. They are ion's children now. ion kills them and reports it. */
async function endLeftOvers({machine}: Session): Promise<void> {
  if (!machine.native) return; // then there is no launcher either
  const {killOrphans} = await import('../sandbox/linux/orphans.ts');
  const killed = killOrphans(machine.native.addon);
  say({
    text: `processes of the run were still alive after they were killed; ${killed} more were killed`,
  });
}

/** The closing lines about refusals of the supervisor. */
function sayViolations({violations, unreported}: Refusals, outcome: Outcome, session: Session): void {
  if (violations.length === 0 && unreported === 0) return;
  const ids = new Map(violations.map(({number, id}) => [number, id]));
  const messages = violationMessages(
    {list: violations, unreported},
    {
      expected: session.expected,
      settings: refusingSettings(session),
      hasFailed: outcome.code !== 0,
      audience: session.audience,
      idOf: ({number}) => ids.get(number)!,
    },
  );
  for (const message of messages) say(message);
}

/** Shows the closing lines of the others. Returns their records, with advice for the audience. */
function sayOthers({others}: Refusals, {audience}: Session): Ended['others'] {
  return others.map(({id, message, record}) => {
    say(message, audience, id);
    return {...record, would_allow: adviceTo(audience, record.would_allow ?? undefined, id) ?? null};
  });
}
