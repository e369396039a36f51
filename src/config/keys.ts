import type {
  ApprovalMode,
  Exclusion,
  Hook,
  ListedRoot,
  Mode,
  ProcessesSetting,
  ReadSetting,
  ReportLevel,
  Rule,
  SandboxSetting,
  Sourced,
  WorkspaceSetting,
} from './settings.ts';
import type {SourcedNetwork} from './network/network-table.ts';

type List = readonly Sourced<string>[];
type Table = Readonly<Record<string, Sourced<string>>>;

/**
 * Every key of a config file, and the type of its value in a layer. The schema, the join table and the defaults are
 * tables over these keys, so the compiler requires a row in each for a new key.
 */
export interface Values {
  readonly 'permissions.mode': Sourced<Mode>;
  readonly 'permissions.read': Sourced<ReadSetting>;
  readonly 'permissions.sandbox': Sourced<SandboxSetting>;
  readonly 'permissions.locked': Sourced<boolean>;
  readonly 'permissions.trusted_environment': List;
  readonly 'permissions.deny_commands': List;
  readonly 'permissions.approval': Sourced<ApprovalMode>;
  readonly 'permissions.denied_paths': List;
  readonly 'permissions.trusted_paths': List;
  readonly 'permissions.allowed_tools': List;
  readonly 'permissions.auto_approve_patterns': List;
  readonly 'permissions.frame': Sourced<string>;
  readonly 'permissions.rules': readonly Rule[];
  readonly 'sandbox.read_roots': readonly ListedRoot[];
  readonly 'sandbox.write_roots': readonly ListedRoot[];
  readonly 'sandbox.protect': List;
  readonly 'sandbox.unprotect': List;
  readonly 'sandbox.workspace': Sourced<WorkspaceSetting>;
  readonly 'sandbox.processes': Sourced<ProcessesSetting>;
  readonly 'sandbox.tmp': Sourced<'shared' | 'private'>;
  readonly 'sandbox.network': SourcedNetwork;
  readonly 'sandbox.unix_sockets': List;
  readonly 'sandbox.toolchains': Sourced<'auto' | readonly string[]>;
  readonly 'sandbox.report': Sourced<ReportLevel>;
  readonly 'sandbox.limits.timeout': Sourced<number>;
  readonly 'sandbox.limits.memory': Sourced<number>;
  readonly 'sandbox.limits.processes': Sourced<number>;
  readonly 'sandbox.limits.open_files': Sourced<number>;
  readonly 'sandbox.limits.file_size': Sourced<number>;
  readonly 'sandbox.limits.cpu': Sourced<number>;
  readonly 'sandbox.limits.disk': Sourced<number>;
  readonly 'environment.exclude': readonly Exclusion[];
  readonly 'environment.keep': List;
  readonly 'environment.set': Table;
  readonly 'audit.mode': Sourced<'best-effort' | 'required'>;
  readonly hooks: readonly Hook[];
  readonly frames: Table;
}

export type Key = keyof Values;

/** The keys that have no default: absent means no limit. */
export type LimitKey = Extract<Key, `sandbox.limits.${string}`>;

/** The values that one layer sets. */
export type LayerValues = {readonly [K in Key]?: Values[K]};

/** The resolved values: every key, but a limit only if it is set. */
export type ResolvedValues = {readonly [K in Exclude<Key, LimitKey>]: Values[K]} & {
  readonly [K in LimitKey]?: Values[K];
};
