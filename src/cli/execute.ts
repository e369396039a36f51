import type {EventBodies} from '../audit/events.ts';
import type {Outcome, RunEvent, Violation} from '../sandbox/launch.ts';
import {adviceTo} from '../session/report/audience.ts';
import {execRecord, sandboxRecord, type Recorder} from '../session/recorder.ts';
import {limitRecord} from '../session/report/limit-words.ts';
import type {CountedViolation} from '../session/report/refusal.ts';
import {messageFor} from '../session/report/message-for.ts';
import type {Session} from '../session/session.ts';
import {
  autorunRecord,
  gatherViolations,
  refusingSettings,
  violationMessages,
  violationRecord,
} from '../session/report/violations.ts';
import {say} from './output.ts';
import type {Signals} from './signals.ts';

/** A refusal with the id that events, results and advice use for it. */
export interface IdentifiedViolation extends CountedViolation {
  readonly id: string;
}

/** How a run ended, and what the boundary refused during it. */
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
  command: string,
  recorder: Recorder,
  signals: Signals,
): Promise<Ended> {
  recorder.emit('sandbox.applied', sandboxRecord(session.facts));
  recorder.flush();
  session.host.timing?.mark('record');
  // If another process kills the launcher, its orphans become children of ion, which ends them (orphans.ts).
  session.machine.native?.addon.becomeSubreaper();
  const events: RunEvent[] = [];
  const live = liveViolations(recorder, session);
  const outcome = await signals.passOn(async () => {
    const running = await session.start(command, {
      stdio: ['inherit', 'inherit', 'inherit'],
      runId: recorder.runId,
      onEvent: (event) => {
        if (event.kind !== 'exec') events.push(event);
        if (event.kind === 'violation') live.report(event);
        if (event.kind === 'exec') recorder.emit('process.exec', execRecord(event));
      },
    });
    session.host.timing?.mark('spawn');
    return running;
  });
  const others = reportOthers(events, recorder, session);
  const violations = reportViolations(events, outcome, {recorder, session, live});
  if (outcome.because === 'timeout') {
    const {limits} = session.config.settings;
    say(messageFor({kind: 'timeout', limits}), session.audience);
  }
  if (outcome.left < 0) await endLeftOvers();
  return {outcome, violations, others};
}

/** The launcher could not end some processes. They are ion's children now. ion kills them and reports it. */
async function endLeftOvers(): Promise<void> {
  const {killOrphans} = await import('../sandbox/linux/orphans.ts');
  const killed = killOrphans();
  say({
    text: `processes of the run were still alive ten seconds after they were killed; ${killed} more were killed`,
  });
}

/** How many kinds of refusals are reported while the command runs. */
const liveAtMost = 100;

/** Logs each refusal as it happens, so that it is there even if ion is killed. The count is reported at the end. */
function liveViolations(recorder: Recorder, session: Session): Live {
  const reported = new Set<number>();
  const ids = new Map<number, string>();
  const idOf = ({number}: Violation): string => {
    const id = ids.get(number) ?? recorder.newRefusalId();
    ids.set(number, id);
    return id;
  };
  const report = (violation: Violation): void => {
    if (reported.size === liveAtMost) return;
    reported.add(violation.number);
    const {expected} = session;
    const one = {...violation, count: 1};
    recorder.emit(
      'sandbox.violation',
      violationRecord(one, idOf(violation), refusingSettings(session), {expected}),
    );
    recorder.flushSoon();
  };
  return {report, reported, idOf};
}

interface Live {
  readonly report: (violation: Violation) => void;
  /** The numbers of the violations that were already reported. */
  readonly reported: ReadonlySet<number>;
  readonly idOf: (violation: Violation) => string;
}

/** What the supervisor refused, as events and as closing lines. */
function reportViolations(
  events: readonly RunEvent[],
  outcome: Outcome,
  {recorder, session, live}: {recorder: Recorder; session: Session; live: Live},
): readonly IdentifiedViolation[] {
  // The code that words refusals is loaded only when there is one.
  if (!events.some(({kind}) => kind === 'violation' || kind === 'unreported')) return [];
  const {expected, audience} = session;
  const {reported, idOf} = live;
  const violations = gatherViolations(events);
  const settings = refusingSettings(session);
  // The others were logged when they happened.
  for (const violation of violations.list.filter(({count, number}) => count > 1 || !reported.has(number))) {
    recorder.emit('sandbox.violation', violationRecord(violation, idOf(violation), settings, {expected}));
  }
  const hasFailed = outcome.code !== 0;
  const shown = {expected, settings, hasFailed, audience, idOf};
  for (const message of violationMessages(violations, shown)) say(message);
  return violations.list.map((violation) => ({...violation, id: idOf(violation)}));
}

function reportOthers(
  events: readonly RunEvent[],
  recorder: Recorder,
  {config, audience}: Session,
): readonly EventBodies['sandbox.violation'][] {
  const {limits} = config.settings;
  const met = events.filter((event) => event.kind === 'limit');
  const found = events.filter((event) => event.kind === 'autorun');
  const others = [
    ...met.map((event) => {
      const id = recorder.newRefusalId();
      return {id, message: messageFor({kind: 'limit', event, limits}), record: limitRecord(event, id)};
    }),
    ...found.map((event) => {
      const id = recorder.newRefusalId();
      return {id, message: messageFor({kind: 'repair', event}), record: autorunRecord(event, id)};
    }),
  ];
  return others.map(({id, message, record}) => {
    say(message, audience, id);
    recorder.emit('sandbox.violation', record);
    return {...record, would_allow: adviceTo(audience, record.would_allow ?? undefined, id) ?? null};
  });
}
