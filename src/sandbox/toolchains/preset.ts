/** A toolchain preset as profiles/toolchains/*.toml says it; profiles/toolchains/README.md has the meaning of each key. */
export interface Preset {
  readonly name: string;
  /** For people: what it is for. */
  readonly tools: string;
  readonly programs: readonly string[];
  readonly markers: readonly string[];
  readonly install: readonly InstallRow[];
  readonly read: readonly ReadRow[];
  readonly cache: readonly CacheRow[];
  readonly set: readonly SetRow[];
  readonly expected: readonly PathRow[];
  readonly closed: readonly PathRow[];
}

/** Names of the workspace, or paths that begin with `~/`. */
export interface Conditions {
  readonly when?: readonly string[];
  readonly unless?: readonly string[];
}

interface PathRow {
  readonly path: string;
  readonly reason: string;
}

export interface ReadRow extends Conditions, PathRow {
  /** A variable. If the user has set it, it names the folder, and `path` does not count. */
  readonly variable?: string;
}

export interface InstallRow {
  readonly on: string;
  readonly read: readonly string[];
  readonly reason: string;
}

export interface SetRow extends Conditions {
  readonly variable: string;
  readonly value: string;
  /** The text between the user's own value and this one. Absent: the user's own value stays as it is. */
  readonly join?: string;
  /** Only with `network = "none"`. */
  readonly closed_network?: true;
  readonly reason: string;
}

export interface CacheRow extends Conditions {
  readonly variable: string;
  /** The name inside the workspace's cache. */
  readonly folder: string;
  /** The tool's own place for it. */
  readonly default: string;
  readonly value?: string;
  readonly join?: string;
  readonly any_case?: true;
  readonly offline?: readonly string[];
  readonly offline_value?: string;
  readonly reason: string;
}
