import {constants, fstatSync, readFileSync, readlinkSync} from 'node:fs';
import path from 'node:path';
import {mayAccess} from '../../system/may-access.ts';
import {gitFolders} from './git-folders.ts';
import {isWithin} from '../../system/is-within.ts';
import {refuseTop} from './repository-top.ts';
import type {PlanInputs} from './roots.ts';
import {closedInEtc, etcFolder, etcSecrets, neededInEtc} from './system-roots.ts';
import {tempFolder} from './temp-folder.ts';
import {findToolchains} from '../toolchains/install-folders.ts';
import {realpathOrSame} from '../../system/real-path.ts';

export interface PlanSources {
  /** Canonical. */
  readonly cwd: string;
  readonly repositoryTop: string | undefined;
  readonly home: string | undefined;
  readonly otherHomes?: readonly string[];
  /** From the settings: a TMPDIR there is writable anyway. */
  readonly writeRoots?: readonly string[];
  readonly uid: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly node: string;
  readonly packageRoot: string;
  /** Names below a folder that other users may not read (addon.cc); undefined without the native part. */
  readonly closedToOthers?: ((folder: string, apart: readonly string[]) => readonly string[]) | undefined;
}

/** Looks at the machine. The planner gets its facts only from here. */
export function gatherPlanInputs(input: PlanSources): PlanInputs {
  const home = input.home === undefined ? undefined : realpathOrSame(input.home);
  const otherHomes = (input.otherHomes ?? []).map((other) => realpathOrSame(other));
  const temp = tempFolder(input.environment['TMPDIR'], {
    cwd: input.cwd,
    homes: home === undefined ? otherHomes : [home, ...otherHomes],
    writeRoots: (input.writeRoots ?? []).map((root) => realpathOrSame(root)),
  });
  const {cwd, repositoryTop, uid} = input;
  const folders = repositoryTop === undefined ? [] : gitFolders(repositoryTop);
  const place = {gitFolders: folders, home, otherHomes, temp: temp.path, uid};
  return {
    cwd,
    repositoryTop,
    topRefused:
      repositoryTop === undefined || repositoryTop === cwd ? undefined : refuseTop(repositoryTop, place),
    gitFolders: withNewGitFolder(folders, input),
    home,
    otherHomes,
    temp: temp.path,
    tempRefused: temp.refused,
    toolchains: findToolchains(input.environment['PATH'] ?? '', home, input.node),
    packageRoot: realpathOrSame(input.packageRoot),
    streams: regularStreams(),
    // Last: a thread still looks for them.
    ...closedFilesOf(input.closedToOthers),
  };
}

/** Adds a `.git` in cwd that is not a repository yet: the command can make it one. */
function withNewGitFolder(found: readonly string[], {cwd, repositoryTop}: PlanSources): readonly string[] {
  return cwd === repositoryTop
    ? found
    : [...found, ...gitFolders(cwd).filter((folder) => isWithin(folder, cwd))];
}

/** Returns no secret if this user cannot read any of them: then a grant of the whole folder is safe, and costs less. */
function closedFilesOf(
  closedToOthers: PlanSources['closedToOthers'],
): Pick<PlanInputs, 'etcSecrets' | 'etcNeeded'> {
  const notForOthers = closedToOthers?.(etcFolder, etcSecrets) ?? [];
  const closed = closedInEtc(notForOthers);
  return {
    etcSecrets: closed.some((name) => mayAccess(path.join(etcFolder, name), constants.R_OK)) ? closed : [],
    etcNeeded: neededInEtc(notForOthers),
  };
}

/**
 * Standard streams that are regular files. `tee /dev/stderr` opens the file again by its path, which may be outside all
 * roots. The process that started ion gave it this file, so the run may use it as it was opened.
 */
function regularStreams(): PlanInputs['streams'] {
  return [0, 1, 2].flatMap((descriptor) => {
    try {
      if (!fstatSync(descriptor).isFile()) return [];
      // The magic link itself: opening it reaches that very file, whatever its path is by now.
      readlinkSync(`/proc/self/fd/${descriptor}`);
      return grantsOf(flagsOf(descriptor)).map((grant) => ({
        descriptor,
        path: `/proc/self/fd/${descriptor}`,
        grant,
      }));
    } catch {
      return []; // closed
    }
  });
}

/** The flags of open(2) that a descriptor has. */
export function flagsOf(descriptor: number): number {
  const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  return Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0', 8);
}

/** Pure. Landlock has no right to append: the supervisor opens such a stream again for the run. */
export function grantsOf(flags: number): ('read' | 'append')[] {
  const access = flags & (constants.O_WRONLY | constants.O_RDWR);
  const reads = access !== constants.O_WRONLY && !(flags & constants.O_APPEND && access === constants.O_RDWR);
  const writes = access !== constants.O_RDONLY && !(flags & constants.O_APPEND);
  return [...(reads ? (['read'] as const) : []), ...(writes ? (['append'] as const) : [])];
}
