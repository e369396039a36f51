import {closeSync} from 'node:fs';
import {IonError} from '../../errors.ts';
import type {ExecRules, Launch, Outcome, Running, Stdio, World} from '../launch.ts';
import {openControl} from './control.ts';
import {killOrphans} from './orphans.ts';
import type {Native} from './native.ts';
import {bitsOf, fileRights, grants} from './rights.ts';

const optionsVersion = '1';
/** From these on Landlock itself keeps abstract sockets apart, and looks at unix sockets by path. */
const scopeAbi = 6;
const resolveUnixAbi = 9;
const graceMs = 5000;
/** The kernel's MAX_ARG_STRLEN: no single argument may be longer, its end included. */
export const maxArgumentBytes = 131_072;

/** What the launcher is told, as it reads it: see native/launcher/options/options.h. */
export function launcherOptions(launch: Launch, landlock: boolean, openFilesSoft: number): Buffer {
  const {limits, world, watch} = launch;
  const {mounts} = world;
  const numbers: [string, number | undefined][] = [
    ['open_files', limits.openFiles],
    ['open_files_soft', openFilesSoft || undefined],
    ['file_size', limits.fileSizeBytes],
    ['cpu_seconds', limits.cpuSeconds],
    ['memory', limits.memoryBytes],
    ['processes', limits.processes],
    ['disk', limits.diskBytes],
    ['timeout_ms', limits.timeoutMs],
    ['grace_ms', graceMs],
  ];
  const entries = [
    `version=${optionsVersion}`,
    `confine=${launch.confined ? 1 : 0}`,
    `landlock=${landlock ? 1 : 0}`,
    `seccomp=${launch.confined && launch.seccomp ? 1 : 0}`,
    `listener=${watch ? 1 : 0}`,
    `scoped=${launch.landlock >= scopeAbi ? 1 : 0}`,
    `unix_closed=${launch.confined && !watch && launch.landlock < resolveUnixAbi ? 1 : 0}`,
    `own_devices=${world.ownDevices ? 1 : 0}`,
    `own_shm=${world.ownShm ? 1 : 0}`,
    `listed_devices=${launch.listedDevices ? 1 : 0}`,
    `pts_access=${grants.device & bitsOf(fileRights, launch.landlock)}`,
    `shm_access=${launch.shmWritable ? grants.write & bitsOf(fileRights, launch.landlock) : 0}`,
    `tell_execs=${watch?.tellExecs ? 1 : 0}`,
    `report=${watch?.report ?? 'minimal'}`,
    // With a view also as root: what a process outside may do is closed to who is not in its user namespace.
    `user_namespace=${world.namespaces === 'user' || world.view ? 1 : 0}`,
    `all_users=${world.namespaces === 'root' && world.view ? 1 : 0}`,
    `view=${world.view ? 1 : 0}`,
    `mounts=${world.namespaces === 'none' ? 0 : 1}`,
    `network_namespace=${world.networkNamespace ? 1 : 0}`,
    `loopback=${world.loopback ? 1 : 0}`,
    `network=${launch.network}`,
    `cwd=${launch.cwd}`,
    ...(launch.cgroup === undefined ? [] : [`cgroup=${launch.cgroup}`]),
    ...mounts.writable.map((path) => `writable=${path}`),
    ...(world.view?.roots ?? []).map((path) => `view_root=${path}`),
    ...(world.view?.links ?? []).flatMap(({path, target}) => [`view_link=${path}`, `view_target=${target}`]),
    ...mounts.pinned.map((path) => `pinned=${path}`),
    ...mounts.readonly.map((path) => `readonly=${path}`),
    ...mounts.masked.map((path) => `masked=${path}`),
    ...mounts.executable.map((path) => `executable=${path}`),
    ...mounts.noexec.map((path) => `noexec=${path}`),
    ...(watch?.absent ?? []).map((path) => `absent=${path}`),
    ...(watch?.denied ?? []).flatMap(({pattern, entry}) => [`denied=${pattern}`, `denied_entry=${entry}`]),
    ...(watch?.denied ?? []).flatMap(({pattern, except = []}) =>
      except.flatMap((path) => [`excepted=${path}`, `excepted_from=${pattern}`]),
    ),
    `nested_hooks=${watch?.nestedHooks ? 1 : 0}`,
    `nested_config=${watch?.nestedConfig ? 1 : 0}`,
    ...(watch?.gitFolders ?? []).map((path) => `git_folder=${path}`),
    ...(watch?.watched ?? []).map((path) => `watched=${path}`),
    ...world.shadows.flatMap(({config, copy}) => [`shadowed=${config}`, `shadow=${copy}`]),
    ...(watch?.devices ?? []).map((path) => `device=${path}`),
    ...execEntries(watch?.exec),
    ...(watch?.named?.files ?? []).map((path) => `program=${path}`),
    ...(watch?.named?.folders ?? []).map((path) => `program_folder=${path}`),
    ...(watch?.named?.held ?? []).map((pattern) => `held=${pattern}`),
    ...(watch?.readable ?? []).map((path) => `readable=${path}`),
    ...(watch?.unixSockets ?? []).map((path) => `unix_socket=${path}`),
    ...(launch.diskRoots ?? []).map((path) => `disk_root=${path}`),
    ...(launch.leftovers ?? []).map((path) => `leftover=${path}`),
    ...numbers.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`])),
    ...Object.entries(launch.environment).map(([name, value]) => `env=${name}=${value}`),
    ...launch.argv.map((argument) => `arg=${argument}`),
    'end=1',
  ];
  return Buffer.from(`${entries.join('\0')}\0`);
}

function execEntries(exec: ExecRules | undefined): string[] {
  if (!exec) return [];
  return [
    ...exec.deny.map((pattern) => `deny=${pattern}`),
    ...exec.rules.map((rule) => `rule=${rule}`),
    ...exec.known.map(({name}) => `known_name=${name}`),
    ...exec.known.map(({path}) => `known_program=${path}`),
    ...exec.globalFlags.map((option) => `global_flag=${option}`),
    ...exec.globalValues.map((option) => `global_value=${option}`),
    ...exec.globalEnds.map((option) => `global_end=${option}`),
    ...exec.interpreters.map((name) => `interpreter=${name}`),
    ...exec.modules.map((module) => `module=${module}`),
    ...exec.multiCalls.map((program) => `multi_call=${program}`),
  ];
}

/** A launcher that runs, and waits on its channel for what it is to launch. */
export interface WaitingLauncher {
  readonly pid: number;
  /** A descriptor; closed, the launcher ends. */
  readonly channel: number;
}

/**
 * Start a launcher ahead of its command, so that its own start goes on beside what ion does until then, and that of the slow
 * ones among the command's namespaces. By the addon's own spawn: node:child_process costs a start 5 ms. It has the umask and the
 * limits that this process has now. Throws an IonError.
 */
export function startWaiting({addon, launcher}: Native, world: World): WaitingLauncher {
  const [channel, theirs] = addon.channel();
  const argv = [launcherName, '--wait', ...madeAhead(world)];
  try {
    return {pid: addon.spawn(launcher, argv, [-1, -1, -1, -1, theirs]), channel};
  } catch (error) {
    closeSync(channel);
    throw notStarted(error as Error);
  } finally {
    closeSync(theirs);
  }
}

/** See native/launcher/confine/namespaces.h. */
function madeAhead({namespaces, networkNamespace, loopback, view}: World): string[] {
  // All users of a user namespace are mapped from outside of it: not ahead.
  if (view && namespaces === 'root') return [];
  return [
    ...(namespaces === 'user' ? ['user'] : []),
    ...(networkNamespace ? ['network'] : []),
    ...(loopback ? ['loopback'] : []),
  ];
}

/**
 * Start a launch, with the ruleset descriptor (which stays the caller's), or -1 for none; by a launcher that waits, if there
 * is one. Streams as pipes are node:child_process's business, which is loaded only there.
 */
export async function startLauncher(
  native: Native,
  launch: Launch,
  ruleset: number,
  waiting?: WaitingLauncher,
): Promise<Running> {
  const {addon} = native;
  const options = addon.memoryFile(launcherOptions(launch, ruleset !== -1, addon.parentOpenFiles()));
  try {
    if (launch.stdio.includes('pipe')) {
      const {startPiped} = await import('./start-piped.ts');
      return startPiped(native.launcher, launch, options, ruleset);
    }
    return startNative(native, launch, [...launch.stdio.map(descriptorOf), options, ruleset], waiting);
  } finally {
    closeSync(options);
  }
}

/** Without a command after all. Takes until the launcher has seen it. */
export function endWaiting({addon}: Native, {channel, pid}: WaitingLauncher): void {
  closeSync(channel);
  addon.reap(pid);
}

/** Hand the descriptors to a launcher: the one that waits, or a new one where it was killed meanwhile. */
function handOver(
  native: Native,
  world: World,
  descriptors: readonly number[],
  waiting: WaitingLauncher | undefined,
): WaitingLauncher {
  const taker = waiting ?? startWaiting(native, world);
  try {
    native.addon.sendDescriptors(taker.channel, descriptors);
    return taker;
  } catch (error) {
    endWaiting(native, taker);
    if (!waiting) throw notStarted(error as Error);
    return handOver(native, world, descriptors, undefined);
  }
}

function startNative(
  native: Native,
  launch: Launch,
  descriptors: readonly number[],
  waiting: WaitingLauncher | undefined,
): Running {
  const {addon} = native;
  const {pid, channel} = handOver(native, launch.world, descriptors, waiting);
  const control = openControl(launch);
  const decoder = new TextDecoder();
  let ended = false;
  const outcome = new Promise<Outcome>((resolve, reject) => {
    addon.follow(channel, (bytes) => {
      try {
        if (bytes) return control.take(decoder.decode(bytes, {stream: true}));
        const status = addon.reap(pid);
        ended = true;
        settle(control.end(), status & 0x7f, resolve, reject);
      } catch (error) {
        reject(error as Error);
      }
    });
  });
  return {
    stdio: [null, null, null],
    // Never to a pid that may be somebody else's by now.
    signal: (name) => void (ended || process.kill(pid, name)),
    outcome,
  };
}

export const launcherName = 'ion-launcher';

function descriptorOf(stdio: Stdio, index: number): number {
  if (typeof stdio === 'number') return stdio;
  return stdio === 'inherit' ? index : -1;
}

export function notStarted(error: Error): IonError {
  return new IonError(`cannot start the launcher: ${error.message}`, {cause: error});
}

/** The launcher has ended: as it said, or without a word, and then its orphans are ion's to end. */
export function settle(
  end: Outcome | IonError | undefined,
  signal: number,
  resolve: (outcome: Outcome) => void,
  reject: (error: Error) => void,
): void {
  if (end instanceof Error) return reject(end);
  if (end) return resolve(end);
  const killed = killOrphans();
  const how = signal === 0 ? '' : ` (signal ${signal})`;
  reject(
    new IonError(`the launcher ended without a report${how}; ${killed} processes of the run were killed`),
  );
}
