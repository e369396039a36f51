import {isUsersOwn} from '../../shell/paths.ts';
import {isWithin} from '../../system/is-within.ts';
import {systemRoots} from './system-roots.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';

/** Folders that a run may write, or that a project's files come from. All paths canonical. */
export interface RunFolders {
  readonly workspaces: readonly string[];
  readonly temps: readonly string[];
  readonly writeRoots: readonly string[];
  /** ion's own folder: never part of a workspace, wherever it is. */
  readonly own: string | undefined;
}

export type RunFolderKind = 'the workspace' | 'a temp folder' | 'a write root';

const programFolders = systemRoots
  .filter(({path, grant}) => grant === 'read' && !/^\/(?:proc|sys|run\/(?!current-system)|var)\b/.test(path))
  .map(({path}) => path);

/**
 * The kind of folder that a canonical path is in, if a run or a project may have put the file there. System folders
 * that the workspace contains keep their rights (`cd /`); a workspace inside a system folder (`/usr/src/app`) has none.
 * Pure.
 */
export function runFolderOf(
  file: string,
  {workspaces, temps, writeRoots, own}: RunFolders,
): RunFolderKind | undefined {
  if (own !== undefined && isWithin(file, own)) return isUsersOwn(file, own) ? undefined : 'a write root';
  const holds = (folder: string): boolean =>
    isWithin(file, folder) &&
    !programFolders.some((system) => system !== folder && isWithin(system, folder) && isWithin(file, system));
  if (workspaces.some(holds)) return 'the workspace';
  if (temps.some(holds)) return 'a temp folder';
  return writeRoots.some(holds) ? 'a write root' : undefined;
}

/**
 * The absolute folders of a PATH that no run can write, canonical: the target of a link cannot be exchanged afterwards.
 */
export function trustedSearchPath(searchPath: string, folders: RunFolders): string[] {
  const real = searchPath.split(':').flatMap((folder) => {
    const found = folder.startsWith('/') ? realpathOrUndefined(folder) : undefined;
    return found !== undefined && runFolderOf(found, folders) === undefined ? [found] : [];
  });
  return [...new Set(real)];
}
