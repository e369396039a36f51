import type {Event, EventBodies} from './events.ts';
import {eventsFromEnd} from './read-log-back.ts';

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
  const run = 'id' in which ? runOfId(folder, which.id.replace(/-\d*$/, '')) : latestRun(folder, which);
  return run === undefined || run === 'several' ? run : refusedRun(eventsOf(folder, run));
}

const start = '"type":"run.started"';
const idDigits = 32;

function latestRun(
  folder: string,
  {workspace, terminalSession}: Exclude<WhichRun, {readonly id: string}>,
): string | undefined {
  const session = terminalSession === null ? [] : [`"terminal_session":"${terminalSession}"`];
  for (const event of eventsFromEnd(folder, [start, ...session])) {
    if (event.type !== 'run.started' || event.workspace !== workspace) continue;
    if ((event.terminal_session ?? null) === terminalSession) return event.run_id;
  }
  return undefined;
}

function runOfId(folder: string, begins: string): string | undefined {
  const found = new Set<string>();
  for (const {type, run_id: run} of eventsFromEnd(folder, [start, `"run_id":"${begins}`])) {
    if (type !== 'run.started' || !run.startsWith(begins)) continue;
    if (begins.length === idDigits) return run;
    found.add(run);
  }
  const [run] = found;
  return found.size > 1 ? 'several' : run;
}

/** From the start of the run, in the order of the log. */
function eventsOf(folder: string, run: string): readonly Event[] {
  const events: Event[] = [];
  for (const event of eventsFromEnd(folder, [`"run_id":"${run}"`])) {
    if (event.run_id !== run) continue;
    events.unshift(event);
    if (event.type === 'run.started') break;
  }
  return events;
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
