import {readdirSync, readFileSync} from 'node:fs';
import {monotonicMs} from '../../system/clock.ts';

const limitMs = 10_000;
/** Not even SIGKILL ends a process that waits for a file system that never answers (state D). */
const waitingLimitMs = 2000;
const pauseMs = 1;

/**
 * Kills the processes that a killed launcher left behind. This process is a subreaper, so orphans of the run are its
 * own children, and it has no others. It kills until none is left. The next round meets a child that forked meanwhile,
 * and the children of a process that is still dying. On a busy machine this takes time, so the limit is a time limit. A
 * process that was alive in the list and dead at the check may have left children since. So only a list whose processes
 * were all dead before it was read ends the loop.
 *
 * Returns how many processes were killed.
 */
export function killOrphans(): number {
  const killed = new Set<number>();
  const dead = new Set<number>();
  const begun = monotonicMs();
  let ranAt = begun;
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  for (let now = begun; now < begun + limitMs && now < ranAt + waitingLimitMs; now = monotonicMs()) {
    const children = ownChildren().filter((pid) => !dead.has(pid));
    if (children.length === 0) break;
    for (const pid of children) {
      const state = stateOf(pid);
      if (state === undefined || state === 'Z') {
        dead.add(pid);
        continue;
      }
      if (state !== 'D') ranAt = now;
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

/** As in proc_pid_stat(5). Only the end of this process reaps its orphans: a zombie counts as gone. */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}
