import {placeOf} from '../../config/read/origin.ts';
import {tomlString} from '../../config/read/render.ts';
import type {Place} from '../../errors.ts';
import type {Mode, NetworkSetting, Origin, Settings} from '../../config/settings.ts';
import type {GrantKind} from '../linux/rights.ts';
import {isWithin} from '../../system/is-within.ts';
import {systemRoots} from './system-folders.ts';

/** A path that the command may use, and why: the reason is shown by `ion config` and in the sandbox facts. */
export interface Root {
  readonly path: string;
  readonly grant: GrantKind;
  readonly reason: string;
  /** May be missing: then it is left out. */
  readonly optional: boolean;
  /** As realpath(3) said: another run that may write around it must not lead this one elsewhere by a symlink. */
  readonly canonical?: boolean;
  /** Where the user listed it. */
  readonly origin?: Origin;
  /** Names below the path that are not granted: secrets which this user could read. See expand.ts. */
  readonly without?: readonly string[];
  /** Holds programs: executes in read mode as well. */
  readonly programs?: true;
  /** Folders below the path, canonical, whose files do not execute. */
  readonly noExecute?: readonly string[];
}

/** What the planner needs to know of the machine; gathered by surroundings.ts. All paths canonical. */
export interface Surroundings {
  readonly cwd: string;
  /** The top folder of the repository that contains cwd. */
  readonly repositoryTop: string | undefined;
  /** `.git` folders of that repository: its own, and for a linked worktree or submodule the ones it points to. */
  readonly gitFolders: readonly string[];
  readonly home: string | undefined;
  /** What else may be meant by home (HOME, the passwd entry's). */
  readonly otherHomes?: readonly string[];
  readonly temp: string;
  /** A TMPDIR that is no temp folder: it is neither granted nor passed on. */
  readonly tempRefused?: {readonly named: string; readonly why: string} | undefined;
  /** Folders of programs on PATH outside the system's, with what belongs to them. */
  readonly toolchains: readonly {readonly path: string; readonly reason: string}[];
  /** Where ion itself is installed: readable, so that ion runs inside ion. */
  readonly packageRoot: string;
  /** What of /etc holds secrets that this user could read, as names below it. */
  readonly etcSecrets: readonly string[];
  /** Regular files that are the standard streams, by descriptor, and what they may be opened again for. */
  readonly streams: readonly {
    readonly descriptor: number;
    readonly path: string;
    readonly grant: 'read' | 'append';
  }[];
}

/** Everything that the backend has to do, as data. */
export interface SandboxPlan {
  readonly mode: Mode;
  readonly cwd: string;
  readonly roots: readonly Root[];
  readonly network: NetworkSetting;
  readonly temp: string;
}

/** A setting that would make the sandbox meaningless, or cannot work. */
export interface PlanProblem {
  readonly what: string;
  readonly at?: Place | undefined;
  readonly help: string;
}

const devices: readonly [string, string][] = [
  ['/dev/null', 'device'],
  ['/dev/zero', 'device'],
  ['/dev/full', 'device'],
  ['/dev/random', 'device'],
  ['/dev/urandom', 'device'],
  ['/dev/tty', 'the terminal'],
  ['/dev/ptmx', 'new pseudo-terminals'],
  ['/dev/pts', 'pseudo-terminals'],
];

/** Files in home that hold settings and no secrets: of git, and of what people sit in front of. Not of shells: tokens stand there. */
const harmlessHomeFiles: readonly {readonly of: string; readonly names: readonly string[]}[] = [
  {
    of: 'git',
    names: ['.gitconfig', '.config/git/config', '.config/git/ignore', '.config/git/attributes'],
  },
  {of: 'terminal', names: ['.inputrc', '.vimrc', '.config/nvim', '.tmux.conf', '.config/tmux']},
];

/** The private temp folder of a run. */
export function privateTemp(path: string, {executes}: {readonly executes: boolean}): Root {
  return {
    path,
    grant: executes ? 'write' : 'scratch',
    reason: 'private temp folder',
    optional: false,
    canonical: true,
  };
}

/** Whose files the command may read, in whatever way they were granted. */
export function readableRoots(roots: readonly Root[]): string[] {
  const readable: readonly GrantKind[] = ['read', 'view', 'write', 'scratch'];
  return roots.filter(({grant}) => readable.includes(grant)).map((root) => root.path);
}

/** Where the command may write. */
export function writeRoots(roots: readonly Root[]): string[] {
  return roots.filter(({grant}) => grant === 'write' || grant === 'scratch').map((root) => root.path);
}

