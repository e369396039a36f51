import {accessSync, constants, readFileSync} from 'node:fs';
import path from 'node:path';
import type {Limits} from '../../config/settings.ts';

/**
 * A folder of cgroup v2 in which this user may make a group with the limits that are wanted: the own group or one above
 * it, down from which they are handed on. Undefined where there is none; then the supervisor looks after the limits.
 *
 * Nothing is changed: controllers are not switched on in somebody else's group, and processes are not moved
 * (a group with processes in it hands nothing on, so for a login session as root this is the user's slice).
 * Source: kernel Documentation/admin-guide/cgroup-v2.rst, "Delegation" and "No Internal Process Constraint".
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
    // Above the namespace's own: not a path from here.
    if (own.startsWith('/..') || root.startsWith('/..')) continue;
    const below = path.posix.relative(root, own);
    if (below === '..' || below.startsWith('../')) continue;
    return {mount, group: path.posix.join(mount, below)};
  }
  return undefined;
}

/** May this user make a group here, move its own processes into it, and limit it? */
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
