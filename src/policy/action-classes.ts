import type {ActionClass} from '../config/approval-table.ts';
import type {Segment} from '../shell/analysis.ts';
import {checkSafe} from '../shell/read-mode/safe.ts';
import type {Action, PermissionState, ShellCommand} from './decision.ts';
import {isWithin} from '../system/is-within.ts';
import {absolutePath} from '../shell/paths.ts';
import {namedPaths} from './paths/named-paths.ts';
import {safeContext} from './safe-context.ts';
import {expandHome} from './paths/path-components.ts';

/**
 * Programs whose purpose is the network. The list decides only whether ion asks. The network setting decides which hosts any
 * program can really reach.
 */
const networkPrograms = new Set(
  'curl wget ssh scp sftp rsync nc ncat socat telnet ftp ping dig nslookup gh glab aws gcloud az kubectl'.split(
    ' ',
  ),
);

/** Programs that use the network for some of their subcommands. */
const networkSubcommands: Readonly<Record<string, readonly string[]>> = {
  git: ['clone', 'fetch', 'pull', 'push', 'ls-remote', 'submodule', 'remote'],
  npm: ['install', 'i', 'ci', 'add', 'update', 'publish', 'audit', 'exec', 'view'],
  pnpm: ['install', 'i', 'add', 'update', 'publish', 'dlx'],
  yarn: ['install', 'add', 'upgrade', 'publish', 'dlx'],
  pip: ['install', 'download'],
  pip3: ['install', 'download'],
  cargo: ['install', 'fetch', 'update', 'publish', 'add'],
  go: ['get', 'install', 'mod'],
  docker: ['pull', 'push', 'run', 'build', 'login'],
  apt: ['install', 'update', 'upgrade'],
  'apt-get': ['install', 'update', 'upgrade'],
};

/** The columns of the approval table that an action falls into. The strictest of them applies. */
export function actionClasses(action: Action, state: PermissionState): ReadonlySet<ActionClass> {
  const classes = new Set<ActionClass>([action.class]);
  const changed = action.paths.filter(({access}) => access !== 'read').map(({resolved}) => resolved);
  const isInternal = internal(state);
  if (action.paths.some(({access}) => access === 'delete')) classes.add('delete');
  if (!changed.every(isInternal) || writesOutside(action, state, isInternal)) classes.add('external');
  const {command} = action;
  if (!command) return classes;
  if (networkOpen(state) && command.analysis.segments.some(usesNetwork)) classes.add('network');
  for (const column of unconfined(state)) if (!onlyReads(command, state)) classes.add(column);
  return classes;
}

/** The columns that the kernel does not enforce here: any program may act in them, whatever its name. */
function unconfined({settings, confines}: PermissionState): ActionClass[] {
  if (settings.sandbox.value === false) return ['external', 'network'];
  const network = settings.network.value === 'none' || confines?.network !== false;
  return [
    ...(confines?.writes === false ? ['external' as const] : []),
    ...(network ? [] : ['network' as const]),
  ];
}

function onlyReads(command: ShellCommand, state: PermissionState): boolean {
  return checkSafe(command.analysis, safeContext(command, state)).safe;
}

/**
 * Reports whether a redirection writes outside. An unknown target may be anywhere. The sandbox handles files that a program opens
 * by itself.
 */
function writesOutside(
  {command}: Action,
  state: PermissionState,
  isInternal: (path: string) => boolean,
): boolean {
  if (!command?.analysis.constructs.has('redirection')) return false;
  const written = namedPaths(command.analysis, state)?.filter(({access}) => access === 'write');
  return !written?.every(
    ({path, real, known}) => known && (isDevice(path) || (real !== undefined && isInternal(real))),
  );
}

function isDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|tty|stdout|stderr|fd\/\d+)$/.test(path);
}

/** The paths that belong to the work: the workspace, the temp folder, and write roots of the user's config. */
function internal({workspace, cwd, home, settings, openLinks}: PermissionState): (path: string) => boolean {
  let roots: readonly string[] | undefined;
  const find = (): readonly string[] => {
    const configured = settings.writeRoots.map(({value}) => absolutePath(expandHome(value, home), workspace));
    const real = openLinks?.();
    return [workspace, cwd, ...['/tmp', ...configured].flatMap((root) => [root, real?.(root) ?? root])];
  };
  return (path) => isDevice(path) || (roots ??= find()).some((root) => isWithin(path, root));
}

/** If the network is off, ion does not ask, because the sandbox refuses the network to every program. */
function networkOpen({settings}: PermissionState): boolean {
  return settings.sandbox.value === false || settings.network.value !== 'none';
}

function usesNetwork({argv}: Segment): boolean {
  const name = argv[0]?.text.split('/').at(-1) ?? '';
  if (networkPrograms.has(name)) return true;
  const subcommands = Object.hasOwn(networkSubcommands, name) ? networkSubcommands[name]! : [];
  return argv.slice(1).some(({text}) => subcommands.includes(text));
}
