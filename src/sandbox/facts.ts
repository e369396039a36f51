import {eachLimit, type Limit} from '../config/limits.ts';
import {isOfOuterRun} from '../config/outer-config.ts';
import type {ResolvedConfig, Settings} from '../config/settings.ts';
import {boundaryOf, type Boundary} from './boundary.ts';
import type {Environment} from './plan/scrub-environment.ts';
import {withheldBy} from './plan/expand-roots.ts';
import type {BackendName, Machine} from './machine.ts';
import {featuresOfRun} from './matrix/features.ts';
import {enforcedBy, type Enforced} from './matrix/matrix.ts';
import {writeRoots, type Root, type PlanInputs} from './plan/roots.ts';
import type {ProtectedFiles} from './plan/protected.ts';
import {isOff} from './require.ts';
import type {ToolchainPlan} from './toolchains/plan-toolchains.ts';

/** The boundary of a run as it is really enforced: the sandbox profile of the product contract, section 5. */
export interface SandboxFacts {
  readonly backend: BackendName;
  /** False: the operating system enforces no part of it. */
  readonly enforced: boolean;
  /** The run is inside another one, whose boundary and deny rules hold too. */
  readonly insideRun: boolean;
  readonly mode: Settings['mode']['value'];
  /** The kind of the boundary (boundary.ts). */
  readonly boundary: Boundary;
  readonly cwd: string;
  readonly readRoots: readonly string[];
  /** Below the read roots, but not readable. */
  readonly withheld: readonly string[];
  readonly writeRoots: readonly string[];
  /** Auto-run files that exist and are pinned, and those that must not be created. */
  readonly protected: ProtectedFiles;
  readonly network: Settings['network']['value'];
  readonly environmentRemoved: readonly string[];
  /** The active presets, each with its reason and the variables that it sets. */
  readonly toolchains: readonly {
    readonly name: string;
    readonly because: string;
    readonly variables: readonly string[];
  }[];
  readonly limits: Readonly<Record<string, number>>;
  /** The mechanism that enforces each limit. */
  readonly limitsBy: Readonly<Record<string, string>>;
  readonly protections: readonly Enforced[];
}

export interface FactsInput {
  readonly config: Pick<ResolvedConfig, 'layers'>;
  readonly settings: Settings;
  readonly inputs: PlanInputs;
  readonly roots: readonly Root[];
  readonly environment: Environment;
  readonly toolchains: ToolchainPlan;
  readonly protectedFiles: ProtectedFiles;
  readonly machine: Machine;
  readonly backend: BackendName;
  readonly cgroup: string | undefined;
}

const byLauncher: Readonly<Record<Limit, string>> = {
  timeoutMs: 'supervisor (whole tree)',
  memoryBytes:
    'supervisor (resident memory, memfds and private /dev/shm of the whole tree, checked every 50 ms)',
  processes: 'supervisor (processes and threads of the whole tree, checked every 50 ms)',
  openFiles: 'rlimit (per process)',
  fileSizeBytes: 'rlimit (per file)',
  cpuSeconds: 'rlimit (per process), supervisor (whole tree, checked every 50 ms)',
  diskBytes:
    'supervisor (free space on the file system of each write root, checked every 50 ms; writes of other processes count too)',
};

const byCgroup: Readonly<Record<Limit, string>> = {
  ...byLauncher,
  memoryBytes: 'cgroup (all memory of the whole tree)',
  processes: 'cgroup (processes and threads of the whole tree)',
  cpuSeconds: 'rlimit (per process), cgroup (whole tree, checked every 50 ms)',
};

const withoutLauncher: Readonly<Record<Limit, string>> = {
  timeoutMs: 'ion (process group and descendants)',
  memoryBytes: 'ion (resident memory of group and descendants, checked every 250 ms)',
  processes: 'ion (group and descendants, checked every 250 ms)',
  openFiles: 'ulimit (per process)',
  fileSizeBytes: 'ulimit (per file)',
  cpuSeconds: 'ulimit (per process)',
  diskBytes:
    'ion (free space on the file system of each write root, checked every 250 ms; writes of other processes count too)',
};

/** The mechanism for each limit that is set, by config name. */
export function limitKeepers(
  limits: Settings['limits'],
  {features}: Machine,
  cgroup: string | undefined,
): {readonly [limit in Limit]?: string} {
  const tree = cgroup === undefined ? byLauncher : byCgroup;
  const keepers = features.launcher ? tree : withoutLauncher;
  return eachLimit((limit) => (limits[limit] ? keepers[limit] : undefined));
}

export function sandboxFacts(input: FactsInput): SandboxFacts {
  const {settings, inputs, roots, environment, machine, backend} = input;
  const limits = Object.entries(settings.limits).map(
    ([name, limit]) => [name, (limit as {value: number}).value] as const,
  );
  return {
    backend,
    enforced: backend !== 'none' && backend !== 'app-level',
    insideRun: input.config.layers.some(({origin}) => isOfOuterRun(origin)),
    mode: settings.mode.value,
    boundary: boundaryOf(settings),
    cwd: inputs.cwd,
    readRoots: roots.filter(({grant}) => grant === 'read' || grant === 'view').map(({path}) => path),
    withheld: withheldBy(roots),
    writeRoots: writeRoots(roots),
    protected: input.protectedFiles,
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
  return enforcedBy(
    featuresOfRun(features, {report: settings.report.value, processes: settings.processes.value}),
  ).filter(({id}) => !isOff(id, settings));
}
