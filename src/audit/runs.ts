import type {Event} from './events.ts';
import {findEvents} from './query.ts';

/** One run of the log, summarised for one line. */
export interface RunSummary {
  readonly run: string;
  readonly started: string;
  readonly folder: string;
  readonly command: string;
  /** The last decision, and its reason. */
  readonly decision: string | null;
  readonly reason: string | null;
  /** Null if the run has not ended, or was killed together with ion. */
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  /** How many kinds of things the boundary refused. */
  readonly refusals: number;
}

export interface RunQuery {
  readonly since?: number;
  readonly decision?: string;
  readonly reason?: string;
  /** Only runs that were refused something. */
  readonly violations?: boolean;
  /** Only runs that were started in this folder or below it. */
  readonly isHere?: (folder: string) => boolean;
}

interface Draft extends RunSummary {
  readonly refused: Set<string>;
}

/**
 * The runs of a log, in the order in which they started. Skips events that are not in ion's form, which verify
 * reports.
 */
export function findRuns(folder: string, query: RunQuery): RunSummary[] {
  const drafts = new Map<string, Draft>();
  for (const {event} of findEvents(folder, {})) {
    try {
      const draft = drafts.get(event.run_id);
      const next = draft ? added(draft, event) : started(event, query);
      if (next) drafts.set(next.run, next);
    } catch {
      // The event was edited, or is of another version: it lacks a field.
    }
  }
  return [...drafts.values()]
    .map(({refused, ...run}) => ({...run, refusals: refused.size}))
    .filter((run) => isAskedFor(run, query));
}

function started(event: Event, {since, isHere}: RunQuery): Draft | undefined {
  if (event.type !== 'run.started') return undefined;
  if (since !== undefined && !(Date.parse(event.time) >= since)) return undefined;
  if (isHere && !isHere(event.cwd)) return undefined;
  return {
    run: event.run_id,
    started: event.time,
    folder: event.cwd,
    command: event.action.command ?? event.action.tool,
    ...{decision: null, reason: null, exitCode: null, durationMs: null, refusals: 0},
    refused: new Set(),
  };
}

function added(draft: Draft, event: Event): Draft | undefined {
  if (event.type === 'permission.evaluated' || event.type === 'permission.resolved')
    return {...draft, decision: event.decision, reason: event.decision_reason};
  if (event.type === 'run.finished')
    return {...draft, exitCode: event.exit_code, durationMs: event.duration_ms};
  if (event.type === 'sandbox.violation') draft.refused.add(event.violation_id);
  return undefined;
}

function isAskedFor(run: RunSummary, {decision, reason, violations}: RunQuery): boolean {
  if (decision !== undefined && run.decision !== decision) return false;
  if (reason !== undefined && run.reason !== reason) return false;
  return !violations || run.refusals > 0;
}
