import type {Event, EventBodies} from './events.ts';
import {findEvents} from './query.ts';

export type RecordedViolation = EventBodies['sandbox.violation'];

/** The refusals of one run, from the log. */
export interface RefusedRun {
  readonly run: string;
  readonly started: string;
  readonly cwd: string;
  /** Null in a log of an earlier version. */
  readonly workspace: string | null;
  readonly command: string;
  readonly mode: string;
  /** Null if nothing ran. */
  readonly boundary: string | null;
  /** Null if the run has not ended, or was killed together with ion. */
  readonly exitCode: number | null;
  /** The decision that refused it. */
  readonly denial: Denial | null;
  /** Each kind once, with its last count, in the order of their first event. */
  readonly violations: readonly RecordedViolation[];
}

export interface Denial {
  readonly id: string;
  readonly decision: EventBodies['permission.evaluated'];
}

/**
 * The run to look for: by its id, a prefix of its id or the id of one of its refusals. Otherwise the latest run of this terminal
 * session in this workspace.
 */
export type WhichRun =
  {readonly id: string} | {readonly workspace: string; readonly terminalSession: string | null};

/** The run that matches. Undefined if there is none, and `several` if an id is a prefix of more than one. */
export function findRefusedRun(folder: string, which: WhichRun): RefusedRun | 'several' | undefined {
  const begins = 'id' in which ? which.id.replace(/-\d*$/, '') : undefined;
  const found = new Map<string, Event[]>();
  for (const {event} of findEvents(folder, {})) {
    if (begins === undefined) {
      if (isOfHere(event, which)) {
        found.clear();
        found.set(event.run_id, []);
      }
    } else if (event.type === 'run.started' && event.run_id.startsWith(begins)) found.set(event.run_id, []);
    found.get(event.run_id)?.push(event);
  }
  if (found.size > 1) return 'several';
  const [events] = found.values();
  return events && refusedRun(events);
}

function isOfHere(event: Event, which: WhichRun): boolean {
  return (
    event.type === 'run.started' &&
    'workspace' in which &&
    event.workspace === which.workspace &&
    (event.terminal_session ?? null) === which.terminalSession
  );
}

/** Undefined if a field is missing that ion always writes: then the events were edited. */
function refusedRun(events: readonly Event[]): RefusedRun | undefined {
  const [started] = events.filter((event) => event.type === 'run.started');
  if (!started?.action) return undefined;
  const finished = events.findLast((event) => event.type === 'run.finished');
  const denied = events
    .filter((event) => event.type === 'permission.evaluated')
    .findLast(({decision}) => decision !== 'allow');
  const violations = new Map<string, RecordedViolation>();
  for (const event of events)
    if (event.type === 'sandbox.violation') violations.set(event.violation_id, event);
  return {
    run: started.run_id,
    started: started.time,
    cwd: started.cwd,
    workspace: started.workspace ?? null,
    command: started.action.command ?? started.action.tool,
    mode: started.permission_state.mode,
    boundary: events.findLast((event) => event.type === 'sandbox.applied')?.sandbox_profile.boundary ?? null,
    exitCode: finished?.exit_code ?? null,
    denial:
      typeof finished?.denial_id === 'string' && denied ? {id: finished.denial_id, decision: denied} : null,
    violations: [...violations.values()],
  };
}
