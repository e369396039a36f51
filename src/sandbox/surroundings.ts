import {constants, fstatSync, readlinkSync, realpathSync} from 'node:fs';
import {mayAccess} from '../access.ts';
import {gitFolders} from './git-folders.ts';
import {isWithin} from './paths.ts';
import type {Surroundings} from './plan.ts';
import {etcSecrets} from './system-roots.ts';
import {tempFolder} from './temp-folder.ts';
import {findToolchains} from './toolchains/install-folders.ts';

export interface SurroundingsInput {
  /** Canonical. */
  readonly cwd: string;
  readonly repositoryTop: string | undefined;
  readonly home: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly node: string;
  readonly packageRoot: string;
}

/** Look at the machine. The only place where the planner's facts come from. */
export function lookAround(input: SurroundingsInput): Surroundings {
  const home = input.home === undefined ? undefined : realpathOr(input.home, input.home);
  const temp = tempFolder(input.environment['TMPDIR'], {cwd: input.cwd, home});
  return {
    cwd: input.cwd,
    repositoryTop: input.repositoryTop,
    gitFolders: gitFoldersOf(input),
    home,
    temp: temp.path,
    tempRefused: temp.refused,
    toolchains: findToolchains(input.environment['PATH'] ?? '', home, input.node),
    packageRoot: realpathOr(input.packageRoot, input.packageRoot),
    etcSecrets: etcSecrets.some((name) => mayAccess(`/etc/${name}`, constants.R_OK)) ? etcSecrets : [],
    streams: regularStreams(),
  };
}

/** Also one that stands in cwd and is not a repository yet: the command can make it one. */
function gitFoldersOf({cwd, repositoryTop}: SurroundingsInput): string[] {
  const found = repositoryTop === undefined ? [] : gitFolders(repositoryTop);
  return cwd === repositoryTop
    ? found
    : [...found, ...gitFolders(cwd).filter((folder) => isWithin(folder, cwd))];
}

function realpathOr(file: string, otherwise: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return otherwise;
  }
}

/**
 * Standard streams that are regular files. `tee /dev/stderr` opens the file again by its path, which may lie outside
 * all roots; whoever started ion has handed it over, so this very file may be written (or read, as standard input).
 */
function regularStreams(): Surroundings['streams'] {
  return [0, 1, 2].flatMap((descriptor) => {
    try {
      if (!fstatSync(descriptor).isFile()) return [];
      // The magic link itself: opening it reaches the very file, whatever its path is by now.
      readlinkSync(`/proc/self/fd/${descriptor}`);
      return [{descriptor, path: `/proc/self/fd/${descriptor}`, writable: descriptor !== 0}];
    } catch {
      return []; // closed
    }
  });
}
