import {lstatSync, mkdirSync, mkdtempSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {isWithin} from '../../system/is-within.ts';

export interface PrivateTempPlace {
  readonly home: string | undefined;
  readonly uid: number;
  /** The shared temp folder. */
  readonly temp: string;
  /** Folders that the run may read or write as a whole. Canonical. */
  readonly roots: readonly string[];
}

/** A new folder that is closed to other runs. Canonical, as its grant asks for. */
export function makePrivateTemp(place: PrivateTempPlace): string {
  const base = privateTempBase(place) ?? realpathSync.native(place.temp);
  return mkdtempSync(path.join(base, 'ion-'));
}

/**
 * Where no run may read or write: below ~/.ion, else below /var/tmp. Not in the shared temp folder, which other runs may write;
 * Landlock cannot deny below an allow. Undefined where neither can be had.
 */
export function privateTempBase({home, uid, roots}: PrivateTempPlace): string | undefined {
  const candidates = [...(home === undefined ? [] : [path.join(home, '.ion/tmp')]), `/var/tmp/ion-${uid}`];
  return candidates
    .map((folder) => ownFolder(folder, uid))
    .find((folder) => folder !== undefined && !roots.some((root) => isWithin(folder, root)));
}

/** The folder, made where it is not there; undefined when it is not a folder of this user's alone. */
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
