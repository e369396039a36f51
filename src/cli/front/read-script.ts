import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import path from 'node:path';
import {maxArgumentBytes} from '../../sandbox/linux/start-launcher.ts';
import {isWithin} from '../../system/is-within.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';

/** A file that a shell was called with. */
export interface Script {
  /** Canonical. Set where the script is outside `cwd`: then the run may read this one file. */
  readonly outside: string | undefined;
  /** Absent: no regular file that ion can read, or too long to decide on. */
  readonly text: string | undefined;
}

/** O_NONBLOCK: the open of a FIFO without a writer would wait for ever. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Undefined where the file does not exist: bash then looks on PATH, or says so. */
export function readScript(file: string, cwd: string): Script | undefined {
  const real = realpathOrUndefined(path.resolve(cwd, file));
  if (real === undefined) return undefined;
  const text = readText(real);
  return {outside: text === undefined || isWithin(real, cwd) ? undefined : real, text};
}

function readText(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, openFlags);
  } catch {
    return undefined; // bash says why
  }
  try {
    const {size} = fstatSync(descriptor);
    if (!fstatSync(descriptor).isFile() || size >= maxArgumentBytes) return undefined;
    const bytes = Buffer.alloc(size);
    const text = bytes.toString('utf8', 0, readSync(descriptor, bytes));
    return /[\0\ufffd]/.test(text) ? undefined : text;
  } finally {
    closeSync(descriptor);
  }
}
