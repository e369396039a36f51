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

/** A refusal with the id that events, results and advice have for it. */
export interface IdentifiedViolation extends CountedViolation {
  readonly id: string;
}

/** How a run ended, and what the boundary stopped on the way. */
export interface Ended {
  readonly outcome: Outcome;
  readonly violations: readonly IdentifiedViolation[];
  /** What the supervisor did not refuse: limits that were met, and changes that were found and undone afterwards. */
  readonly others: readonly EventBodies['sandbox.violation'][];
}

/** Run a command that may run, and tell what happened. */
export async function execute(
  session: Session,
  command: string,
  recorder: Recorder,
  signals: Signals,
): Promise<Ended> {
  recorder.emit('sandbox.applied', sandboxRecord(session.facts));
  recorder.flush();
  session.host.timing?.mark('record');
  // Orphans of a launcher that somebody killed come to ion, which ends them (orphans.ts).
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

/** The launcher has given up on some: they are ion's children now, and what still lives after this is said. */
async function endLeftOvers(): Promise<void> {
  const {killOrphans} = await import('../sandbox/linux/orphans.ts');
  const killed = killOrphans();
  say({
    text: `processes of the run were still alive ten seconds after they were killed; ${killed} more were killed`,
  });
}

/** Kinds of refusals that are told while the command runs. */
const liveAtMost = 100;

/** In the log as soon as it happens, so that it is there even if ion is killed. How often it happened is told at the end. */
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
  /** The numbers of those that were told. */
  readonly reported: ReadonlySet<number>;
  readonly idOf: (violation: Violation) => string;
}

/** What the supervisor refused, as events and as closing lines. */
function reportViolations(
  events: readonly RunEvent[],
  outcome: Outcome,
  {recorder, session, live}: {recorder: Recorder; session: Session; live: Live},
): readonly IdentifiedViolation[] {
  // Words for refusals are loaded with the first of them.
  if (!events.some(({kind}) => kind === 'violation' || kind === 'unreported')) return [];
  const {expected, audience} = session;
  const {reported, idOf} = live;
  const violations = gatherViolations(events);
  const settings = refusingSettings(session);
  // The others stand there since they happened.
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
