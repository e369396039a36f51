import {constants, fstatSync, readFileSync, readlinkSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {mayAccess} from '../../system/may-access.ts';
import {gitFolders} from './git-folders.ts';
import {isWithin} from '../../system/is-within.ts';
import type {Surroundings} from './roots.ts';
import {closedInEtc} from './system-folders.ts';
import {tempFolder} from './temp-folder.ts';
import {findToolchains} from '../toolchains/install-folders.ts';

export interface SurroundingsInput {
  /** Canonical. */
  readonly cwd: string;
  readonly repositoryTop: string | undefined;
  readonly home: string | undefined;
  readonly otherHomes?: readonly string[];
  /** Of the settings: a TMPDIR there is writable anyway. */
  readonly writeRoots?: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly node: string;
  readonly packageRoot: string;
  /** Names below a folder that others than its owner and group may not read; undefined without the native part. */
  readonly closedToOthers?: ((folder: string) => readonly string[]) | undefined;
}

/** Look at the machine. The only place where the planner's facts come from. */
export function lookAround(input: SurroundingsInput): Surroundings {
  const home = input.home === undefined ? undefined : realpathOr(input.home, input.home);
  const otherHomes = (input.otherHomes ?? []).map((other) => realpathOr(other, other));
  const temp = tempFolder(input.environment['TMPDIR'], {
    cwd: input.cwd,
    homes: home === undefined ? otherHomes : [home, ...otherHomes],
    writeRoots: (input.writeRoots ?? []).map((root) => realpathOr(root, root)),
  });
  return {
    cwd: input.cwd,
    repositoryTop: input.repositoryTop,
    gitFolders: gitFoldersOf(input),
    home,
    otherHomes,
    temp: temp.path,
    tempRefused: temp.refused,
    toolchains: findToolchains(input.environment['PATH'] ?? '', home, input.node),
    packageRoot: realpathOr(input.packageRoot, input.packageRoot),
    etcSecrets: secretsOf('/etc', input.closedToOthers),
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

/** None where this user could read none of them: a folder that is granted as a whole costs less. */
function secretsOf(etc: string, closedToOthers: SurroundingsInput['closedToOthers']): string[] {
  const closed = closedInEtc(closedToOthers?.(etc) ?? []);
  return closed.some((name) => mayAccess(path.join(etc, name), constants.R_OK)) ? closed : [];
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
 * all roots; whoever started ion has handed it over, so this very file may be used as it was opened.
 */
function regularStreams(): Surroundings['streams'] {
  return [0, 1, 2].flatMap((descriptor) => {
    try {
      if (!fstatSync(descriptor).isFile()) return [];
      // The magic link itself: opening it reaches the very file, whatever its path is by now.
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
function flagsOf(descriptor: number): number {
  const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
  return Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0', 8);
}

/** Pure. Landlock has no right to append: who opens such a stream again is served by the supervisor. */
export function grantsOf(flags: number): ('read' | 'append')[] {
  const access = flags & (constants.O_WRONLY | constants.O_RDWR);
  const reads = access !== constants.O_WRONLY && !(flags & constants.O_APPEND && access === constants.O_RDWR);
  const writes = access !== constants.O_RDONLY && !(flags & constants.O_APPEND);
  return [...(reads ? (['read'] as const) : []), ...(writes ? (['append'] as const) : [])];
}