/** Roots for one run. Pure: everything about the machine is in `surroundings`. */
export function planRoots(settings: Settings, surroundings: Surroundings): Root[] {
  const {cwd, home, temp} = surroundings;
  const writes = settings.mode.value === 'write';
  const workspace: GrantKind = writes ? 'write' : 'read';
  const required = (path: string, grant: GrantKind, reason: string): Root => ({
    path,
    grant,
    reason,
    optional: false,
  });
  const canonical = (path: string, grant: GrantKind, reason: string): Root => ({
    ...required(path, grant, reason),
    canonical: true,
  });
  const optional = (path: string, grant: GrantKind, reason: string): Root => ({
    path,
    grant,
    reason,
    optional: true,
  });

  return [
    canonical(cwd, workspace, 'current folder'),
    ...(isReadableRepository(surroundings)
      ? [canonical(surroundings.repositoryTop!, 'read', 'repository')]
      : []),
    ...surroundings.gitFolders
      .filter((folder) => !isWithin(folder, cwd))
      .map((folder) => canonical(folder, workspace, 'git folder of the repository')),
    // With a private folder per run the shared one is only looked at.
    required(temp, settings.tmp.value === 'private' ? 'read' : workspace, 'temp folder'),
    optional('/dev/shm', workspace, 'shared memory'),
    ...settings.writeRoots.map(({value, origin}) => ({
      ...required(value, writes && isDevice(value) ? 'device' : workspace, 'sandbox.write_roots'),
      origin,
    })),
    ...settings.readRoots.map(({value, origin}) => ({
      ...required(value, 'read', 'sandbox.read_roots'),
      programs: true as const,
      origin,
    })),
    ...systemRoots.map(({path, grant, reason, programs}) => ({
      ...optional(path, grant, reason),
      ...(programs ? {programs} : {}),
    })),
    {...optional('/etc', 'read', 'system configuration'), ...without(surroundings.etcSecrets)},
    {...optional(surroundings.packageRoot, 'read', 'ion itself'), programs: true},
    ...surroundings.toolchains.map(({path, reason}) => ({
      ...optional(path, 'read', reason),
      programs: true as const,
    })),
    ...(home ? homeFiles(home).map(({path, of}) => optional(path, 'read', `${of} settings`)) : []),
    ...devices.map(([path, reason]) => optional(path, 'device', reason)),
    ...surroundings.streams.map(({path, descriptor, grant}) =>
      optional(path, grant, `standard stream ${descriptor}`),
    ),
  ];
}

function without(names: readonly string[]): Pick<Root, 'without'> {
  return names.length > 0 ? {without: names} : {};
}

function homeFiles(home: string): {readonly path: string; readonly of: string}[] {
  return harmlessHomeFiles.flatMap(({of, names}) => names.map((name) => ({path: `${home}/${name}`, of})));
}

/** A device is of no use without its ioctls (GPUs): who lists one wants them. */
function isDevice(path: string): boolean {
  return isWithin(path, '/dev') && !isWithin(path, '/dev/shm');
}

/** A repository around cwd is readable, unless it is home itself or above it (dotfiles kept in git). */
function isReadableRepository({repositoryTop, cwd, home}: Surroundings): boolean {
  if (repositoryTop === undefined || repositoryTop === cwd) return false;
  return home === undefined || !isWithin(home, repositoryTop);
}

/** System folders: writing below one of them changes what runs outside the sandbox. */
export const systemFolders = [
  '/usr',
  '/etc',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/run',
  '/var',
  '/opt',
  '/root',
  // macOS, where /etc and /var are links into /private.
  '/System',
  '/Library',
  '/Applications',
  '/private/etc',
  '/private/var/db',
  '/private/var/root',
  '/private',
];

/**
 * Refuse a workspace that would make write mode meaningless: the root, home or a folder above it, a system folder.
 * Only the user's own write_roots can allow it. /root is a system folder to everyone but its owner.
 */
export function checkWorkspace(settings: Settings, surroundings: Surroundings): PlanProblem | undefined {
  const {cwd, home, otherHomes = []} = surroundings;
  if (settings.mode.value === 'read') return undefined;
  const all = settings.writeRoots.find(({value}) => value === '/');
  if (all) {
    return {
      what: 'sandbox.write_roots = ["/"] would leave nothing to protect',
      at: placeOf(all.origin),
      help: 'list the folders that are needed; --no-sandbox runs without a sandbox',
    };
  }
  if (settings.writeRoots.some(({value}) => value === cwd)) return undefined;
  const kind = meaningless(cwd, home) ?? otherHomes.map((other) => homeKind(cwd, other)).find(Boolean);
  if (!kind) return undefined;
  return {
    what: `cannot sandbox write mode in ${cwd}: it is ${kind}, and everything below would be writable`,
    help: `start ion in a project folder, ${cwd === '/' ? 'or use --read' : `use --read, or list ${tomlString(cwd)} in sandbox.write_roots of ~/.ion/config.toml`}`,
  };
}

function homeKind(cwd: string, home: string | undefined): string | undefined {
  if (!home) return undefined;
  if (cwd === home) return 'your home folder';
  return isWithin(home, cwd) ? 'a parent of your home folder' : undefined;
}

function meaningless(cwd: string, home: string | undefined): string | undefined {
  if (cwd === '/') return 'the root of the file system';
  const ofHome = homeKind(cwd, home);
  if (ofHome) return ofHome;
  const inside = systemFolders.find((folder) => isWithin(cwd, folder));
  if (!inside || cwd === '/var/tmp' || cwd.startsWith('/var/tmp/')) return undefined;
  // A project below one's own home, wherever that lies (/root, /var/lib/jenkins), is a project.
  if (home && home !== '/' && isWithin(cwd, home)) return undefined;
  const deep = ['/opt', '/var', '/run', '/root', '/private'].includes(inside) && cwd !== inside;
  return deep ? undefined : 'a system folder';
}
