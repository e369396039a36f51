/**
 * The layers, highest first. Among `project` files the nearest folder comes first, and `config.local.toml` before
 * `config.toml`.
 */
export type LayerKind =
  | 'flag'
  /** One `--set`. */
  | 'set'
  | 'config-flag'
  /** The file that ION_CONFIG names. */
  | 'environment'
  /** The grants of the user to this workspace. */
  | 'grants'
  | 'project-local'
  | 'project'
  | 'user'
  /** /etc/ion/config.toml. */
  | 'machine'
  | 'default';

export interface Origin {
  readonly layer: LayerKind;
  /**
   * The file as the user would write it (relative to the start folder, or with `~`). Absent for flags and defaults.
   */
  readonly file?: string;
  /** The number of the line, from 1. An origin without a file has none. */
  readonly line?: number | undefined;
}

export interface Sourced<T> {
  readonly value: T;
  readonly origin: Origin;
}
