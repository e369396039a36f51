import type {Analysis, Span} from '../shell/analysis.ts';
import type {Origin, Settings} from '../config/settings.ts';

/** What an action does; the columns of the approval table. */
export type ActionClass = 'read' | 'edit' | 'delete' | 'shell' | 'network' | 'external' | 'mcp';

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
}

export interface ActionPath {
  /** As it was asked for. */
  readonly requested: string;
  /** Absolute, symlinks resolved up to the deepest existing parent. */
  readonly resolved: string;
  readonly access: 'read' | 'write' | 'delete';
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
  /** Tools and command globs that this run or caller denies. */
  readonly taskRestrictions: {readonly tools: readonly string[]; readonly commands: readonly string[]};
  /** Real folders of the system's programs: a safe command is safe only if its file lies in one. */
  readonly systemProgramFolders: readonly string[];
  /** True when deny_commands are enforced again at exec by the OS boundary. */
  readonly execChecked: boolean;
}

export type DecisionEffect = 'allow' | 'deny' | 'ask' | 'unavailable';

export interface RuleRef {
  /** The key or table that decided: `deny_commands`, `rules`, `guardrails`, `safe_commands`. */
  readonly key: string;
  readonly value: string;
  readonly origin: Origin;
}

export interface DestructiveFact {
  readonly what: string;
  readonly impactScope: readonly string[];
  readonly outsideWorkspace: boolean;
  readonly rollbackAdvice: string;
  readonly span: Span;
}

/** Every action gets one (product contract, section 5). Names in events and JSON are those of the contract, in snake case. */
export interface Decision {
  readonly effect: DecisionEffect;
  /** The stage or source that decided. */
  readonly source: string;
  /** A stable code; the list is in reasons.ts. */
  readonly reason: string;
  /** One sentence for people: what was refused, and by what. */
  readonly message: string;
  readonly help?: string;
  readonly ruleRefs: readonly RuleRef[];
  /** What the decision is about: the matching segment of the command, a path, a tool. */
  readonly scope: string;
  readonly span?: Span;
  readonly destructive: readonly DestructiveFact[];
  /** Facts that people should see though they decide nothing: `deny rules are checked again at exec`. */
  readonly notes: readonly string[];
}
