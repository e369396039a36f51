import {realpathSync} from 'node:fs';
import type {Settings} from '../config/settings.ts';
import {outsideWorld, type World} from '../sandbox/backend.ts';
import {existing, type Machine} from '../sandbox/machine.ts';
import {isWithin} from '../sandbox/paths.ts';
import type {Root} from '../sandbox/plan.ts';
import {planMounts, type Protected} from '../sandbox/protected.ts';

export interface WorldInput {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly roots: readonly Root[];
  readonly protected: Protected;
}

const shm = '/dev/shm';

/** Pseudo-terminals are made, owned and sized below it. */
const alwaysWritable = ['/dev/pts'];

/**
 * The namespaces of a run, as far as this machine grants them. What may be written and what is protected is listed without
 * namespaces too: the supervisor goes by the same lists.
 */
export function planWorld({settings, machine, roots, protected: pins}: WorldInput): World {
  if (!machine.native) return outsideWorld;
  const {namespaces} = machine.features;
  const hasNamespaces = namespaces !== 'none';
  const writable = [
    ...roots.filter(({grant}) => grant === 'write').map(({path}) => path),
    ...alwaysWritable,
  ].flatMap(canonical);
  const readable = roots.filter(({grant}) => grant === 'read' || grant === 'write').map(({path}) => path);
  return {
    namespaces,
    networkNamespace: hasNamespaces && settings.network.value !== 'full',
    loopback: hasNamespaces && settings.network.value === 'loopback',
    mounts: planMounts(writable, pins.existing.filter(isCanonical), maskedPaths(settings, readable, machine)),
    ownDevices: hasNamespaces,
    ownShm: hasNamespaces && !writable.some((root) => root !== shm && isWithin(root, shm)),
    shadows: [],
  };
}

/** Denied paths without wildcards that lie where the command could read them. Others are closed already. */
function maskedPaths({deniedPaths}: Settings, readable: readonly string[], machine: Machine): string[] {
  const plain = deniedPaths.map(({value}) => value).filter((value) => !/[*?[\]{}]/.test(value));
  const there = existing(machine, plain);
  return plain
    .filter((_, index) => there[index])
    .flatMap(canonical)
    .filter((value) => readable.some((root) => isWithin(value, root)));
}

function canonical(file: string): string[] {
  try {
    return [realpathSync.native(file)];
  } catch {
    return [];
  }
}

/** A protected name that is a symlink cannot be a mount point; what it points to may lie anywhere. */
function isCanonical(file: string): boolean {
  return canonical(file)[0] === file;
}
