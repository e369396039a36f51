import path from 'node:path';
import {isWithin} from '../../system/is-within.ts';

/** Mounts for these roots: writable, pinned, and pinned read-only paths. All sorted parents first. */
export interface MountPlan {
  readonly writable: readonly string[];
  readonly pinned: readonly string[];
  readonly readonly: readonly string[];
  readonly masked: readonly string[];
  /** Folders in which root has only the rights of any other user, and paths below them for which this does not hold. */
  readonly ownerless: readonly string[];
  readonly owned: readonly string[];
  /** If there are any, only these contain programs, except in the `noexec` folders below them. */
  readonly executable: readonly string[];
  readonly noexec: readonly string[];
}

/**
 * A mount point cannot be renamed or removed, but a parent of it can, and takes the mount along. So each folder between the write
 * root and a protected or masked path is pinned too. Otherwise the launcher, which renames across pins outside these mounts,
 * would not protect it under its new path. No path below nested repositories is protected: a rename across a pin fails with
 * EXDEV. Pure.
 */
export function planMounts(
  writable: readonly string[],
  existing: readonly string[],
  masked: readonly string[],
  holders: readonly string[] = [],
): MountPlan {
  const pinned = new Set<string>();
  for (const folder of [...[...existing, ...masked].map((file) => path.dirname(file)), ...holders]) {
    for (
      let parent = folder;
      writable.some((root) => parent !== root && isWithin(parent, root));
      parent = path.dirname(parent)
    ) {
      if (!writable.includes(parent) && !existing.includes(parent)) pinned.add(parent);
    }
  }
  return {
    writable: [...new Set(writable)].sort(),
    pinned: [...pinned].sort(),
    readonly: existing,
    masked,
    ownerless: [],
    owned: [],
    executable: [],
    noexec: [],
  };
}
