import type {DecisionRecord} from '../policy/decision-record.ts';
import {redactAll} from './redact.ts';

/**
 * The events that ion records. Names are those of the contract, in snake case. `schema` goes up when a field changes
 * its meaning or is removed. The JSON schema in this folder describes the same events, and a test compares the two.
 */
export const eventSchema = 1;

interface Common {
  readonly schema: typeof eventSchema;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  /** The id of the run, or of the session if nothing runs. */
  readonly run_id: string;
}

export interface ActionRecord {
  readonly tool: string;
  readonly class: string;
  /** Redacted: secrets never reach the log. */
  readonly command: string | null;
  readonly paths: readonly {readonly path: string; readonly access: string}[];
  readonly mcp_server: string | null;
}

/** Origin document 004: current mode, rules, policy sources, and whether user interaction is allowed. */
export interface PermissionStateRecord {
  readonly mode: string;
  readonly approval: string;
  readonly sandbox: boolean | string | {readonly require: readonly string[]};
  readonly rules: number;
  readonly policy_sources: readonly string[];
  readonly workspace_trusted: boolean;
  readonly interaction_allowed: boolean;
}

/** Origin document 004: the boundary at execution time. `enforcement` is this run's column of the matrix. */
export interface SandboxProfileRecord {
  readonly mode: string;
  readonly boundary: string;
  readonly backend: string;
  readonly enforced: boolean;
  /** It is inside another run, whose boundary and deny rules hold too. */
  readonly inside_run: boolean;
  readonly cwd: string;
  readonly read_roots: readonly string[];
  /** Secrets of /etc: below the read roots, but not readable. */
  readonly withheld: readonly string[];
  readonly write_roots: readonly string[];
  readonly protected: readonly string[];
  readonly network: string;
  readonly environment_ref: string;
  /** The active presets. Their grants are part of the roots. The variables that they set are listed by name. */
  readonly toolchains: readonly {
    readonly name: string;
    readonly because: string;
    readonly variables: readonly string[];
  }[];
  readonly process_limits: Readonly<Record<string, number | null>>;
  /** The mechanism that enforces each limit. */
  readonly process_limits_by: Readonly<Record<string, string>>;
  readonly enforcement: readonly {readonly protection: string; readonly level: string; readonly by: string}[];
  readonly downgrades: readonly string[];
  readonly violation_refs: readonly string[];
}

