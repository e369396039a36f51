import type {Native} from './native.ts';
import {launcherName} from './launcher-end.ts';

/** The limit of one look. A slow server passes the next look: by then the kernel has the answer in its cache. */
const limitMs = 1000;

/**
 * Reports whether the file system of this path answers. A separate process looks at the path (`ion-launcher --look
 * PATH`), because nothing can end a process that waits for such a file system. After the limit ion no longer waits for
 * that process. It ends when the file system answers.
 */
export function canLookAt({addon, launcher}: Native, path: string): boolean {
  const pid = addon.spawn(launcher, [launcherName, '--look', path], [-1, -1, -1]);
  // The launcher never exits with 0 here. `reap` returns 0 when the limit has passed.
  if (addon.reap(pid, limitMs) !== 0) return true;
  process.kill(pid, 'SIGKILL');
  return false;
}
