import {lstatSync, readlinkSync, realpathSync} from 'node:fs';
import {attempt} from '../system/attempt.ts';

/**
 * The regular file that `--events` goes to, by its real path: a run must not change what is told of it. But for a standard stream,
 * which is the command's all the same, and which it may open again (`> /dev/stderr`).
 */
export function eventsFile(target: string | undefined): string | undefined {
  if (target === undefined || /^fd:[012]$/.test(target)) return undefined;
  const inherited = /^fd:(\d+)$/.exec(target)?.[1];
  const file = attempt(() =>
    inherited === undefined ? realpathSync.native(target) : readlinkSync(`/proc/self/fd/${inherited}`),
  );
  // A pipe has a name too, but none of a file.
  return file !== undefined && attempt(() => lstatSync(file).isFile()) ? file : undefined;
}
