import {fstatSync, lstatSync} from 'node:fs';
import type {AutorunEvent, RunEvent} from '../backend.ts';
import {fingerprint} from './fingerprint.ts';
import {readOpen} from './git-lock.ts';
import type {Snapshot} from './prepare.ts';

/**
 * Look at the protected things again, when the whole tree is dead. Cheap where nothing changed, which is nearly always; what
 * did is settled by settle.ts, loaded only then.
 */
export async function verifyAutorun(
  snapshot: Snapshot,
  events: readonly RunEvent[],
): Promise<readonly AutorunEvent[]> {
  const touched = new Set(events.flatMap((event) => (event.kind === 'touched' ? [event.path] : [])));
  const changes: Changes = {
    shadows: snapshot.shadows.filter(isChanged),
    configs: snapshot.configs.filter(({path, print}) => fingerprint(path) !== print),
    appeared: snapshot.input.pins.absent.filter(isThere),
    changed: snapshot.prints.filter(({path, print}) => fingerprint(path) !== print).map(({path}) => path),
    touched,
  };
  const {shadows, configs, appeared, changed} = changes;
  if (shadows.length + configs.length + appeared.length + changed.length === 0) return [];
  const {settle} = await import('./settle.ts');
  return settle(snapshot, changes);
}

export interface Changes {
  readonly shadows: Snapshot['shadows'];
  readonly configs: Snapshot['configs'];
  readonly appeared: readonly string[];
  readonly changed: readonly string[];
  /** What the supervisor has seen the run reach for. */
  readonly touched: ReadonlySet<string>;
}

/** One that is too large to be a config counts: settling it will say so. */
function isChanged({descriptor, before}: Snapshot['shadows'][number]): boolean {
  return fstatSync(descriptor).size !== before.length || !readOpen(descriptor).equals(before);
}

function isThere(file: string): boolean {
  try {
    return lstatSync(file, {throwIfNoEntry: false}) !== undefined;
  } catch {
    return false;
  }
}
