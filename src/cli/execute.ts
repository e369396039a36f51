import type {Outcome, RunEvent} from '../sandbox/backend.ts';
import {execRecord, sandboxRecord, type Recorder} from '../session/recorder.ts';
import {limitMessage, limitRecord, timeoutMessage} from '../session/limits.ts';
import type {Session} from '../session/session.ts';
import {
  autorunRecord,
  gatherViolations,
  refusingSettings,
  violationMessages,
  violationRecord,
  type CountedViolation,
} from '../session/violations.ts';
import {say} from './output.ts';
import {withSignals} from './signals.ts';

/** How a run ended, and what the boundary stopped on the way. */
export interface Ended {
  readonly outcome: Outcome;
  readonly violations: readonly CountedViolation[];
}

/** Run a command that may run, and tell what happened. */
export async function execute(session: Session, command: string, recorder: Recorder): Promise<Ended> {
  recorder.emit('sandbox.applied', sandboxRecord(session.facts));
  recorder.flush();
  session.host.timing?.mark('record');
  // Orphans of a launcher that somebody killed come to ion, which ends them (orphans.ts).
  session.machine.native?.addon.becomeSubreaper();
  const events: RunEvent[] = [];
  const outcome = await withSignals(async () => {
    const running = await session.start(command, {
      stdio: ['inherit', 'inherit', 'inherit'],
      runId: recorder.runId,
      onEvent: (event) => {
        if (event.kind !== 'exec') events.push(event);
        else recorder.emit('process.exec', execRecord(event));
      },
    });
    session.host.timing?.mark('spawn');
    return running;
  });
  const violations = tellEvents(events, outcome, recorder, session);
  if (outcome.because === 'timeout') say(timeoutMessage(session.config.settings.limits));
  if (outcome.left < 0) await endLeftOvers();
  return {outcome, violations};
}

/** The launcher has given up on some: they are ion's children now, and what still lives after this is said. */
async function endLeftOvers(): Promise<void> {
  const {killOrphans} = await import('../sandbox/linux/orphans.ts');
  const killed = killOrphans();
  say({
    text: `processes of the run were still there after ten seconds of killing them; ${killed} more were killed`,
  });
}

/** What happened on the way, as events and as closing lines. */
function tellEvents(
  events: readonly RunEvent[],
  outcome: Outcome,
  recorder: Recorder,
  {config, expected, host}: Session,
): readonly CountedViolation[] {
  for (const [number, event] of events.filter((one) => one.kind === 'limit').entries()) {
    recorder.emit('sandbox.violation', limitRecord(event, number, recorder.runId));
    say(limitMessage(event, config.settings.limits));
  }
  tellAutorun(events, recorder);
  const violations = gatherViolations(events);
  const settings = refusingSettings(config, host.environment['HOME']);
  for (const violation of violations.list) {
    recorder.emit('sandbox.violation', violationRecord(violation, recorder.runId, settings));
  }
  const hasFailed = outcome.code !== 0;
  for (const message of violationMessages(violations, {expected, settings, hasFailed})) say(message);
  return violations.list;
}

function tellAutorun(events: readonly RunEvent[], recorder: Recorder): void {
  const found = events.filter((event) => event.kind === 'autorun');
  for (const [number, event] of found.entries()) {
    recorder.emit('sandbox.violation', autorunRecord(event, number, recorder.runId));
    say(event.message);
  }
}
