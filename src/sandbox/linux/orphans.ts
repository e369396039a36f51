import {readdirSync, readFileSync} from 'node:fs';
import {monotonicMs} from '../../system/clock.ts';

const limitMs = 10_000;
const pauseMs = 1;

/**
 * End what a killed launcher left behind. This process is a subreaper: orphans of the run are its own children by now,
 * and it has no others. Killing goes on until none is left; a child that forks meanwhile is met in the next round, and so
 * are the children of one that is still dying: on a busy machine that takes its time, so the limit is one of the clock.
 * One that was alive in the list and dead at the look may have left children since: only a list of those that were dead
 * before it was read is the end.
 *
 * Returns how many were killed.
 */
export function killOrphans(): number {
  const killed = new Set<number>();
  const dead = new Set<number>();
  const end = monotonicMs() + limitMs;
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  while (monotonicMs() < end) {
    const children = ownChildren().filter((pid) => !dead.has(pid));
    if (children.length === 0) break;
    for (const pid of children) {
      if (!isAlive(pid)) {
        dead.add(pid);
        continue;
      }
      try {
        process.kill(pid, 'SIGKILL');
        killed.add(pid);
      } catch {
        // Gone meanwhile.
      }
    }
    Atomics.wait(nobody, 0, 0, pauseMs);
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

/** Nobody reaps them but the end of this process: a zombie counts as gone. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
