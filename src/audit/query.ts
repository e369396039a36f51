import type {Event} from './events.ts';
import {eventOf, readLines} from './read-log.ts';

export interface Query {
  /** Only events at or after this time (milliseconds since the epoch). */
  readonly since?: number;
  readonly decision?: string;
  readonly reason?: string;
  readonly violations?: boolean;
  readonly runId?: string;
}

export interface Found {
  readonly sequence: number;
  readonly event: Event;
}

export function* findEvents(folder: string, query: Query): Generator<Found> {
  for (const {record} of readLines(folder)) {
    if (!record) continue;
    const event = eventOf(record);
    if (event && matches(event, query)) yield {sequence: record.sequence, event};
  }
}

function matches(event: Event, {since, decision, reason, violations, runId}: Query): boolean {
  if (since !== undefined && !(Date.parse(event.time) >= since)) return false;
  if (runId !== undefined && !String(event.run_id).startsWith(runId)) return false;
  if (violations && event.type !== 'sandbox.violation') return false;
  if (decision !== undefined && !('decision' in event && event.decision === decision)) return false;
  return reason === undefined || ('decision_reason' in event && event.decision_reason === reason);
}
