import {existsSync} from 'node:fs';
import {IonError} from '../errors.ts';
import type {Backend, Launch, Running, Namespaces} from './launch.ts';
import {endWaiting, startLauncher, startWaiting, type WaitingLauncher} from './linux/start-launcher.ts';
import {loadNative, type Native} from './linux/native.ts';
import {createRuleset, rulesetSpec} from './linux/ruleset.ts';
import {expandRoots} from './plan/expand-roots.ts';
import {partsOf, type ReadPart} from './macos/seatbelt-profile.ts';
import {hasView, noFeatures, type Features} from './matrix/features.ts';
import type {Root} from './plan/roots.ts';

export type {WaitingLauncher} from './linux/start-launcher.ts';

/** The mechanisms that this machine has to confine a command; probed once per process. */
export interface Machine {
  readonly features: Features;
  readonly native: Native | undefined;
  /** Why the native part is missing. */
  readonly missing: string | undefined;
  /** The parts of seatbelt profiles, where seatbelt is. */
  readonly seatbelt?: ReadPart;
  /** Why ion cannot start a sandbox here: it is inside another one that does not allow a second. */
  readonly inside?: string;
}

/** Checked before everything else: on Windows paths, users and signals mean other things. Throws an IonError (125). */
export function refuseWindows(): void {
  if (process.platform !== 'win32') return;
  throw new IonError('Windows is not supported: ion cannot confine a command on it', {
    help: 'run ion inside WSL2',
  });
}

export async function probeMachine(packageRoot: string): Promise<Machine> {
  refuseWindows();
  if (process.platform === 'darwin') return macMachine(packageRoot);
  const native = loadNative(packageRoot);
  if ('missing' in native) {
    return {features: noFeatures, native: undefined, missing: native.missing};
  }
  const {landlockAbi, seccomp, listener, pidfdGetfd, ownerlessEtc, namespaces, pidNamespace} =
    native.addon.probe();
  const features: Features = {
    landlock: landlockAbi,
    seccomp,
    listener,
    pidfdGetfd,
    namespaces,
    pidNamespace,
    launcher: true,
    ...(process.geteuid?.() === 0 ? {root: true} : {}),
    ...(ownerlessEtc ? {ownerlessEtc} : {}),
  };
  return {features, native, missing: undefined};
}

/** Returns which of these paths exist; follows symlinks. */
export function existing({native}: Pick<Machine, 'native'>, paths: readonly string[]): readonly boolean[] {
  return native ? native.addon.exist(paths) : paths.map((file) => existsSync(file));
}

async function macMachine(packageRoot: string): Promise<Machine> {
  const {probeSeatbelt} = await import('./macos/probe-seatbelt.ts');
  const probe = probeSeatbelt();
  if (probe.usable) {
    const features: Features = {...noFeatures, seatbelt: true};
    return {features, native: undefined, missing: undefined, seatbelt: partsOf(packageRoot)};
  }
  const machine: Machine = {features: noFeatures, native: undefined, missing: probe.why};
  return probe.nested ? {...machine, inside: probe.why} : machine;
}

export type BackendName = Backend['name'];

/** The strongest boundary of this machine. */
export function backendName({features, inside}: Machine, sandbox: boolean): BackendName {
  if (!sandbox) return 'none';
  if (inside !== undefined) {
    throw new IonError(`cannot create a sandbox inside another one: ${inside}`, {
      help: 'run ion outside it, or use --no-sandbox: the outer sandbox stays in force',
    });
  }
  if (features.seatbelt) return 'seatbelt';
  if (features.landlock > 0) return 'landlock';
  if (hasView(features)) return 'mounts';
  return features.seccomp ? 'seccomp-only' : 'app-level';
}

/** A ruleset for these roots, or -1 without Landlock. The caller closes the descriptor. */
export function prepareRuleset(
  {native, features}: Machine,
  roots: readonly Root[],
  network: 'none' | 'full',
): number {
  if (!native || features.landlock === 0) return -1;
  const expanded = expandRoots(roots);
  return createRuleset(native.addon, rulesetSpec(expanded, features.landlock, network), expanded).fd;
}

/**
 * A launcher that waits for the next command with these namespaces, if possible. A failure here is reported when a
 * command needs it.
 */
export function prepareLauncher({native}: Machine, namespaces: Namespaces): WaitingLauncher | undefined {
  try {
    return native && startWaiting(native, namespaces);
  } catch {
    return undefined;
  }
}

/** Ends the waiting launcher: no command will use it. */
export function dismissLauncher({native}: Machine, waiting: WaitingLauncher | undefined): void {
  if (native && waiting) endWaiting(native, waiting);
}

/** The one place where a command is started. */
export async function startCommand(
  {native, seatbelt}: Machine,
  launch: Launch,
  ruleset: number,
  waiting?: WaitingLauncher,
): Promise<Running> {
  if (native) return startLauncher(native, launch, ruleset, waiting);
  if (seatbelt && launch.seatbelt) {
    const {startSeatbelt} = await import('./macos/start-seatbelt.ts');
    return startSeatbelt(launch, launch.seatbelt, seatbelt);
  }
  const {startUnconfined} = await import('./app-level/start-unconfined.ts');
  return startUnconfined(launch);
}
