import {asksForNames} from '../../policy/network-approval.ts';
import {isTable, wordOf} from '../../config/network/network-table.ts';
import type {Settings} from '../../config/settings.ts';
import {noNamespaces, type Namespaces} from '../launch.ts';
import {planView} from '../linux/view.ts';
import type {Machine} from '../machine.ts';
import {hasView} from '../matrix/features.ts';
import {isWithin} from '../../system/is-within.ts';
import {readHosts, readResolver} from './name-servers.ts';
import {planRelay} from './relay-plan.ts';
import {writeRoots, type Root} from './roots.ts';
import {planOwnerless} from './ownerless.ts';
import {planMounts, type MountPlan} from './mounts.ts';
import {type ProtectedFiles} from './protected.ts';
import {realpathIfThere} from '../../system/real-path.ts';

export interface NamespacesInput {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly roots: readonly Root[];
  readonly protected: ProtectedFiles;
  /** Denied paths that a mount can hide. */
  readonly masked: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

const shm = '/dev/shm';

/** Programs create pseudo-terminals below it, and set their owner and size. */
const alwaysWritable = ['/dev/pts'];

/**
 * The namespaces of a run, as far as this machine grants them. The lists of writable and protected paths are filled without
 * namespaces too, because the supervisor uses them.
 */
export function planNamespaces({
  settings,
  machine,
  roots,
  protected: protectedFiles,
  masked,
  environment,
}: NamespacesInput): Namespaces {
  if (!machine.native) return noNamespaces;
  const {namespaces: kind} = machine.features;
  const hasNamespaces = kind !== 'none';
  const network = settings.network.value;
  // A table without entries is a network only of names that the user is asked about.
  const relay =
    hasNamespaces && isTable(network) && (network.allow.length > 0 || asksForNames(settings.approval.value));
  const writable = [...writeRoots(roots), ...alwaysWritable].flatMap(realpathIfThere);
  return {
    kind,
    networkNamespace: hasNamespaces && network !== 'full',
    loopback: relay || (hasNamespaces && wordOf(network) === 'loopback'),
    relay: relay ? planRelay(network, readResolver(), readHosts()) : undefined,
    mounts: {
      ...planMounts(writable, protectedFiles.existing.filter(isCanonical), masked, protectedFiles.holders),
      ...executionMounts(roots),
      ...planOwnerless(roots, machine.features),
    },
    ownProcesses: hasNamespaces && machine.features.pidNamespace && settings.processes.value === 'own',
    ownDevices: hasNamespaces,
    ownShm: hasNamespaces && !writable.some((root) => root !== shm && isWithin(root, shm)),
    shadows: [],
    view: hasView(machine.features)
      ? planView({roots: [...roots, ...socketRoots(settings)], writable, names: namesIn(environment)})
      : undefined,
  };
}

/** Only if some roots do not execute: the roots that do, none below another one, and the exceptions below them. */
function executionMounts(roots: readonly Root[]): Pick<MountPlan, 'executable' | 'noexec'> {
  const executing = roots.filter(({grant, programs}) => grant === 'read' && programs);
  if (!roots.some(({grant}) => grant === 'view')) return {executable: [], noexec: []};
  const paths = [...new Set(executing.flatMap(({path}) => realpathIfThere(path)))];
  const noexec = new Set(executing.flatMap(({noExecute = []}) => noExecute).flatMap(realpathIfThere));
  return {
    executable: paths
      .filter((file) => !paths.some((other) => other !== file && isWithin(file, other)))
      .sort(),
    noexec: [...noexec].sort(),
  };
}

/** A socket that the run may connect to must be visible. */
function socketRoots({unixSockets}: Settings): Root[] {
  return unixSockets.map(({value}) => ({
    path: value,
    grant: 'read',
    reason: 'sandbox.unix_sockets',
    optional: true,
  }));
}

function namesIn({HOME, PWD, TMPDIR, PATH}: NamespacesInput['environment']): string[] {
  const all = [HOME, PWD, TMPDIR, ...(PATH ?? '').split(':')];
  return all.filter((name): name is string => name?.startsWith('/') ?? false);
}

/** A protected name that is a symlink cannot be a mount point, and its target may be anywhere. */
function isCanonical(file: string): boolean {
  return realpathIfThere(file)[0] === file;
}
