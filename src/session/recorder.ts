import {randomRunId} from './run-id.ts';
import {canonicalJson} from '../audit/canonical.ts';
import {makeEvent, type ActionRecord, type Event, type EventBodies, type EventType} from '../audit/events.ts';
import type {AuditLog} from '../audit/log.ts';
import {redact} from '../audit/redact.ts';
import type {ResolvedConfig} from '../config/settings.ts';
import type {Outcome} from '../sandbox/backend.ts';
import type {SandboxFacts} from '../sandbox/facts.ts';
import {monotonicMs} from '../clock.ts';

/** Where events go as they happen, one line of JSON each. */
export type Stream = (line: string) => void;

/**
 * The events of one run. What must be known even if ion is killed is in the log before the command starts; the rest
 * before ion exits.
 */
export interface Recorder {
  readonly runId: string;
  readonly emit: <T extends EventType>(type: T, body: EventBodies[T]) => void;
  /** Append to the audit log what has been emitted since the last time. */
  flush(): void;
}

export function openRecorder(log: AuditLog | undefined, stream: Stream | undefined): Recorder {
  const runId = randomRunId();
  let pending: Event[] = [];
  return {
    runId,
    emit(type, body) {
      const event = makeEvent(type, {runId, now: new Date()}, body) as unknown as Event;
      stream?.(`${canonicalJson(event)}\n`);
      pending.push(event);
    },
    flush() {
      const events = pending;
      pending = [];
      if (events.length > 0) log?.append(events);
    },
  };
}

export function actionRecord(command: string): ActionRecord {
  return {tool: 'bash', class: 'shell', command: redact(command), paths: [], mcp_server: null};
}

export function permissionStateRecord({
  settings,
  layers,
  trust,
}: ResolvedConfig): EventBodies['run.started']['permission_state'] {
  return {
    mode: settings.mode.value,
    approval: settings.approval.value,
    sandbox: settings.sandbox.value,
    rules: settings.rules.length,
    policy_sources: layers.filter(({present}) => present).map(({origin}) => origin.file ?? origin.layer),
    workspace_trusted: trust.state === 'trusted',
    interaction_allowed: settings.approval.value !== 'never',
  };
}

export function sandboxRecord(facts: SandboxFacts): EventBodies['sandbox.applied'] {
  const enforcement = facts.protections.map(({id, level, by}) => ({protection: id, level, by}));
  return {
    sandbox_profile: {
      mode: facts.mode,
      backend: facts.backend,
      enforced: facts.enforced,
      cwd: facts.cwd,
      read_roots: facts.readRoots,
      withheld: facts.withheld,
      write_roots: facts.writeRoots,
      protected: facts.protected.existing,
      network: facts.network,
      environment_ref: `${facts.environmentRemoved.length} variables removed: ${facts.environmentRemoved.join(' ')}`,
      toolchains: facts.toolchains.map(({name, because, variables}) => ({name, because, variables})),
      process_limits: facts.limits,
      process_limits_by: facts.limitsBy,
      enforcement,
      downgrades: enforcement.filter(({level}) => level !== 'enforced').map(({protection}) => protection),
      violation_refs: [],
    },
  };
}

/** Words are joined by blanks as the supervisor tells them. */
export function execRecord({
  pid,
  command,
}: {
  readonly pid: number;
  readonly command: string;
}): EventBodies['process.exec'] {
  return {pid, program: command.split(' ', 1)[0] ?? '', argv: command.split(' ')};
}

export function finishedRecord(
  outcome: Outcome | undefined,
  exitCode: number,
  startedAt: number,
): EventBodies['run.finished'] {
  return {
    exit_code: exitCode,
    signal: outcome?.signal === undefined ? null : String(outcome.signal),
    timed_out: outcome?.because === 'timeout',
    duration_ms: Math.round(monotonicMs() - startedAt),
    violation_refs: [],
    usage: outcome?.usage
      ? {
          user_ms: outcome.usage.userUs / 1000,
          system_ms: outcome.usage.systemUs / 1000,
          max_rss_bytes: outcome.usage.maxRssKb * 1024,
        }
      : null,
  };
}
