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
 * Mutual exclusion between processes by a lock file, for rare writers (rules, grants, the log without the addon). The file
 * is created exclusively and contains the owner's pid, so the lock of a dead process can be detected and taken over. Waits
 * at most `waitMs`, then throws an error with the code ETIMEDOUT.
 *
 * Three other locks exist, each for a case that this one does not cover. The native append uses flock(2), which is cheap
 * enough for each start. flock also locks a run's own folder (addon.lockFolder), because the kernel releases it when ion is
 * killed. A change of a git config uses git's own `config.lock` (git-lock.ts), because git respects no other lock.
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
 * The same for a lock that is held while ion waits for a person. The wait does not block the event loop. Returns a function that
 * releases the lock.
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
 * Moves the lock of a dead process away instead of deleting it: another process may take over between the read and the
 * deletion. A lock that was moved by mistake is put back.
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
    // An empty file: its owner is about to write the pid.
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Older than any holder needs. A young lock stays with its owner for two reasons: the pid may not be written yet, and an
 * owner in another pid namespace (a container that shares the home folder) looks dead. A time in the future counts as old:
 * the clock was set back.
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
