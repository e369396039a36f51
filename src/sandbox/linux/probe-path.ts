import type {Native} from './native.ts';
import {launcherName} from './launcher-end.ts';

/** For one look. A server that is only slow answers the next one: what it holds is in the kernel's memory then. */
const limitMs = 1000;

/**
 * Can this path be looked at? A process of its own looks (`ion-launcher --look PATH`), because one that waits for a file
 * system that never answers cannot be ended. Its exit is not waited for then: it ends as soon as the file system lets it.
 */
export function canLookAt({addon, launcher}: Native, path: string): boolean {
  const pid = addon.spawn(launcher, [launcherName, '--look', path], [-1, -1, -1]);
  // It never exits with 0, which stands for a time that is over.
  if (addon.reap(pid, limitMs) !== 0) return true;
  process.kill(pid, 'SIGKILL');
  return false;
}
