import type {DecisionRecord} from '../policy/decision-record.ts';
import {redactAll} from './redact.ts';

/**
 * What ion records. Names are those of the contract, in snake case; `schema` counts up when a field changes its
 * meaning or goes away. The JSON schema beside this file says the same, and a test holds the two together.
 */
export const eventSchema = 1;

interface Common {
  readonly schema: typeof eventSchema;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  /** One run, or one session where nothing runs. */
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

/** 004: current mode, rules, policy sources, and whether user interaction is allowed. */
export interface PermissionStateRecord {
  readonly mode: string;
  readonly approval: string;
  readonly sandbox: boolean | string;
  readonly rules: number;
  readonly policy_sources: readonly string[];
  readonly workspace_trusted: boolean;
  readonly interaction_allowed: boolean;
}

/** 004: the boundary at execution time. `enforcement` is this run's column of the matrix. */
export interface SandboxProfileRecord {
  readonly mode: string;
  readonly boundary: string;
  readonly backend: string;
  readonly enforced: boolean;
  readonly cwd: string;
  readonly read_roots: readonly string[];
  /** Below the read roots, and yet not readable: secrets of /etc. */
  readonly withheld: readonly string[];
  readonly write_roots: readonly string[];
  readonly protected: readonly string[];
  readonly network: string;
  readonly environment_ref: string;
  /** Presets in force; what they grant is among the roots, what they set by its names. */
  readonly toolchains: readonly {
    readonly name: string;
    readonly because: string;
    readonly variables: readonly string[];
  }[];
  readonly process_limits: Readonly<Record<string, number | null>>;
  /** What keeps each of them. */
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
    /** A name that no other terminal session has; null without a terminal. */
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
    readonly resolution: 'allowed' | 'denied' | 'timed_out' | 'cancelled';
    readonly decision: string;
    readonly decision_reason: string;
    /** How long the answer holds. */
    readonly scope: 'once' | 'session' | 'workspace' | 'user';
    /** False when a rule could not be written: the answer still holds for the session. */
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
    readonly protection: string;
    /** 1 when it is told as it happens; what happened again is told again in the end, by the same violation_id. */
    readonly count: number;
    readonly would_allow: string | null;
    /** The rule of the boundary that refused it, and what of it matched; null for limits and for what was found after the run. */
    readonly rule: string | null;
    readonly detail: string | null;
    /** The programs that asked, the command first, each by its first words; empty where that is not known. */
    readonly chain: readonly string[];
    /** The chain begins with the command: false where a process in between had ended. */
    readonly chain_complete: boolean;
    /** Its program goes on without it: no closing line names it. */
    readonly expected: boolean;
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
  'process.exec': {readonly pid: number; readonly program: string; readonly argv: readonly string[]};
  'run.finished': {
    readonly exit_code: number;
    readonly signal: string | null;
    readonly timed_out: boolean;
    readonly duration_ms: number;
    readonly violation_refs: readonly string[];
    /** The id of the decision that refused the command; null where it ran. */
    readonly denial_id: string | null;
    readonly usage: {
      readonly user_ms: number;
      readonly system_ms: number;
      readonly max_rss_bytes: number;
    } | null;
  };
  /** Written by the log itself, where head and log did not agree; run_id is null, as in what follows. */
  'log.recovered': {readonly reason: string; readonly bytes: number};
  /** What `ion audit verify` found: it stays reported when the cause cannot be seen any more. */
  'log.verified': {
    readonly intact: boolean;
    readonly records: number;
    /** `file:line` and what is wrong there. */
    readonly at: string | null;
    readonly why: string | null;
  };
  /** The log was pruned: its oldest files are gone, and the chain begins behind this record. */
  'log.pruned': {
    readonly files: readonly string[];
    readonly records: number;
    readonly through_sequence: number;
    readonly through_hash: string;
    /** What verify had to report of them. */
    readonly found: readonly string[];
  };
}

export type EventType = keyof EventBodies;

/** One event, ready for the log, `--events` and `--json`. */
export type Event<T extends EventType = EventType> = {
  [K in T]: Common & {readonly type: K} & EventBodies[K];
}[T];

/** Nothing in these quotes a command: paths, and words of ion's own. */
const withoutSecrets: ReadonlySet<EventType> = new Set(['sandbox.applied']);

/** Secrets are taken out here, of every text: a message or a rule's match quotes the command too. */
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

/** These are for live streams only: in the log they would be most of it. */
export function isLogged({type}: Event): boolean {
  return type !== 'process.exec';
}
