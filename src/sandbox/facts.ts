import type {Settings} from '../config/settings.ts';
import {boundaryOf, type Boundary} from './boundary.ts';
import type {Environment} from './plan/scrub-environment.ts';
import {withheldBy} from './plan/expand-roots.ts';
import type {BackendName, Machine} from './machine.ts';
import {enforcedBy, featuresOfRun, type Enforced} from './matrix.ts';
import {writeRoots, type Root, type Surroundings} from './plan/roots.ts';
import type {Protected} from './plan/protected.ts';
import {isOff} from './require.ts';
import type {ToolchainPlan} from './toolchains/plan-toolchains.ts';

/** The boundary of a run as it is really applied: the sandbox profile of the product contract, section 5. */
export interface SandboxFacts {
  readonly backend: BackendName;
  /** False: no operating system enforces anything of it. */
  readonly enforced: boolean;
  readonly mode: Settings['mode']['value'];
  /** What the run may change and start. */
  readonly boundary: Boundary;
  readonly cwd: string;
  readonly readRoots: readonly string[];
  /** Below the read roots, and yet not readable. */
  readonly withheld: readonly string[];
  readonly writeRoots: readonly string[];
  /** Auto-run files that exist and are pinned, and those whose creation is not wanted. */
  readonly protected: Protected;
  readonly network: Settings['network']['value'];
  readonly environmentRemoved: readonly string[];
  /** The presets in force, each with what called for it and the variables it sets. */
  readonly toolchains: readonly {
    readonly name: string;
    readonly because: string;
    readonly variables: readonly string[];
  }[];
  readonly limits: Readonly<Record<string, number>>;
  /** How each limit is kept. */
  readonly limitsBy: Readonly<Record<string, string>>;
  readonly protections: readonly Enforced[];
}

export interface FactsInput {
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  readonly roots: readonly Root[];
  readonly environment: Environment;
  readonly toolchains: ToolchainPlan;
  readonly pins: Protected;
  readonly machine: Machine;
  readonly backend: BackendName;
  readonly cgroup: string | undefined;
}

const byLauncher: Readonly<Record<string, string>> = {
  timeoutMs: 'supervisor (whole tree)',
  memoryBytes:
    'supervisor (resident memory, memfds and own /dev/shm of the whole tree, looked at every 50 ms)',
  processes: 'supervisor (processes and threads of the whole tree, looked at every 50 ms)',
  openFiles: 'rlimit (per process)',
  fileSizeBytes: 'rlimit (per file)',
  cpuSeconds: 'rlimit (per process), supervisor (whole tree, looked at every 50 ms)',
  diskBytes:
    'supervisor (free space on the file system of each write root, looked at every 50 ms; what others write counts too)',
};

const byCgroup: Readonly<Record<string, string>> = {
  ...byLauncher,
  memoryBytes: 'cgroup (memory of every kind of the whole tree)',
  processes: 'cgroup (processes and threads of the whole tree)',
  cpuSeconds: 'rlimit (per process), cgroup (whole tree, looked at every 50 ms)',
};

const withoutLauncher: Readonly<Record<string, string>> = {
  timeoutMs: 'ion (process group and descendants)',
  memoryBytes: 'ion (resident memory of group and descendants, looked at every 250 ms)',
  processes: 'ion (group and descendants, looked at every 250 ms)',
  openFiles: 'ulimit (per process)',
  fileSizeBytes: 'ulimit (per file)',
  cpuSeconds: 'ulimit (per process)',
  diskBytes:
    'ion (free space on the file system of each write root, looked at every 250 ms; what others write counts too)',
};

/** How each limit that is set is kept, by the names that the config has for them. */
export function limitKeepers(
  limits: Settings['limits'],
  {features}: Machine,
  cgroup: string | undefined,
): Readonly<Record<string, string>> {
  const tree = cgroup === undefined ? byLauncher : byCgroup;
  const keepers = features.launcher ? tree : withoutLauncher;
  return Object.fromEntries(Object.keys(limits).map((name) => [name, keepers[name] ?? '']));
}

export function sandboxFacts(input: FactsInput): SandboxFacts {
  const {settings, surroundings, roots, environment, machine, backend} = input;
  const limits = Object.entries(settings.limits).map(
    ([name, limit]) => [name, (limit as {value: number}).value] as const,
  );
  return {
    backend,
    enforced: backend !== 'none' && backend !== 'app-level',
    mode: settings.mode.value,
    boundary: boundaryOf(settings),
    cwd: surroundings.cwd,
    readRoots: roots.filter(({grant}) => grant === 'read' || grant === 'view').map(({path}) => path),
    withheld: withheldBy(roots),
    writeRoots: writeRoots(roots),
    protected: input.pins,
    network: backend === 'none' || backend === 'app-level' ? 'full' : settings.network.value,
    environmentRemoved: environment.removed,
    toolchains: input.toolchains.presets.map(({name, because, variables}) => ({
      name,
      because,
      variables: variables.map((variable) => variable.name),
    })),
    limits: Object.fromEntries(limits),
    limitsBy: limitKeepers(settings.limits, machine, input.cgroup),
    protections: backend === 'none' ? [] : protectionsOf(settings, machine),
  };
}

function protectionsOf(settings: Settings, {features}: Machine): Enforced[] {
  return enforcedBy(featuresOfRun(features, settings.report.value)).filter(({id}) => !isOff(id, settings));
}
