import {lstatSync, mkdirSync, mkdtempSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {isWithin} from '../../system/is-within.ts';
import {realpathIfThere} from '../../system/real-path.ts';

export interface PrivateTempPlace {
  readonly home: string | undefined;
  readonly uid: number;
  /** The shared temp folder. */
  readonly temp: string;
  /** Folders that the run may read or write as a whole. Canonical. */
  readonly roots: readonly string[];
}

/**
 * Makes a new folder that other runs cannot use. If that is not possible, the folder is in the shared temp folder. Returns a
 * canonical path, because its grant requires one.
 */
export function makePrivateTemp(place: PrivateTempPlace, runId: string): string {
  return makeClosedFolder(place, runId) ?? mkdtempSync(path.join(realpathSync.native(place.temp), 'ion-'));
}

/**
 * A new folder where no run may read or write: below ~/.ion, else below /var/tmp. It is not in the shared temp folder,
 * because other runs may write there, and Landlock cannot deny below an allowed root. Undefined where neither is
 * possible: a read-only file system, or another sandbox around ion.
 */
export function makeClosedFolder(place: PrivateTempPlace, runId: string): string | undefined {
  // A home can be below the shared temp folder, where this run's roots do not show it.
  const open = [...place.roots, ...realpathIfThere(place.temp)];
  for (const [base, folder] of closedFolders(place, runId)) {
    const own = ownFolder(base, place.uid);
    if (own === undefined || open.some((root) => isWithin(own, root))) continue;
    const made = path.join(own, path.basename(folder));
    if (attempt(() => (mkdirSync(made, {mode: 0o700}), true))) return made;
  }
  return undefined;
}

/**
 * The names that the private temp folder of a run can have, each with the folder above it. A name is short, because the path of
 * a socket in the folder has at most 107 bytes.
 */
export function closedFolders(
  {home, uid}: Pick<PrivateTempPlace, 'home' | 'uid'>,
  runId: string,
): [string, string][] {
  const bases = [...(home === undefined ? [] : [path.join(home, '.ion/tmp')]), `/var/tmp/ion-${uid}`];
  return bases.map((base) => [base, path.join(base, `ion-${runId.slice(0, 10)}`)]);
}

/** The folder, created if missing; undefined when other users can write it. */
function ownFolder(folder: string, uid: number): string | undefined {
  try {
    mkdirSync(path.dirname(folder), {mode: 0o700, recursive: true});
    try {
      mkdirSync(folder, {mode: 0o700});
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const info = lstatSync(folder);
    const isOwn = info.isDirectory() && info.uid === uid && (info.mode & 0o077) === 0;
    return isOwn ? realpathSync.native(folder) : undefined;
  } catch {
    return undefined;
  }
}
