import {fstatSync} from 'node:fs';
import path from 'node:path';
import type {AutorunEvent} from '../launch.ts';
import {fingerprint} from './file-fingerprint.ts';
import {readOpenConfig} from './git-config/git-lock.ts';
import {obeyedBecauseOf} from './obeyed.ts';
import {isThere, type Snapshot} from './snapshot.ts';
import type {Touched} from './touched.ts';

/**
 * Look at the protected things again, when the whole tree is dead. Cheap where nothing changed, which is nearly always; what
 * did is settled by settle.ts, loaded only then.
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
  /** Of these another process replaced the file itself, which took the private copy's mount away, and the run reached for it then. */
  readonly bare: Snapshot['shadows'];
  readonly configs: Snapshot['configs'];
  /** Of configs, that the run has taken and not given back. */
  readonly locks: readonly string[];
  readonly appeared: readonly string[];
  readonly changed: readonly string[];
  /** What the supervisor has seen the run reach for. */
  readonly touched: ReadonlySet<string>;
  /** What git runs or obeys in repositories that the run has made. */
  readonly own: readonly string[];
  /** One of further such files, where there are too many to look at. */
  readonly more: string | undefined;
}

/** One that is too large to be a config counts: settling it will say so. */
function isChanged({descriptor, before}: Snapshot['shadows'][number]): boolean {
  return fstatSync(descriptor).size !== before.length || !readOpenConfig(descriptor).equals(before);
}

/** In the git folder of the workspace: looked after by name already. */
function isGuarded(file: string, {input: {gitFolders, pins}}: Snapshot): boolean {
  const folder = path.dirname(file);
  return gitFolders.includes(folder) || pins.existing.includes(folder) || pins.existing.includes(file);
}
