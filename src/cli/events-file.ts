import {lstatSync, readlinkSync, realpathSync} from 'node:fs';
import {attempt} from '../system/attempt.ts';

/**
 * Turns `/dev/stdout` and `/dev/fd/N` into `fd:N`. They are symlinks to descriptors, and ion never follows a symlink
 * to write events.
 */
export function eventsTarget(given: string | undefined): string | undefined {
  if (given === '/dev/stdout') return 'fd:1';
  if (given === '/dev/stderr') return 'fd:2';
  return given?.replace(/^\/(?:dev|proc\/self)\/fd\/(?=\d+$)/, 'fd:');
}

/**
 * The real path of the regular file that `--events` writes to. The run must not be able to change it. Undefined for a
 * standard stream: the command has that anyway, and may open it again (`> /dev/stderr`).
 */
export function eventsFile(given: string | undefined): string | undefined {
  const target = eventsTarget(given);
  if (target === undefined || /^fd:[012]$/.test(target)) return undefined;
  const inherited = /^fd:(\d+)$/.exec(target)?.[1];
  const file = attempt(() =>
    inherited === undefined ? realpathSync.native(target) : readlinkSync(`/proc/self/fd/${inherited}`),
  );
  // A pipe has a link in /proc too, but it is not a file's path.
  return file !== undefined && attempt(() => lstatSync(file).isFile()) ? file : undefined;
}
