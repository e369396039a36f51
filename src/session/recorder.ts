import {namedNetwork} from '../config/network/network-table.ts';
import {randomRunId} from '../system/run-id.ts';
import {canonicalJson, fixed} from '../audit/canonical.ts';
import {makeEvent, type ActionRecord, type Event, type EventBodies, type EventType} from '../audit/events.ts';
import type {AuditLog} from '../audit/log.ts';
import {redact, redactAll} from '../audit/redact.ts';
import type {ResolvedConfig} from '../config/settings.ts';
import type {Outcome} from '../sandbox/launch.ts';
import type {InsideNumber} from '../sandbox/violation.ts';
import type {SandboxFacts} from '../sandbox/facts.ts';
import {monotonicMs} from '../system/clock.ts';

/** Receives events as they happen. `line` makes one line of JSON: nothing is written for a stream without readers. */
export type Stream = (line: () => string) => void;

/**
 * The events of one run. Events that must be known even if ion is killed are in the log before the command starts. The others are
 * there before ion exits.
 */
export interface Recorder {
  readonly runId: string;
  readonly emit: <T extends EventType>(type: T, body: EventBodies[T]) => void;
  /** A fresh id for a refusal of this run: `<run>-<n>`, n from 1. */
  newRefusalId(): string;
  /** The ids of the violations that were emitted. One that was reported twice is listed once. */
  violationRefs(): readonly string[];
  /** Appends the events since the last flush to the audit log. */
  flush(): void;
  /**
   * Flushes soon, while a command runs. Events that arrive together share one flush. Beyond a limit of flushes it
   * does nothing.
   */
  flushSoon(): void;
}

/** A command with endless refusals must not keep ion busy with the log. The rest is appended when it has ended. */
const earlyAtMost = 100;
/**
 * After a flush slower than this, ion flushes only at the end: the disk is slow, or another process has locked the
 * log.
 */
const slowMs = 250;

/** Flushed at once: ion may be killed after the answer. */
const atOnce: ReadonlySet<EventType> = new Set(['permission.requested']);

export function openRecorder(log: AuditLog | undefined, stream: Stream | undefined): Recorder {
  const runId = randomRunId();
  const violations = new Set<string>();
  let pending: Event[] = [];
  let early = earlyAtMost;
  let refusals = 0;
  let isDue = false;
  const flush = (): void => {
    const events = pending;
    pending = [];
    if (events.length > 0) log?.append(events);
  };
  const flushEarly = (): void => {
    isDue = false;
    early--;
    const started = monotonicMs();
    const events = pending;
    try {
      flush();
    } catch {
      // A required log failed. The flush at the end throws if it still cannot be written.
      pending = [...events, ...pending];
      early = 0;
    }
    if (monotonicMs() - started > slowMs) early = 0;
  };
  return {
    runId,
    emit(type, body) {
      const event = makeEvent(type, {runId, now: new Date()}, body) as unknown as Event;
      stream?.(() => `${canonicalJson(event)}\n`);
      pending.push(event);
      if ('violation_id' in body) violations.add(body.violation_id);
      if (atOnce.has(type)) flush();
    },
    newRefusalId: () => `${runId}-${++refusals}`,
    violationRefs: () => [...violations],
    flush,
    flushSoon() {
      if (early === 0 || isDue) return;
      isDue = true;
      setImmediate(flushEarly);
    },
  };
}

export function actionRecord(command: string): ActionRecord {
  return {tool: 'bash', class: 'shell', command: redact(command), paths: [], mcp_server: null};
}

/** Remembers the record of each source: the commands of a session have it in common. */
function madeOnce<S extends object, R extends object>(make: (source: S) => R): (source: S) => R {
  const made = new WeakMap<S, R>();
  return (source) => {
    const record = made.get(source) ?? fixed(make(source));
    made.set(source, record);
    return record;
  };
}

export const permissionStateRecord = madeOnce(
  ({settings, layers, trust}: ResolvedConfig): EventBodies['run.started']['permission_state'] =>
    redactAll({
      mode: settings.mode.value,
      approval: settings.approval.value,
      sandbox: settings.sandbox.value,
      rules: settings.rules.length,
      policy_sources: layers.filter(({present}) => present).map(({origin}) => origin.file ?? origin.layer),
      workspace_trusted: trust.state === 'trusted',
      interaction_allowed: settings.approval.value !== 'never',
    }),
);

/** `violationRefs` are known only once the run is over. */
export function sandboxProfile(
  facts: SandboxFacts,
  violationRefs: readonly string[] = [],
): EventBodies['sandbox.applied']['sandbox_profile'] {
  const enforcement = facts.protections.map(({id, level, by}) => ({protection: id, level, by}));
  return {
    mode: facts.mode,
    boundary: facts.boundary,
    backend: facts.backend,
    enforced: facts.enforced,
    inside_run: facts.insideRun,
    cwd: facts.cwd,
    read_roots: facts.readRoots,
    withheld: facts.withheld,
    write_roots: facts.writeRoots,
    protected: facts.protected.existing,
    network: namedNetwork(facts.network),
    environment_ref: `${facts.environmentRemoved.length} variables removed: ${facts.environmentRemoved.join(' ')}`,
    toolchains: facts.toolchains.map(({name, because, variables}) => ({name, because, variables})),
    process_limits: facts.limits,
    process_limits_by: facts.limitsBy,
    enforcement,
    downgrades: enforcement.filter(({level}) => level !== 'enforced').map(({protection}) => protection),
    violation_refs: violationRefs,
  };
}

const profileOfSession = madeOnce((facts: SandboxFacts) => sandboxProfile(facts));

export function sandboxApplied(facts: SandboxFacts): EventBodies['sandbox.applied'] {
  return {sandbox_profile: profileOfSession(facts)};
}

/** The path that is executed, and its arguments. */
export function execRecord({
  pid,
  pidInside,
  words,
}: InsideNumber & {
  readonly pid: number;
  readonly words: readonly string[];
}): EventBodies['process.exec'] {
  return {pid, pid_inside: pidInside ?? null, program: words[0] ?? '', argv: words};
}

/** How a run ended. `interrupted`: by a signal to ion. `outcome`: of the command, if it ran. */
interface Finished {
  readonly outcome?: Outcome;
  readonly interrupted: {readonly number: number} | undefined;
  readonly code: number;
  readonly startedAt: number;
  readonly violationRefs: readonly string[];
  readonly denial: string | undefined;
}

export function finishedRecord({
  outcome,
  interrupted,
  code,
  startedAt,
  violationRefs,
  denial,
}: Finished): EventBodies['run.finished'] {
  const signal = interrupted?.number ?? outcome?.signal;
  return {
    exit_code: code,
    signal: signal === undefined ? null : String(signal),
    timed_out: outcome?.because === 'timeout',
    duration_ms: Math.round(monotonicMs() - startedAt),
    violation_refs: violationRefs,
    denial_id: denial ?? null,
    usage: outcome?.usage
      ? {
          user_ms: outcome.usage.userUs / 1000,
          system_ms: outcome.usage.systemUs / 1000,
          max_rss_bytes: outcome.usage.maxRssKb * 1024,
        }
      : null,
    connections: outcome?.connections ?? null,
  };
}
