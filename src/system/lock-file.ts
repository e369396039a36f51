import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import {monotonicMs} from './clock.ts';

/**
 * Mutual exclusion between processes by a lock file, for the rare writers (rules, grants, the log without the
 * addon): created exclusively, with the owner's pid in it, so that the lock of a process that died is found and
 * taken over. Waits at most `waitMs`, then throws with code ETIMEDOUT.
 *
 * There are three other locks, each for what this one cannot do. The native append uses flock(2), which a start can afford.
 * A run's own folder is held by flock too (addon.lockFolder): the kernel drops it when ion is killed. A git config is changed
 * under git's own `config.lock` (git-lock.ts), because git looks for no other.
 */
export function withLockFile<T>(file: string, use: () => T, waitMs = 5000): T {
  const deadline = monotonicMs() + waitMs;
  while (!take(file)) {
    if (monotonicMs() > deadline) {
      throw Object.assign(new Error(`another process holds ${file}`), {code: 'ETIMEDOUT'});
    }
    removeStale(file);
    pause(1 + Math.random() * 4);
  }
  try {
    return use();
  } finally {
    unlinkSync(file);
  }
}

/**
 * The same for a lock that is held as long as a person thinks: waiting holds up nothing else. Returns what gives the lock
 * back.
 */
export async function takeLockFile(file: string, waitMs: number): Promise<() => void> {
  const deadline = monotonicMs() + waitMs;
  while (!take(file)) {
    if (monotonicMs() > deadline) {
      throw Object.assign(new Error(`another process holds ${file}`), {code: 'ETIMEDOUT'});
    }
    removeStale(file);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return () => {
    if (ownerOf(file) === process.pid) unlinkSync(file);
  };
}

function take(file: string): boolean {
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    writeSync(descriptor, String(process.pid));
    closeSync(descriptor);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * The lock of a dead process is moved away, never deleted in place: between reading and deleting, another process
 * may have taken over. What was moved by mistake is put back.
 */
function removeStale(file: string): void {
  const owner = ownerOf(file);
  if (!isOld(file) || (owner !== undefined && isAlive(owner))) return;
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (ownerOf(aside) !== owner) linkSync(aside, file);
    unlinkSync(aside);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  }
}

function ownerOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    // Empty: its owner is about to write it.
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Older than any use takes. Without this a lock would be taken from its owner between its creation and the writing of
 * the pid, and from an owner in another pid namespace (a container that shares the home folder), who looks dead. A time to come is old too: the clock was set back.
 */
function isOld(file: string): boolean {
  const stat = statSync(file, {throwIfNoEntry: false});
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > 2000;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as {code?: string}).code;
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
