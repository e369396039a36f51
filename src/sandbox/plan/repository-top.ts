import {lstatSync} from 'node:fs';
import path from 'node:path';
import {sharedTemps} from '../../shell/paths.ts';
import {isOwnersAlone} from '../../system/group-members.ts';
import {whyMeaningless} from './roots.ts';

export interface TopPlace {
  /** The git folders of the repository. Canonical, like all paths here. */
  readonly gitFolders: readonly string[];
  readonly home: string | undefined;
  readonly otherHomes: readonly string[];
  readonly temp: string;
  readonly uid: number;
}

/**
 * Returns why the top folder of a repository cannot be the workspace of a run that starts below it, or undefined if it can. The
 * user chose the current folder, not this one. A `.git` that another user puts above it must not make anything writable.
 */
export function refuseTop(
  top: string,
  {gitFolders, home, otherHomes, temp, uid}: TopPlace,
): string | undefined {
  const what = whyMeaningless(top, home, otherHomes);
  if (what !== undefined) return `it is ${what}`;
  if ([temp, ...sharedTemps].includes(top) || /^\/run\/user\/\d+$/.test(top)) return 'it is a temp folder';
  const [gitFolder] = gitFolders;
  if (gitFolder === undefined) return 'its ".git" names a git folder that does not name it in turn';
  try {
    const files = new Set([top, path.join(top, '.git'), gitFolder]);
    return [...files].map((file) => whyShared(file, uid)).find((why) => why !== undefined);
  } catch {
    return 'ion cannot look up its owner';
  }
}

/** Returns how another user could change the file. Root may use every user's repository, so its owner does not count for root. */
function whyShared(file: string, uid: number): string | undefined {
  const info = lstatSync(file);
  if (info.uid !== uid && uid !== 0) return `${file} belongs to another user`;
  if (info.isSymbolicLink()) return undefined; // has no mode of its own
  if ((info.mode & 0o002) !== 0) return `every user can write to ${file}`;
  if ((info.mode & 0o020) === 0 || isOwnersAlone(info)) return undefined;
  return `other users of its group can write to ${file}`;
}
