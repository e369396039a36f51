import {sharedTemps} from '../../shell/paths.ts';
import {isWithin} from '../../system/is-within.ts';
import type {Root, PlanInputs} from './roots.ts';
import {systemRoots} from './system-roots.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/** Folders whose files do not execute in read mode: the workspace with its repository, temp folders, the write roots of write mode. */
export function closedToExecution(
  {cwd, repositoryTop, gitFolders, temp}: PlanInputs,
  writeRoots: readonly string[],
): readonly string[] {
  const around = repositoryTop === undefined ? [] : [repositoryTop, ...gitFolders];
  return [...new Set([cwd, ...around, temp, ...sharedTemps, ...writeRoots].map(realpathOrSame))];
}

/** The folders of the system's programs that are here, canonical: `/bin` may be `/usr/bin`. */
export function systemProgramRoots(): readonly string[] {
  return [...new Set(systemRoots.filter(({programs}) => programs).map(({path}) => realpathOrSame(path)))];
}

/**
 * Roots in which no file of a closed folder executes. Roots without programs do not execute, and neither do the contents of a
 * closed folder. A closed folder inside a root with programs is left out. System folders inside a closed one (cwd is `/` or
 * `/usr`) keep their right.
 */
export function withoutExecution(
  roots: readonly Root[],
  closed: readonly string[],
  systemFolders: readonly string[],
): Root[] {
  return roots.map((root) => {
    if (root.grant === 'write') return {...root, grant: 'scratch'};
    if (root.grant !== 'read') return root;
    const path = realpathOrSame(root.path);
    const isClosed =
      !systemFolders.includes(path) &&
      closed.some((folder) => isWithin(path, folder) && !isSystemIn(path, folder));
    if (!root.programs || isClosed) return {...root, grant: 'view'};
    const noExecute = closed.filter((folder) => isWithin(folder, path) && !systemFolders.includes(folder));
    return noExecute.length > 0 ? {...root, noExecute} : root;
  });

  /** True if `path` is in a system folder that is itself in `folder`: a package in `/opt`, when cwd is `/`. */
  function isSystemIn(path: string, folder: string): boolean {
    return systemFolders.some((system) => isWithin(path, system) && isWithin(system, folder));
  }
}
