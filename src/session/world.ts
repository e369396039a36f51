import {realpathSync} from 'node:fs';
import type {Settings} from '../config/settings.ts';
import {outsideWorld, type World} from '../sandbox/backend.ts';
import type {Machine} from '../sandbox/machine.ts';
import {isWithin} from '../sandbox/paths.ts';
import {writeRoots, type Root} from '../sandbox/plan.ts';
import {planMounts, type Protected} from '../sandbox/protected.ts';

export interface WorldInput {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly roots: readonly Root[];
  readonly protected: Protected;
  /** Denied paths that a mount can hide. */
  readonly masked: readonly string[];
}

const shm = '/dev/shm';

/** Pseudo-terminals are made, owned and sized below it. */
const alwaysWritable = ['/dev/pts'];

/**
 * The namespaces of a run, as far as this machine grants them. What may be written and what is protected is listed without
 * namespaces too: the supervisor goes by the same lists.
 */
export function planWorld({settings, machine, roots, protected: pins, masked}: WorldInput): World {
  if (!machine.native) return outsideWorld;
  const {namespaces} = machine.features;
  const hasNamespaces = namespaces !== 'none';
  const writable = [...writeRoots(roots), ...alwaysWritable].flatMap(canonical);
  return {
    namespaces,
    networkNamespace: hasNamespaces && settings.network.value !== 'full',
    loopback: hasNamespaces && settings.network.value === 'loopback',
    mounts: planMounts(writable, pins.existing.filter(isCanonical), masked, pins.holders),
    ownDevices: hasNamespaces,
    ownShm: hasNamespaces && !writable.some((root) => root !== shm && isWithin(root, shm)),
    shadows: [],
  };
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
