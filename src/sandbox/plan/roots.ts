import {locationOf} from '../../config/read/origin.ts';
import {settingForms} from '../../config/set-option.ts';
import type {Mode, NetworkSetting, Origin, Settings} from '../../config/settings.ts';
import type {GrantKind} from '../linux/rights.ts';
import {isWithin} from '../../system/is-within.ts';
import {sharedFolders, systemFolders} from '../../system/system-folders.ts';
import {systemRoots} from './system-roots.ts';
import {checkRepository, workspaceFolder, type PlanProblem} from './workspace.ts';

/** A path that the command may use, and why: the reason is shown by `ion config` and in the sandbox facts. */
export interface Root {
  readonly path: string;
  readonly grant: GrantKind;
  readonly reason: string;
  /** May be missing: then it is left out. */
  readonly optional: boolean;
  /** Made before the run. */
  readonly create?: true;
  /** True if realpath(3) returned this path. Another run that can write in its parent must not redirect it with a symlink. */
  readonly canonical?: boolean;
  /** Where the user configured it. */
  readonly origin?: Origin;
  /** Names below the path that are not granted: secrets that this user could read. See expand-roots.ts. */
  readonly without?: readonly string[];
  /** Names below the path that stay readable for root although other users may not read them. */
  readonly owned?: readonly string[];
  /** Contains programs: executable in read mode too. */
  readonly programs?: true;
  /** Folders below the path, canonical, whose files are not executable. */
  readonly noExecute?: readonly string[];
}

/** The facts about the machine that the planner needs; plan-inputs.ts gathers them. All paths canonical. */
export interface PlanInputs {
  readonly cwd: string;
  /** The top folder of the repository that contains cwd. */
  readonly repositoryTop: string | undefined;
  /** Why that folder cannot be the workspace. Set only if it is not cwd. */
  readonly topRefused?: string | undefined;
  /** `.git` folders of that repository: its own, and those that a linked worktree or submodule points to. */
  readonly gitFolders: readonly string[];
  readonly home: string | undefined;
  /** Other paths that may mean home (HOME, the passwd entry). */
  readonly otherHomes?: readonly string[];
  readonly temp: string;
  /** A TMPDIR that is not a temp folder: it is neither granted nor passed on. */
  readonly tempRefused?: {readonly named: string; readonly why: string} | undefined;
  /** Folders of programs on PATH outside the system, with their install prefixes. */
  readonly toolchains: readonly {readonly path: string; readonly reason: string}[];
  /** Where ion itself is installed: readable, so that ion can run inside ion. */
  readonly packageRoot: string;
  /** Secrets in /etc that this user could read, as names below it. */
  readonly etcSecrets: readonly string[];
  /** Files in /etc that other users cannot read, and that no run can do without. */
  readonly etcNeeded: readonly string[];
  /** Regular files that are standard streams, by descriptor, with the direction in which they may be opened again. */
  readonly streams: readonly {
    readonly descriptor: number;
    readonly path: string;
    readonly grant: 'read' | 'append';
  }[];
}

