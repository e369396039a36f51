import type {Limit} from './limits.ts';
import type {NetworkSetting} from './network/network-table.ts';
import type {Origin, Sourced} from './sourced.ts';

/**
 * The resolved value of every config key (product contract, section 3). Each value has its origin, so that a refusal
 * can name the file and line that caused it.
 */

/** A glob over names of variables. */
export interface Exclusion extends Sourced<string> {
  /** False for a project layer that is not trusted. Such a layer cannot remove variables that configure tools. */
  readonly trusted?: false;
}

export type Mode = 'read' | 'write';
/** Whether the run sees only its own processes (if the machine grants a PID namespace), or those of the machine. */
export type ProcessesSetting = 'own' | 'shared';
/** Which programs read mode runs: the commands of the safe table, or any. */
export type ReadSetting = 'table' | 'kernel';
/** `require`: all protections, or those of the list (rows of the enforcement matrix), must hold, or nothing runs. */
export type SandboxSetting = boolean | 'require' | {readonly require: readonly string[]};
/** Where the roots start: the current folder, or the top of the repository that contains it. */
export type WorkspaceSetting = 'folder' | 'repository';
export type ReportLevel = 'minimal' | 'denials' | 'all';
export type Effect = 'allow' | 'ask' | 'deny';
export type RuleScope = 'tool' | 'path' | 'command_prefix' | 'mcp_server';
/** Rule sources, strongest first. */
export type RuleSource = 'session' | 'workspace' | 'manifest' | 'user' | 'mode';
export type ApprovalMode =
  | 'never'
  | 'ask'
  | 'safe'
  | 'auto'
  | 'yolo'
  | 'default'
  | 'plan'
  | 'accept_edits'
  | 'dont_ask'
  | 'bypass_permissions'
  | 'on_failure';

export interface Rule {
  readonly effect: Effect;
  readonly scope: RuleScope;
  readonly match: string;
  /** With scope `path`: if given, the rule applies only to this tool. */
  readonly tool?: string;
  readonly reason?: string;
  readonly source: RuleSource;
  readonly origin: Origin;
  /** False for rules of a project layer that is not trusted. They can only make the outcome stricter. */
  readonly trusted: boolean;
}

export type HookEvent = 'PreToolUse' | 'PostToolUse' | 'SessionStart' | 'Stop' | 'PreCompact';

export interface Hook {
  readonly event: HookEvent;
  /** A regular expression over the tool's name. Absent: every tool. */
  readonly match?: string;
  readonly command: string;
  readonly timeoutMs?: number;
  /** Only `~/.ion` and `--config` may set it to false. */
  readonly sandbox: boolean;
  readonly origin: Origin;
  /** The workspace changed since it was trusted: the hook may still deny, but no longer allow. */
  readonly onlyForbids?: boolean;
}

/** The value of each limit, in the unit of its row in the table. Absent: no limit. */
export type Limits = {readonly [limit in Limit]?: Sourced<number>};
export type {LayerKind, Origin, Sourced} from './sourced.ts';
export type {NetworkSetting} from './network/network-table.ts';

type List = readonly Sourced<string>[];

/** A path that commands may read or write. */
export interface ListedRoot extends Sourced<string> {
  /**
   * What ion does if it does not exist: leaves it out, or makes it before a run in write mode. Otherwise a missing path is an
   * error.
   */
  readonly missing?: 'skip' | 'create';
}

export interface Settings {
  readonly mode: Sourced<Mode>;
  readonly read: Sourced<ReadSetting>;
  readonly sandbox: Sourced<SandboxSetting>;
  readonly denyCommands: List;
  readonly approval: Sourced<ApprovalMode>;
  readonly deniedPaths: List;
  readonly trustedPaths: List;
  readonly allowedTools: List;
  readonly autoApprovePatterns: List;
  readonly frame: Sourced<string>;
  readonly rules: readonly Rule[];
  readonly readRoots: readonly ListedRoot[];
  readonly writeRoots: readonly ListedRoot[];
  readonly protect: List;
  readonly unprotect: List;
  readonly workspace: Sourced<WorkspaceSetting>;
  readonly processes: Sourced<ProcessesSetting>;
  readonly tmp: Sourced<'shared' | 'private'>;
  readonly network: Sourced<NetworkSetting>;
  readonly unixSockets: List;
  readonly toolchains: Sourced<'auto' | readonly string[]>;
  readonly report: Sourced<ReportLevel>;
  readonly limits: Limits;
  readonly environment: {
    readonly exclude: readonly Exclusion[];
    readonly keep: List;
    readonly set: Readonly<Record<string, Sourced<string>>>;
  };
  readonly auditMode: Sourced<'best-effort' | 'required'>;
  readonly hooks: readonly Hook[];
  readonly frames: Readonly<Record<string, Sourced<string>>>;
}

/** Whether the user trusts this workspace. `changed`: it was trusted, and its config is now different. */
export type TrustState = 'trusted' | 'untrusted' | 'changed';

/** `permissions.locked`: every layer above the one that sets it may only tighten. */
export interface Lock {
  readonly by: 'machine' | 'user';
  readonly origin: Origin;
}

export interface WorkspaceTrust {
  readonly state: TrustState;
  /** For people: `trusted by "ion trust"`, `its .ion/config.toml changed since it was trusted`. */
  readonly because: string;
  /** What the user can do when it is not trusted. */
  readonly help?: string;
  /**
   * For a trusted workspace: the config files that were added since it was trusted, each with the reason why it is
   * not trusted.
   */
  readonly newcomers?: Readonly<Record<string, string>>;
  /** For a changed workspace: the paths of the config files that are still as they were trusted. */
  readonly unchanged?: readonly string[];
}

/** A value of an untrusted project layer that was ignored because it would loosen something. */
export interface Ignored {
  readonly key: string;
  /** In TOML's own form, shortened if it is long. */
  readonly value: string;
  /** The whole value as TOML gave it, for a user who decides whether to trust it. */
  readonly written: unknown;
  readonly origin: Origin;
  readonly why: string;
  /** What the user can do about it. */
  readonly help: string;
}

export interface ResolvedConfig {
  readonly settings: Settings;
  /** The settings of the trusted layers without the project's: the boundary and the environment of hooks. */
  readonly hookSettings: Settings;
  readonly ignored: readonly Ignored[];
  readonly lock: Lock | undefined;
  /** Requests with methods that ion does not know reach the MCP server that the config was resolved for. */
  readonly passUnknown: boolean;
  /** The folder that trust is about, canonical: the repository's top level, else the start folder. */
  readonly workspace: string;
  readonly trust: WorkspaceTrust;
  /**
   * Real paths of the files that were allowed to loosen something, or whose hooks deny. A process that changes one of
   * them changes what the next run may do. So the sandbox keeps them read-only, wherever they are.
   */
  readonly trustedFiles: readonly string[];
  /** Every file that ion read or looked for, highest first. */
  readonly layers: readonly {readonly origin: Origin; readonly present: boolean; readonly trusted: boolean}[];
}