export interface EventBodies {
  'run.started': {
    readonly ion_version: string;
    readonly pid: number;
    readonly cwd: string;
    readonly workspace: string;
    /** An id that is unique to the terminal session. Null without a terminal. */
    readonly terminal_session: string | null;
    readonly action: ActionRecord;
    readonly permission_state: PermissionStateRecord;
  };
  'permission.evaluated': DecisionRecord & {
    readonly action: ActionRecord;
    readonly duration_us: number | null;
  };
  'permission.requested': {
    readonly approval_action_id: string;
    readonly expires_at: string;
    readonly decision_reason: string;
    readonly message: string;
    readonly action: ActionRecord;
    readonly destructive: boolean;
  };
  'permission.resolved': {
    readonly approval_action_id: string;
    readonly resolution: 'allowed' | 'denied' | 'timed_out' | 'cancelled' | 'dropped';
    readonly decision: string;
    readonly decision_reason: string;
    /** How long the answer applies. */
    readonly scope: 'once' | 'session' | 'workspace' | 'user';
    /** False when the rule could not be written. The answer still applies to the session. */
    readonly persisted: boolean | null;
  };
  'sandbox.applied': {readonly sandbox_profile: SandboxProfileRecord};
  'sandbox.violation': {
    readonly violation_id: string;
    readonly operation: string;
    readonly syscall: string | null;
    readonly path: string | null;
    readonly program: string | null;
    readonly pid: number | null;
    /** Its number in the run's PID namespace, where there is one. */
    readonly pid_inside: number | null;
    readonly protection: string;
    /**
     * 1 in the first event of a violation. If it happens again, one more event at the end has the same violation_id
     * and the final count.
     */
    readonly count: number;
    readonly would_allow: string | null;
    /**
     * The rule of the boundary that refused it, and the part of it that matched. Null for limits, and for findings of ion after
     * the run.
     */
    readonly rule: string | null;
    readonly detail: string | null;
    /** The target of a refusal by a network table. Null where it is not known. */
    readonly name: string | null;
    readonly address: string | null;
    readonly port: number | null;
    /** The programs that led to it, starting with the command, each as its first words. Empty if unknown. */
    readonly chain: readonly string[];
    /** True if the chain starts with the command. False if a process in between had already ended. */
    readonly chain_complete: boolean;
    /** The program is known to continue without it, so no closing line names it. */
    readonly expected: boolean;
    /**
     * The refused process is known to have failed. The last event of the violation says so, at the end of the run. Linux 6.15 and
     * newer.
     */
    readonly program_failed: boolean;
  };
  'config.ignored': {
    readonly key: string;
    readonly value: string;
    readonly at: string;
    readonly why: string;
  };
  'hook.finished': {
    readonly hook_event: string;
    readonly command: string;
    readonly at: string;
    readonly outcome: 'proceed' | 'allow' | 'ask' | 'block' | 'warning' | 'timed_out' | 'failed';
    readonly exit_code: number | null;
    readonly signal: string | null;
    readonly duration_ms: number;
    readonly message: string;
  };
  /** The command changed a file of the CI runner that later steps read (docs/ci.md). */
  'step.written': {
    readonly variable: string;
    readonly path: string;
    readonly bytes_before: number;
    /** Null: the file is gone. */
    readonly bytes_after: number | null;
  };
  'process.exec': {
    readonly pid: number;
    readonly pid_inside: number | null;
    readonly program: string;
    readonly argv: readonly string[];
  };
  'run.finished': {
    readonly exit_code: number;
    readonly signal: string | null;
    readonly timed_out: boolean;
    readonly duration_ms: number;
    readonly violation_refs: readonly string[];
    /** The id of the decision that refused the command. Null if it ran. */
    readonly denial_id: string | null;
    readonly usage: {
      readonly user_ms: number;
      readonly system_ms: number;
      readonly max_rss_bytes: number;
    } | null;
    /** How connections of a network table open: "exact" as outside, or "accepted first". Null without one. */
    readonly connections: string | null;
  };
  /** The log writes this itself when head and log disagree. Here and in the events below, run_id is null. */
  'log.recovered': {readonly reason: string; readonly bytes: number};
  /**
   * The result of `ion audit verify`. It stays in the log, so it is still reported when the cause is no longer
   * visible.
   */
  'log.verified': {
    readonly intact: boolean;
    readonly records: number;
    /** `file:line` of the problem. */
    readonly at: string | null;
    readonly why: string | null;
  };
  /** The log was pruned: its oldest files were deleted, and the chain starts after this record. */
  'log.pruned': {
    readonly files: readonly string[];
    readonly records: number;
    readonly through_sequence: number;
    readonly through_hash: string;
    /** The findings of verify in the deleted files. */
    readonly found: readonly string[];
  };
}

export type EventType = keyof EventBodies;

/** One event, ready for the log, `--events` and `--json`. */
export type Event<T extends EventType = EventType> = {
  [K in T]: Common & {readonly type: K} & EventBodies[K];
}[T];

/** These events never quote a command: they hold only paths and ion's own words. */
const withoutSecrets: ReadonlySet<EventType> = new Set(['sandbox.applied']);

/** Redacts secrets in every text. A message or a rule's match can quote the command too. */
export function makeEvent<T extends EventType>(
  type: T,
  {runId, now}: {runId: string; now: Date},
  body: EventBodies[T],
): Event<T> {
  return {
    schema: eventSchema,
    type,
    time: now.toISOString(),
    run_id: runId,
    ...(withoutSecrets.has(type) ? body : redactAll(body)),
  } as unknown as Event<T>;
}

/** Execution events are for live streams only. In the log they would outnumber all others. */
export function isLogged({type}: Event): boolean {
  return type !== 'process.exec';
}
