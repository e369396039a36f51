import {closeSync, writeSync} from 'node:fs';
import {constants} from 'node:os';
import {allLimits, limitTable} from '../../config/limits.ts';
import {IonError, quoted} from '../../errors.ts';
import type {ExecRules, Launch, Outcome, Running, Stdio, Namespaces} from '../launch.ts';
import {answersBy, openControl} from './control.ts';
import {exitLimitMs, finishRun, launcherName, notStarted, reapLater} from './launcher-end.ts';
import type {RelayPlan} from '../plan/relay-plan.ts';
import type {Native} from './native.ts';
import {bitsOf, fileRights, grants} from './rights.ts';

const optionsVersion = '1';
/** From these ABIs on Landlock itself separates abstract sockets, and checks unix sockets by path. */
const scopeAbi = 6;
const resolveUnixAbi = 9;
const graceMs = 5000;
/** The kernel's MAX_ARG_STRLEN: the maximum length of one argument, including its NUL. */
export const maxArgumentBytes = 131_072;

/** The options of the launcher, in its own order: see native/launcher/options/options.h. */
export function launcherOptions(launch: Launch, landlock: boolean, openFilesSoft: number): Buffer {
  const {limits, namespaces, supervisor} = launch;
  const {mounts} = namespaces;
  const numbers: [string, number | undefined][] = [
    ...allLimits.map((limit): [string, number | undefined] => [limitTable[limit].option, limits[limit]]),
    ['timeout_signal', launch.timeoutSignal && constants.signals[launch.timeoutSignal]],
    ['open_files_soft', openFilesSoft || undefined],
    ['grace_ms', graceMs],
  ];
  const entries = [
    `version=${optionsVersion}`,
    `confine=${launch.confined ? 1 : 0}`,
    `job=${launch.job ? 1 : 0}`,
    `landlock=${landlock ? 1 : 0}`,
    `seccomp=${launch.confined && launch.seccomp ? 1 : 0}`,
    `listener=${supervisor ? 1 : 0}`,
    `scoped=${launch.landlock >= scopeAbi ? 1 : 0}`,
    `unix_closed=${launch.confined && !supervisor && launch.landlock < resolveUnixAbi ? 1 : 0}`,
    `own_devices=${namespaces.ownDevices ? 1 : 0}`,
    `own_shm=${namespaces.ownShm ? 1 : 0}`,
    `listed_devices=${launch.listedDevices ? 1 : 0}`,
    `pts_access=${grants.device & bitsOf(fileRights, launch.landlock)}`,
    `shm_access=${launch.shmWritable ? grants.write & bitsOf(fileRights, launch.landlock) : 0}`,
    `tell_execs=${supervisor?.reportsExecs ? 1 : 0}`,
    `report=${supervisor?.report ?? 'minimal'}`,
    // Root with a view gets one too: a process outside its user namespace cannot use these permissions.
    `user_namespace=${namespaces.kind === 'user' || namespaces.view ? 1 : 0}`,
    `all_users=${namespaces.kind === 'root' && namespaces.view ? 1 : 0}`,
    `view=${namespaces.view ? 1 : 0}`,
    `mounts=${namespaces.kind === 'none' ? 0 : 1}`,
    `own_processes=${namespaces.ownProcesses ? 1 : 0}`,
    `proc_access=${namespaces.ownProcesses ? grants.view & bitsOf(fileRights, launch.landlock) : 0}`,
    `network_namespace=${namespaces.networkNamespace ? 1 : 0}`,
    `loopback=${namespaces.loopback ? 1 : 0}`,
    `network=${launch.network}`,
    ...relayEntries(namespaces.relay),
    `cwd=${launch.cwd}`,
    ...(launch.inside === undefined ? [] : [`inside=${launch.inside}`]),
    ...(launch.outerConfig === undefined ? [] : [`outer_config=${launch.outerConfig}`]),
    ...jobserverEntries(launch.jobserver),
    ...scriptEntries(launch),
    ...(launch.cgroup === undefined ? [] : [`cgroup=${launch.cgroup}`]),
    ...mounts.writable.map((path) => `writable=${path}`),
    ...(namespaces.view?.roots ?? []).map((path) => `view_root=${path}`),
    ...(namespaces.view?.links ?? []).flatMap(({path, target}) => [
      `view_link=${path}`,
      `view_target=${target}`,
    ]),
    ...mounts.pinned.map((path) => `pinned=${path}`),
    ...mounts.readonly.map((path) => `readonly=${path}`),
    ...mounts.masked.map((path) => `masked=${path}`),
    ...mounts.ownerless.map((path) => `ownerless=${path}`),
    ...mounts.owned.map((path) => `owned=${path}`),
    ...mounts.executable.map((path) => `executable=${path}`),
    ...mounts.noexec.map((path) => `noexec=${path}`),
    ...(supervisor?.absent ?? []).map((path) => `absent=${path}`),
    ...(supervisor?.denied ?? []).flatMap(({pattern, entry}) => [
      `denied=${pattern}`,
      `denied_entry=${entry}`,
    ]),
    ...(supervisor?.denied ?? []).flatMap(({pattern, except = []}) =>
      except.flatMap((path) => [`excepted=${path}`, `excepted_from=${pattern}`]),
    ),
    `nested_hooks=${supervisor?.nestedHooks ? 1 : 0}`,
    `nested_config=${supervisor?.nestedConfig ? 1 : 0}`,
    ...(supervisor?.gitFolders ?? []).map((path) => `git_folder=${path}`),
    ...(supervisor?.watched ?? []).map((path) => `watched=${path}`),
    ...namespaces.shadows.flatMap(({config, copy}) => [`shadowed=${config}`, `shadow=${copy}`]),
    ...(supervisor?.devices ?? []).map((path) => `device=${path}`),
    ...execEntries(supervisor?.exec),
    ...(supervisor?.named?.files ?? []).map((path) => `program=${path}`),
    ...(supervisor?.named?.folders ?? []).map((path) => `program_folder=${path}`),
    ...(supervisor?.named?.held ?? []).map((pattern) => `held=${pattern}`),
    ...(supervisor?.readable ?? []).map((path) => `readable=${path}`),
    ...(supervisor?.unixSockets ?? []).map((path) => `unix_socket=${path}`),
    ...(launch.diskRoots ?? []).map((path) => `disk_root=${path}`),
    ...(launch.leftovers ?? []).map((path) => `leftover=${path}`),
    ...numbers.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`])),
    ...Object.entries(launch.environment).map(([name, value]) => `env=${name}=${value}`),
    ...launch.argv.map((argument) => `arg=${argument}`),
    'end=1',
  ];
  return Buffer.from(`${entries.map(withoutNul).join('\0')}\0`);
}

/** NUL ends an entry: the launcher would read the rest of the value as another option. Throws an IonError. */
function withoutNul(entry: string): string {
  if (!entry.includes('\0')) return entry;
  const name = entry.slice(0, entry.indexOf('='));
  throw new IonError(`a NUL byte in a value for the sandbox: ${quoted(entry)}`, {
    help: `remove it from the setting or the command that it comes from (${name})`,
  });
}

/** A text without a NUL: the front reads no other. */
function scriptEntries({script, supervisor, seccomp}: Launch): string[] {
  if (!script || !supervisor || !seccomp) return [];
  return [`script_name=${script.name}`, `script=${script.text}`];
}

/** The launcher gets the descriptors themselves behind that of the ruleset: see native/launcher/confine/jobserver.h. */
function jobserverEntries(jobserver: Launch['jobserver']): string[] {
  if (!jobserver) return [];
  const [reads, writes] = jobserver;
  return [`jobserver_reads=${reads}`, `jobserver_writes=${writes}`];
}

function relayEntries(relay: RelayPlan | undefined): string[] {
  if (!relay) return [];
  return [
    'relay=1',
    `closed_servers=${relay.closedServers ? 1 : 0}`,
    ...relay.allow.map((rule) => `net_allow=${rule}`),
    ...relay.deny.map((pattern) => `net_deny=${pattern}`),
    ...relay.nameServers.map((address) => `name_server=${address}`),
    ...relay.searchDomains.map((domain) => `search_domain=${domain}`),
    ...relay.pinnedHosts.map((host) => `pinned_host=${host}`),
  ];
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

/** A running launcher that waits on its channel for a command. */
export interface WaitingLauncher {
  readonly pid: number;
  /** A descriptor; the launcher ends when it is closed. */
  readonly channel: number;
}

/**
 * Starts a launcher before its command is known. Its own start, and the slow namespaces of the command, then overlap
 * with ion's other work. Uses the addon's spawn: node:child_process costs 5 ms per start. The launcher has this
 * process's current umask and limits. Throws an IonError.
 */
export function startWaiting({addon, launcher}: Native, namespaces: Namespaces): WaitingLauncher {
  const [channel, theirs] = addon.channel();
  const argv = [launcherName, '--wait', ...madeAhead(namespaces)];
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
function madeAhead({kind, networkNamespace, loopback, ownProcesses, view}: Namespaces): string[] {
  // Only a process outside can map all users of a user namespace, so such a launcher cannot be started ahead.
  if (view && kind === 'root') return [];
  return [
    ...(kind === 'user' ? ['user'] : []),
    ...(networkNamespace ? ['network'] : []),
    ...(loopback ? ['loopback'] : []),
    ...(ownProcesses ? ['processes'] : []),
  ];
}

/**
 * Starts a launch with the ruleset descriptor (the caller keeps it), or -1 for none. Uses a waiting launcher if there
 * is one. Streams as pipes need node:child_process, which is loaded only then.
 */
export async function startLauncher(
  native: Native,
  launch: Launch,
  ruleset: number,
  waiting?: WaitingLauncher,
): Promise<Running> {
  const {addon} = native;
  const options = addon.memoryFile(launcherOptions(launch, ruleset !== -1, addon.parentOpenFiles()));
  const script = launch.job ? addon.memoryFile(Buffer.from(launch.job.script)) : undefined;
  try {
    if (launch.stdio.includes('pipe')) {
      const {startPiped} = await import('./start-piped.ts');
      return startPiped(native, launch, options, ruleset);
    }
    const more = launch.job ? [script!, launch.job.report] : (launch.jobserver ?? []);
    const descriptors = [...launch.stdio.map(descriptorOf), options, ruleset, ...more];
    return startNative(native, launch, descriptors, waiting);
  } finally {
    closeSync(options);
    if (script !== undefined) closeSync(script);
  }
}

/** Ends it without a command. Returns when the launcher has seen it. */
export function endWaiting({addon}: Native, {channel, pid}: WaitingLauncher): void {
  closeSync(channel);
  addon.reap(pid, -1);
}

/** Passes the descriptors to a launcher: the waiting one, or a new one if that was killed meanwhile. */
function handOver(
  native: Native,
  namespaces: Namespaces,
  descriptors: readonly number[],
  waiting: WaitingLauncher | undefined,
): WaitingLauncher {
  const taker = waiting ?? startWaiting(native, namespaces);
  try {
    native.addon.sendDescriptors(taker.channel, descriptors);
    return taker;
  } catch (error) {
    endWaiting(native, taker);
    if (!waiting) throw notStarted(error as Error);
    return handOver(native, namespaces, descriptors, undefined);
  }
}

function startNative(
  native: Native,
  launch: Launch,
  descriptors: readonly number[],
  waiting: WaitingLauncher | undefined,
): Running {
  const {addon} = native;
  const {pid, channel} = handOver(native, launch.namespaces, descriptors, waiting);
  const control = openControl(launch);
  const decoder = new TextDecoder();
  let ended = false;
  let gone = Promise.resolve();
  const outcome = new Promise<Outcome>((resolve, reject) => {
    addon.follow(channel, (bytes) => {
      try {
        if (bytes) return control.take(decoder.decode(bytes, {stream: true}));
        ended = true;
        const end = control.end();
        if (end && !launch.adoptsOrphans) {
          gone = reapLater(addon, pid).finally(() => closeSync(channel));
          return finishRun(addon, launch, end, 0, {resolve, reject});
        }
        const status = addon.reap(pid, end ? exitLimitMs : -1);
        closeSync(channel);
        finishRun(addon, launch, end, status & 0x7f, {resolve, reject});
      } catch (error) {
        reject(error as Error);
      }
    });
  });
  const say = (bytes: Buffer): void => {
    if (ended) return;
    try {
      writeSync(channel, bytes);
    } catch {
      // The launcher is gone. Its end reports that.
    }
  };
  return {
    stdio: [null, null, null],
    pid,
    // Never signal a pid that another process may have by now.
    signal: (name) => {
      if (ended) return;
      // A killed launcher would leave the tree behind; one whose ion is gone kills it.
      if (name === 'SIGKILL') addon.halfClose(channel);
      else process.kill(pid, name);
    },
    ...answersBy(say),
    outcome,
    gone: () => gone,
  };
}

function descriptorOf(stdio: Stdio, index: number): number {
  if (typeof stdio === 'number') return stdio;
  return stdio === 'inherit' ? index : -1;
}
