import {readdirSync, readFileSync} from 'node:fs';
import {monotonicMs} from '../../system/clock.ts';
import type {Addon} from './native.ts';

/** The longest time that killOrphans takes. */
export const orphansLimitMs = 10_000;
/** Not even SIGKILL ends a process that waits for a file system that never answers (state D). */
const waitingLimitMs = 2000;
const pauseMs = 1;

/**
 * Kills the processes that a killed launcher left behind. This process is a subreaper, so orphans of the run are its children. It
 * has no other children. It kills and reaps until none is left: process 1 of a PID namespace ends only when the others of the
 * namespace are reaped, and the command is a child of this process. The next round finds a child that was forked meanwhile, and
 * the children of a process that is still dying. On a busy machine this takes time, so the limit is a time and not a number of
 * rounds.
 *
 * Returns how many processes were killed.
 */
export function killOrphans(addon: Pick<Addon, 'reapEnded'>): number {
  const killed = new Set<number>();
  const begun = monotonicMs();
  let ranAt = begun;
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  for (let now = begun; now < begun + orphansLimitMs && now < ranAt + waitingLimitMs; now = monotonicMs()) {
    const children = ownChildren();
    if (children.length === 0) break;
    for (const pid of children) {
      const state = stateOf(pid);
      if (state === undefined || (state === 'Z' && addon.reapEnded(pid))) continue;
      // A zombie that cannot be reaped yet has threads or a tracer.
      if (state !== 'D' && state !== 'Z') ranAt = now;
      try {
        process.kill(pid, 'SIGKILL');
        killed.add(pid);
      } catch {
        // The process is gone meanwhile.
      }
    }
    Atomics.wait(neverNotified, 0, 0, pauseMs);
  }
  return killed.size;
}

function ownChildren(): number[] {
  return readdirSync('/proc/self/task').flatMap((task) => {
    try {
      const list = readFileSync(`/proc/self/task/${task}/children`, 'utf8');
      return list.split(' ').filter(Boolean).map(Number);
    } catch {
      return []; // a thread that has ended
    }
  });
}

/** The format is that of proc_pid_stat(5). */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}
