import type {ActionClass} from '../config/approval-table.ts';
import type {DestructiveFact} from '../shell/dangerous/destructive.ts';
import type {RealPath} from '../system/links.ts';
import type {Analysis, Span} from '../shell/analysis.ts';
import type {Effect, Origin, Rule, Settings} from '../config/settings.ts';
import type {Reason} from './reasons.ts';

/** Something that ion is asked to do. Paths are absolute and resolved by the caller: policy is pure. */
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
  /** The programs named in the command → the file that PATH resolves them to (symlinks followed), or null. */
  readonly programs: ReadonlyMap<string, string | null>;
  /** Folders of those programs that are in a store of the machine (Nix, Guix). */
  readonly storeFolders?: readonly string[];
}

export interface ActionPath {
  /** As it was asked for. */
  readonly requested: string;
  /** Absolute, symlinks resolved up to the deepest existing parent. */
  readonly resolved: string;
  readonly access: 'read' | 'write' | 'delete';
}

/** Is this absolute path matched by this glob? Given by the caller, so that policy does not load a glob library. */
export type PathMatcher = (pattern: string, path: string) => boolean;

/** What the PreToolUse hooks said about this action (they ran before: policy is pure). */
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

/** What lives as long as the session. */
export interface SessionState {
  /** Keys of actions (fingerprint.ts) that the user allowed for the session. */
  readonly grants: ReadonlySet<string>;
  readonly rules: readonly Rule[];
  /** Soft denials by fingerprint. */
  readonly denials: ReadonlyMap<string, DenialCount>;
}

/** What decisions depend on besides the action itself. All of it is data. */
export interface PermissionState {
  readonly settings: Settings;
  /** The folder where the user stood when ion started, canonical. */
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
  readonly workspaceTrusted: boolean;
  /** May a question be asked? False when headless: an ask is then a denial with reason `ask_unavailable`. */
  readonly interactive: boolean;
  /** Under a lock nothing is asked: where it stands, and what would allow more. */
  readonly locked?: {readonly at: string; readonly help: string};
  /** Tools and command globs that this run or caller denies. */
  readonly taskRestrictions: {readonly tools: readonly string[]; readonly commands: readonly string[]};
  /** Real folders of the system's programs: a safe command is safe only if its file lies in one. */
  readonly systemProgramFolders: readonly string[];
  /** True when deny_commands are enforced again at exec by the OS boundary. */
  readonly execChecked: boolean;
  /** What the kernel keeps of a command's own doing; absent: all of it. */
  readonly confines?: {readonly writes: boolean; readonly network: boolean};
  /** The boundary of this run in a text: an answer for the session holds under no other. */
  readonly boundary?: string;
  readonly session?: SessionState;
  readonly hookVerdicts?: readonly HookVerdict[];
  /** Needed when a denied path is a glob; without it such a pattern denies (never the other way round). */
  readonly matchesPath?: PathMatcher;
  /** A look at the links on the disk as they are now, given by the caller; without it paths are compared as text alone. */
  readonly openLinks?: () => RealPath;
}

export type DecisionEffect = 'allow' | 'deny' | 'ask' | 'unavailable';

export interface RuleRef {
  /** The key or table that decided: `deny_commands`, `rules`, `guardrails`, `safe_commands`. */
  readonly key: string;
  readonly value: string;
  readonly origin: Origin;
}

/** What one stage says. Whether a denial is hard follows from its reason. */
export interface Verdict {
  readonly effect: Effect;
  readonly reason: Reason;
  readonly message: string;
  readonly help?: string;
  readonly ruleRefs: readonly RuleRef[];
  readonly scope: string;
  readonly span?: Span;
}

/** One link of the chain that led to a decision: which stage looked, what it saw, what it said. */
export interface TraceStep {
  readonly stage: StageName;
  /** For people, one line each: `12 rules, 2 match: ...`. */
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

/** Every action gets one (product contract, section 5). Names in events and JSON are those of the contract, in snake case. */
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
  /** What the decision is about: the matching segment of the command, a path, a tool. */
  readonly scope: string;
  readonly span?: Span;
  /** What denial counts refer to, and what an answer for the session does (fingerprint.ts). */
  readonly fingerprint: string;
  readonly grantKey: string;
  readonly destructive: readonly DestructiveFact[];
  /** Facts that people should see though they decide nothing: `deny rules are checked again at exec`. */
  readonly notes: readonly string[];
  readonly trace: readonly TraceStep[];
  /** Set when somebody was asked: the id of the question, and when the answer stops to count. */
  readonly approvalActionId?: string;
  readonly expiresAt?: string;
  /** Set when a hook replaced the input: the hash of the input that was decided on. */
  readonly updatedInputRef?: string;
}
