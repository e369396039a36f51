import {IonError} from '../errors.ts';
import type {Backend, Launch} from './backend.ts';
import {startUnconfined} from './app-level/start.ts';
import {startLauncher} from './linux/launch.ts';
import {loadNative, type Native} from './linux/native.ts';
import {createRuleset, rulesetSpec} from './linux/ruleset.ts';
import {noFeatures, type Features} from './matrix.ts';
import type {Root} from './plan.ts';

/** What can be used here to confine a command; asked of the kernel once per process. */
export interface Machine {
  readonly features: Features;
  readonly native: Native | undefined;
  /** Why there is no native part. */
  readonly missing: string | undefined;
}

export function probeMachine(packageRoot: string): Machine {
  if (process.platform === 'win32') {
    throw new IonError('Windows is not supported: nothing here could confine a command', {
      help: 'run ion inside WSL2, where it is a Linux program',
    });
  }
  const native = loadNative(packageRoot);
  if ('missing' in native) {
    return {features: noFeatures, native: undefined, missing: native.missing};
  }
  const {landlockAbi, seccomp, listener, pidfdGetfd, namespaces} = native.addon.probe();
  const features = {landlock: landlockAbi, seccomp, listener, pidfdGetfd, namespaces};
  return {features, native, missing: undefined};
}

export type BackendName = Backend['name'];

/** The strongest boundary of this machine. */
export function backendName({features}: Machine, sandbox: boolean): BackendName {
  if (!sandbox) return 'none';
  if (features.landlock > 0) return 'landlock';
  return features.seccomp ? 'seccomp-only' : 'app-level';
}

/** A ruleset for these roots, or -1 where there is no Landlock. The descriptor is the caller's to close. */
export function prepareRuleset(
  {native, features}: Machine,
  roots: readonly Root[],
  network: 'none' | 'full',
): number {
  if (!native || features.landlock === 0) return -1;
  return createRuleset(native.addon, rulesetSpec(roots, features.landlock, network)).fd;
}

/** The one place where a command is started. */
export function startCommand(
  {native}: Machine,
  launch: Launch,
  ruleset: number,
): ReturnType<Backend['start']> {
  return native ? startLauncher(native, launch, ruleset) : startUnconfined(launch);
}
