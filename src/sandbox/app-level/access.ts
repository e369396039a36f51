import {dirname} from 'node:path';
import {isWithin} from '../../system/is-within.ts';
import type {Root} from '../plan/roots.ts';
import type {Resolver} from './resolver.ts';

/** `remove`: also a write to the folder around it. */
export type Access = 'read' | 'write' | 'remove';

/** Reports whether a real path may be used: compares whole components with the roots of the plan. */
export type MayUse = (real: string, access: Access) => boolean;

/** Grants of a root that open the root and everything below it. */
const opens: Readonly<Record<Access, readonly Root['grant'][]>> = {
  read: ['read', 'view', 'write', 'scratch', 'device', 'append'],
  write: ['write', 'scratch', 'device'],
  remove: ['write', 'scratch'],
};

export function makeAccess(roots: readonly Root[], resolver: Resolver): MayUse {
  const reals = roots.flatMap(({path, grant}) => {
    const real = resolver.real(path);
    return real === undefined ? [] : [{real, grant}];
  });
  const mayUse: MayUse = (path, access) => {
    if (access === 'remove' && !mayUse(dirname(path), 'write')) return false;
    if (isOfProcesses(path)) return access === 'read' && harmlessOfProcesses.test(path);
    return reals.some(
      ({real, grant}) =>
        (opens[access].includes(grant) && isWithin(path, real)) ||
        (access === 'read' && grant === 'list' && path === real),
    );
  };
  return mayUse;
}

function isOfProcesses(path: string): boolean {
  return isWithin(path, '/proc');
}

/**
 * In /proc: facts about the machine, and facts about the process itself that lead nowhere else. No path of another
 * process: without Landlock its memory and environment would be readable here.
 */
const harmlessOfProcesses =
  /^\/proc(?:\/(?!\d|kcore|kmsg|kpage|sysrq|self|thread-self)[\w/.-]+|\/(?:self|thread-self)\/(?:status|stat|statm|maps|environ|cmdline|comm|limits|mounts|mountinfo|cgroup|io|fd))?$/;
