import {closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {maxArgumentBytes} from '../../sandbox/linux/start-launcher.ts';
import type {ScriptFile} from '../../session/script-root.ts';

/**
 * A file that a shell was called with. Without a text, it is not a regular file that ion can read, or it is too long to decide
 * on.
 */
export type Script =
  {readonly file: ScriptFile; readonly text: string} | {readonly file: undefined; readonly text: undefined};

const unread = {file: undefined, text: undefined} as const;

/** O_NONBLOCK: the open of a FIFO without a writer would wait for ever. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** session/script-root.ts later judges the file that was read, not another file that has its name by then. */
export function readScript(file: string, cwd: string): Script {
  const named = path.resolve(cwd, file);
  let descriptor: number;
  try {
    descriptor = openSync(named, openFlags);
  } catch {
    return unread; // bash looks on PATH, or says why
  }
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile() || info.size >= maxArgumentBytes) return unread;
    const bytes = Buffer.alloc(info.size);
    const text = bytes.toString('utf8', 0, readSync(descriptor, bytes));
    if (/[\0\ufffd]/.test(text)) return unread;
    const real =
      process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync.native(named);
    return {file: {path: real, uid: info.uid, mode: info.mode, links: info.nlink}, text};
  } finally {
    closeSync(descriptor);
  }
}
