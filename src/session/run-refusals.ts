import type {EventBodies} from '../audit/events.ts';
import type {Message} from '../errors.ts';
import type {RunEvent} from '../sandbox/run-event.ts';
import type {Violation} from '../sandbox/violation.ts';
import {execRecord, type Recorder} from './recorder.ts';
import {limitRecord} from './report/limit-words.ts';
import {messageFor} from './report/message-for.ts';
import type {CountedViolation} from './report/refusal.ts';
import {autorunRecord, gatherViolations, refusingSettings, violationRecord} from './report/violations.ts';
import type {Session} from './session.ts';

/** A refusal, with its id in events, results and advice. */
export interface IdentifiedViolation extends CountedViolation {
  readonly id: string;
}

/**
 * A limit that was reached, or a change that was found and reverted after the run. There is no refused call.
 */
export interface OtherRefusal {
  readonly id: string;
  readonly message: Message;
  readonly record: EventBodies['sandbox.violation'];
}

/** Everything that the boundary stopped in one run. */
export interface Refusals {
  readonly violations: readonly IdentifiedViolation[];
  /** The number of refusals of further kinds, which the supervisor only counts. */
  readonly unreported: number;
  readonly others: readonly OtherRefusal[];
}

/** Collects the events of a run as they happen, and records them. */
export interface RefusalCollector {
  readonly onEvent: (event: RunEvent) => void;
  /** Called when the run has ended. Records the rest. */
  finish(): Refusals;
  /** With `allow = ["*"]`: a closing line with the names that were reached. */
  reachedMessage(): Promise<Message | undefined>;
}

/** How many kinds of refusals are recorded while the command runs. */
const liveAtMost = 100;

/**
 * Records each kind of refusal when it first happens, so that the log has it even if ion is killed. The counts are recorded at
 * the end.
 */
export function collectRefusals(recorder: Recorder, session: Session): RefusalCollector {
  const events: RunEvent[] = [];
  const reported = new Set<number>();
  const ids = new Map<number, string>();
  const {expected} = session;
  const idOf = ({number}: Violation): string => {
    const id = ids.get(number) ?? recorder.newRefusalId();
    ids.set(number, id);
    return id;
  };
  const record = (violation: CountedViolation): void =>
    recorder.emit(
      'sandbox.violation',
      violationRecord(violation, idOf(violation), refusingSettings(session), {expected}),
    );
  return {
    onEvent(event) {
      if (event.kind === 'exec') return recorder.emit('process.exec', execRecord(event));
      events.push(event);
      if (event.kind !== 'violation' || reported.size === liveAtMost) return;
      reported.add(event.number);
      record({...event, count: 1});
      recorder.flushSoon();
    },
    finish() {
      const others = otherRefusals(events, recorder, session);
      // The code that words refusals is loaded only when there is one.
      if (!events.some(({kind}) => kind === 'violation' || kind === 'unreported'))
        return {violations: [], unreported: 0, others};
      const {list, unreported} = gatherViolations(events);
      for (const violation of list)
        if (violation.count > 1 || violation.failed || !reported.has(violation.number)) record(violation);
      return {violations: list.map((violation) => ({...violation, id: idOf(violation)})), unreported, others};
    },
    async reachedMessage() {
      if (!events.some(({kind}) => kind === 'reached')) return undefined;
      const {reachedMessage} = await import('./report/reached-names.ts');
      return reachedMessage(session.config.settings.network, events);
    },
  };
}

function otherRefusals(events: readonly RunEvent[], recorder: Recorder, {config}: Session): OtherRefusal[] {
  const {limits} = config.settings;
  const made = events.flatMap((event): OtherRefusal[] => {
    if (event.kind !== 'limit' && event.kind !== 'autorun') return [];
    const id = recorder.newRefusalId();
    return event.kind === 'limit'
      ? [{id, message: messageFor({kind: 'limit', event, limits}), record: limitRecord(event, id, limits)}]
      : [{id, message: messageFor({kind: 'repair', event}), record: autorunRecord(event, id)}];
  });
  for (const {record} of made) recorder.emit('sandbox.violation', record);
  return made;
}
