import type {ActionClass} from '../config/approval-table.ts';
import type {DestructiveFact} from '../shell/dangerous/destructive.ts';
import type {RealPath} from '../system/links.ts';
import type {Analysis, Span} from '../shell/analysis.ts';
import type {Effect, Origin, Rule, Settings} from '../config/settings.ts';
import type {Reason} from './reasons.ts';

/** Something that ion is asked to do. The caller resolves paths to absolute ones, because policy is pure. */
export interface Action {
  /** `bash`, `read`, `write`, `edit`, `glob`, `grep`, or `mcp:<server>/<tool>`. */
  readonly tool: string;
  readonly class: ActionClass;
  readonly command?: ShellCommand;
  readonly paths: readonly ActionPath[];
  readonly mcpServer?: string;
}

export interface ShellCommand {
  readonly text: string;
  readonly analysis: Analysis;
  /** The programs named in the command → the file that PATH resolves each to (symlinks followed), or null. */
  readonly programs: ReadonlyMap<string, string | null>;
  /** Folders of those programs that are in a package store of the machine (Nix, Guix). */
  readonly storeFolders?: readonly string[];
}

export interface ActionPath {
  /** The path as it was requested. */
  readonly requested: string;
  /** Absolute, symlinks resolved up to the deepest existing parent. */
  readonly resolved: string;
  readonly access: 'read' | 'write' | 'delete';
}

/**
 * Reports whether a glob matches an absolute path. Given by the caller, so that policy does not load a glob library.
 */
export type PathMatcher = (pattern: string, path: string) => boolean;

/** The decisions of the PreToolUse hooks about this action. They ran before, because policy is pure. */
export interface HookVerdict {
  readonly effect: Effect;
  readonly because: string;
  readonly origin: Origin;
  readonly command: string;
}

export interface DenialCount {
  readonly consecutive: number;
  readonly total: number;
}

/** State that lasts as long as the session. */
export interface SessionState {
  /** Keys of actions (action-fingerprint.ts) that the user allowed for the session. */
  readonly grants: ReadonlySet<string>;
  readonly rules: readonly Rule[];
  /** Soft denials by fingerprint. */
  readonly denials: ReadonlyMap<string, DenialCount>;
}

/** Everything that a decision depends on besides the action. All of it is data. */
export interface PermissionState {
  readonly settings: Settings;
  /** The folder in which the user started ion, canonical. */
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
  readonly workspaceTrusted: boolean;
  /** True if ion may ask a question. False when headless: an ask is then a denial with reason `ask_unavailable`. */
  readonly interactive: boolean;
  /** Set when config locks the permissions, so ion asks nothing: where the lock is, and what would allow more. */
  readonly locked?: {readonly at: string; readonly help: string};
  /** Tools and command globs that this run or caller denies. */
  readonly taskRestrictions: {readonly tools: readonly string[]; readonly commands: readonly string[]};
  /** Real paths of the system's program folders. A safe command is safe only if its file is in one of them. */
  readonly systemProgramFolders: readonly string[];
  /** True when the OS boundary checks deny_commands again at exec. */
  readonly execChecked: boolean;
  /** Whether the kernel restricts writes and network of every program of the command. Absent: it restricts both. */
  readonly confines?: {readonly writes: boolean; readonly network: boolean};
  /** A text that identifies the boundary of this run. An answer for the session applies only under the same one. */
  readonly boundary?: string;
  readonly session?: SessionState;
  readonly hookVerdicts?: readonly HookVerdict[];
  /** Needed when a denied path is a glob. Without it such a pattern denies every path. */
  readonly matchesPath?: PathMatcher;
  /** Looks up links on the disk as they are now. Given by the caller. Without it paths are compared as text only. */
  readonly openLinks?: () => RealPath;
}

export type DecisionEffect = 'allow' | 'deny' | 'ask' | 'unavailable';

export interface RuleRef {
  /** The key or table that decided: `deny_commands`, `rules`, `guardrails`, `safe_commands`. */
  readonly key: string;
  readonly value: string;
  readonly origin: Origin;
}

/** The decision of one stage. Whether a denial is hard follows from its reason. */
export interface Verdict {
  readonly effect: Effect;
  readonly reason: Reason;
  readonly message: string;
  readonly help?: string;
  readonly ruleRefs: readonly RuleRef[];
  readonly scope: string;
  readonly span?: Span;
}

/** One step of the chain that led to a decision: which stage looked, what it saw, what it decided. */
export interface TraceStep {
  readonly stage: StageName;
  /** For people, one line each: `12 rules, none matches`. */
  readonly saw: readonly string[];
  readonly effect?: Effect;
  readonly reason?: Reason;
}

export type StageName =
  | 'task_restrictions'
  | 'guardrails'
  | 'capabilities'
  | 'hooks'
  | 'rules'
  | 'mode'
  | 'untrusted_rules'
  | 'denial_fallback'
  | 'asking';

/**
 * The answer for one action: every action gets one (product contract, section 5). Events and JSON use the contract's
 * names, in snake case.
 */
export interface Decision {
  readonly effect: DecisionEffect;
  /** The stage that decided. */
  readonly source: StageName;
  /** A stable code; the list is in reasons.ts. */
  readonly reason: Reason;
  /** A hard denial is final: no rule, grant, answer or denial count changes it. */
  readonly hard: boolean;
  /** One sentence for people: what was refused, and by what. */
  readonly message: string;
  readonly help?: string;
  readonly ruleRefs: readonly RuleRef[];
  /** The subject of the decision: the matching segment of the command, a path, a tool. */
  readonly scope: string;
  readonly span?: Span;
  /** The key of denial counts. `grantKey` is the key of answers for the session (action-fingerprint.ts). */
  readonly fingerprint: string;
  readonly grantKey: string;
  /** Set on a question about a name of the network. */
  readonly networkName?: string;
  readonly destructive: readonly DestructiveFact[];
  /** Facts that people should see although they do not decide: `deny rules are checked again at exec`. */
  readonly notes: readonly string[];
  readonly trace: readonly TraceStep[];
  /** Set when a person was asked: the id of the question, and when the answer expires. */
  readonly approvalActionId?: string;
  readonly expiresAt?: string;
  /** Set when a hook replaced the input: the hash of the input that the decision is about. */
  readonly updatedInputRef?: string;
}

/** A decision, and the action that it is about. A hook may have replaced the requested action. */
export interface Decided {
  readonly action: Action;
  readonly decision: Decision;
}