/** The backend's task, as data. */
export interface SandboxPlan {
  readonly mode: Mode;
  readonly cwd: string;
  readonly roots: readonly Root[];
  readonly network: NetworkSetting;
  readonly temp: string;
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

/**
 * Files in home with settings and no secrets, of git and of interactive programs. Files of shells are not here, because
 * they often contain tokens.
 */
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

/** The roots whose files the command may read, whatever the kind of grant. */
export function readableRoots(roots: readonly Root[]): string[] {
  return roots.filter(({grant}) => grantsFiles(grant)).map((root) => root.path);
}

export function grantsFiles(grant: GrantKind): boolean {
  return grant === 'read' || grant === 'view' || grant === 'write' || grant === 'scratch';
}

/** Where the command may write. */
export function writeRoots(roots: readonly Root[]): string[] {
  return roots.filter(({grant}) => grant === 'write' || grant === 'scratch').map((root) => root.path);
}

/** Roots for one run. Pure: all facts about the machine are in `inputs`. */
export function planRoots(settings: Settings, inputs: PlanInputs): Root[] {
  const {home, temp} = inputs;
  const folder = workspaceFolder(settings, inputs);
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
    canonical(folder, workspace, folder === inputs.cwd ? 'current folder' : 'repository'),
    ...(isReadableRepository(folder, inputs) ? [canonical(inputs.repositoryTop!, 'read', 'repository')] : []),
    ...inputs.gitFolders
      .filter((one) => !isWithin(one, folder))
      .map((one) => canonical(one, workspace, 'git folder of the repository')),
    // With a private folder per run, the shared one is only readable.
    required(temp, settings.tmp.value === 'private' ? 'read' : workspace, 'temp folder'),
    optional('/dev/shm', workspace, 'shared memory'),
    ...settings.writeRoots.map(({value, origin, missing}) => ({
      ...required(value, writes && isDevice(value) ? 'device' : workspace, 'sandbox.write_roots'),
      optional: missing === 'skip' || (missing === 'create' && !writes),
      ...(missing === 'create' && writes ? {create: true as const} : {}),
      origin,
    })),
    ...settings.readRoots.map(({value, origin, missing}) => ({
      ...required(value, 'read', 'sandbox.read_roots'),
      optional: missing === 'skip',
      programs: true as const,
      origin,
    })),
    ...systemRoots.map(({path, grant, reason, programs}) => ({
      ...optional(path, grant, reason),
      ...(programs ? {programs} : {}),
    })),
    {
      ...optional('/etc', 'read', 'system configuration'),
      ...without(inputs.etcSecrets),
      owned: inputs.etcNeeded,
    },
    {...optional(inputs.packageRoot, 'read', 'ion itself'), programs: true},
    ...inputs.toolchains.map(({path, reason}) => ({
      ...optional(path, 'read', reason),
      programs: true as const,
    })),
    ...(home ? homeFiles(home).map(({path, of}) => optional(path, 'read', `${of} settings`)) : []),
    ...devices.map(([path, reason]) => optional(path, 'device', reason)),
    ...inputs.streams.map(({path, descriptor, grant}) =>
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

/** A device is useless without its ioctls (GPUs), so listing one grants them. */
function isDevice(path: string): boolean {
  return isWithin(path, '/dev') && !isWithin(path, '/dev/shm');
}

/** A repository around the workspace is readable, unless it is home itself or a parent of it (dotfiles kept in git). */
function isReadableRepository(workspace: string, {repositoryTop, home}: PlanInputs): boolean {
  if (repositoryTop === undefined || repositoryTop === workspace) return false;
  return home === undefined || !isWithin(home, repositoryTop);
}

/**
 * Refuses a workspace that would make write mode meaningless: the root, home, a parent of home, or a system folder.
 * Only the user's own write_roots can allow it. /root is a system folder for everyone but its owner.
 */
export function checkWorkspace(settings: Settings, inputs: PlanInputs): PlanProblem | undefined {
  const {home, otherHomes} = inputs;
  const refused = checkRepository(settings, inputs);
  if (refused) return refused;
  const cwd = workspaceFolder(settings, inputs);
  if (settings.mode.value === 'read') return undefined;
  const all = settings.writeRoots.find(({value}) => value === '/');
  if (all) {
    return {
      what: 'sandbox.write_roots = ["/"] would leave no file protected',
      at: locationOf(all.origin),
      help: 'list only the folders that are needed; --no-sandbox runs without a sandbox',
    };
  }
  if (settings.writeRoots.some(({value}) => value === cwd)) return undefined;
  const kind = whyMeaningless(cwd, home, otherHomes);
  if (!kind) return undefined;
  return {
    what: `cannot sandbox write mode in ${cwd}: it is ${kind}, and everything below would be writable`,
    help: `start ion in a project folder, ${cwd === '/' ? 'or use --read' : `use --read, or list it; ${settingForms('sandbox.write_roots', [cwd])}`}`,
  };
}

/** The reason why no run may write the whole of `folder`. */
export function whyMeaningless(
  folder: string,
  home: string | undefined,
  otherHomes: readonly string[] = [],
): string | undefined {
  return meaningless(folder, home) ?? otherHomes.map((other) => homeKind(folder, other)).find(Boolean);
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
  if (!sharedFolders.includes(cwd) && !systemFolders.some((folder) => isWithin(cwd, folder)))
    return undefined;
  // A project below the user's home, wherever that is (/root, /var/lib/jenkins), is a project.
  if (home && home !== '/' && isWithin(cwd, home)) return undefined;
  return 'a system folder';
}
