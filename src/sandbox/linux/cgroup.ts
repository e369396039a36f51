import {accessSync, constants, readFileSync} from 'node:fs';
import path from 'node:path';
import type {Limits} from '../../config/settings.ts';

/**
 * A cgroup v2 folder in which this user may create a group with the requested limits: the own group or a parent that
 * delegates the controllers. Undefined where there is none; then the supervisor enforces the limits.
 *
 * Nothing is changed: ion switches on no controllers in another group, and moves no processes. (A group with processes
 * in it delegates nothing, so for a login session as root this is the user's slice.) Source: kernel
 * Documentation/admin-guide/cgroup-v2.rst, "Delegation" and "No Internal Process Constraint".
 */
export function findCgroup(limits: Limits): string | undefined {
  const wanted = [...(limits.memoryBytes ? ['memory'] : []), ...(limits.processes ? ['pids'] : [])] as const;
  if (wanted.length === 0 && !limits.cpuSeconds) return undefined;
  try {
    const place = ownGroup(
      readFileSync('/proc/self/cgroup', 'utf8'),
      readFileSync('/proc/self/mountinfo', 'utf8'),
    );
    if (!place) return undefined;
    for (let folder = place.group; ; folder = path.dirname(folder)) {
      if (handsOn(folder, wanted)) return folder;
      if (folder === place.mount) return undefined;
    }
  } catch {
    return undefined;
  }
}

export interface GroupPlace {
  /** Where cgroup v2 is mounted. */
  readonly mount: string;
  /** The own group's folder below it. */
  readonly group: string;
}

/** The folder of the own group, from /proc/self/cgroup and /proc/self/mountinfo. Pure. */
export function ownGroup(cgroups: string, mountinfo: string): GroupPlace | undefined {
  const own = /^0::(\/.*)$/m.exec(cgroups)?.[1];
  if (own === undefined) return undefined;
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mount = ''] = before.split(' ');
    if (!after.startsWith('cgroup2 ')) continue;
    // Above the namespace's own root: not reachable by a path from here.
    if (own.startsWith('/..') || root.startsWith('/..')) continue;
    const below = path.posix.relative(root, own);
    if (below === '..' || below.startsWith('../')) continue;
    return {mount, group: path.posix.join(mount, below)};
  }
  return undefined;
}

/** Reports whether this user may create a group here, move its own processes into it, and limit it. */
function handsOn(folder: string, wanted: readonly string[]): boolean {
  try {
    accessSync(folder, constants.W_OK);
    accessSync(path.join(folder, 'cgroup.procs'), constants.W_OK);
    const handed = readFileSync(path.join(folder, 'cgroup.subtree_control'), 'utf8').trim().split(' ');
    return wanted.every((controller) => handed.includes(controller));
  } catch {
    return false;
  }
}
