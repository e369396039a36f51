import {fstatSync} from 'node:fs';
import path from 'node:path';
import type {AutorunEvent} from '../run-event.ts';
import type {Changes} from './changes.ts';
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
  const {repair} = await import('./repair.ts');
  return repair(snapshot, changes);
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
