import {fstatSync} from 'node:fs';
import path from 'node:path';
import type {AutorunEvent} from '../launch.ts';
import {fingerprint} from './file-fingerprint.ts';
import {readOpenConfig} from './git-config/git-lock.ts';
import {obeyedBecauseOf} from './obeyed.ts';
import {isThere, type Snapshot} from './snapshot.ts';
import type {Touched} from './touched.ts';

/**
 * Checks the protected files again after the whole tree is dead. Cheap when nothing changed, which is nearly always;
 * otherwise repair.ts is loaded.
 */
export async function verifyAutorun(
  snapshot: Snapshot,
  {paths: touched, more}: Touched,
): Promise<readonly AutorunEvent[]> {
  const watched = new Set(snapshot.watched);
  const changes: Changes = {
    shadows: snapshot.shadows.filter(isChanged),
    bare: snapshot.shadows.filter(({config}) => touched.has(config)),
    configs: snapshot.configs.filter(({path, print}) => fingerprint(path) !== print),
    locks: snapshot.configs
      .filter(({isLocked}) => !isLocked)
      .map(({path}) => `${path}.lock`)
      .filter((lock) => touched.has(lock) && isThere(lock)),
    appeared: snapshot.absent.filter(isThere),
    changed: snapshot.prints.filter(({path, print}) => fingerprint(path) !== print).map(({path}) => path),
    touched,
    own: [
      ...new Set(
        [...touched]
          .filter((file) => !watched.has(file))
          .flatMap(obeyedBecauseOf)
          .filter((file) => !isGuarded(file, snapshot)),
      ),
    ],
    more,
  };
  const {shadows, bare, configs, locks, appeared, changed, own} = changes;
  const found = [shadows, bare, configs, locks, appeared, changed, own].some(({length}) => length > 0);
  if (!found && more === undefined) return [];
  const {settle} = await import('./repair.ts');
  return settle(snapshot, changes);
}

export interface Changes {
  readonly shadows: Snapshot['shadows'];
  /**
   * Another process replaced the file itself, which removed the mount of the private copy, and the run reached for the
   * file then.
   */
  readonly bare: Snapshot['shadows'];
  readonly configs: Snapshot['configs'];
  /** Locks of configs that the run took and did not release. */
  readonly locks: readonly string[];
  readonly appeared: readonly string[];
  readonly changed: readonly string[];
  /** The files that the supervisor saw the run reach for. */
  readonly touched: ReadonlySet<string>;
  /** Files that git runs or obeys in repositories that the run made. */
  readonly own: readonly string[];
  /** The first of further such files, where there are too many to check. */
  readonly more: string | undefined;
}

/** A file that is too large for a config counts: the repair reports it. */
function isChanged({descriptor, before}: Snapshot['shadows'][number]): boolean {
  return fstatSync(descriptor).size !== before.length || !readOpenConfig(descriptor).equals(before);
}

/** In the workspace's git folder: already checked by name. */
function isGuarded(file: string, {input: {gitFolders, protectedFiles}}: Snapshot): boolean {
  const folder = path.dirname(file);
  return (
    gitFolders.includes(folder) ||
    protectedFiles.existing.includes(folder) ||
    protectedFiles.existing.includes(file)
  );
}
