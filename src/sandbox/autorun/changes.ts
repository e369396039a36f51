import type {Snapshot} from './snapshot.ts';

/** The differences from the snapshot after a run. */
export interface Changes {
  readonly shadows: Snapshot['shadows'];
  /**
   * Another process replaced the file itself, which removed the mount of the private copy. The run then tried to write the file.
   */
  readonly bare: Snapshot['shadows'];
  readonly configs: Snapshot['configs'];
  /** Locks of configs that the run took and did not release. */
  readonly locks: readonly string[];
  readonly appeared: readonly string[];
  readonly changed: readonly string[];
  /** The files that the supervisor saw the run try to write. */
  readonly touched: ReadonlySet<string>;
  /** Files that git runs or obeys in repositories that the run made. */
  readonly own: readonly string[];
  /** The first of further such files, where there are too many to check. */
  readonly more: string | undefined;
}
