import {spawn} from 'node:child_process';
import type {Readable} from 'node:stream';
import type {HookEnd} from './hook-answer.ts';
import type {HookLaunch} from './run-hooks.ts';

/** How long output is waited for that a hook's descendants still hold, once the hook itself has ended. */
const drainMs = 200;

interface HookPlace {
  readonly bash: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Given what ends the hook, with its group. */
  readonly onStart?: (killGroup: () => void) => void;
}

/**
 * Start a hook outside any sandbox: only for hooks of the user's own config that say `sandbox = false`. In a process
 * group of its own, which is killed at the time limit and when the hook has ended: nothing of it stays behind, unless
 * it left the group.
 */
export function spawnUnsandboxed(
  launch: HookLaunch,
  {bash, cwd, environment, onStart}: HookPlace,
): Promise<HookEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(bash, ['--norc', '-c', '--', launch.command], {
      cwd,
      env: {...environment, ...launch.environment},
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let timedOut = false;
    const killGroup = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    onStart?.(killGroup);
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup();
    }, launch.timeoutMs);
    const stdout = collect(child.stdout, launch.maxOutputBytes);
    const stderr = collect(child.stderr, launch.maxOutputBytes);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', (exitCode, signal) => {
      clearTimeout(timer);
      killGroup();
      const end = (): void => {
        clearTimeout(drain);
        child.stdout.destroy();
        child.stderr.destroy();
        const truncated = stdout.truncated() || stderr.truncated();
        resolve({exitCode, signal, timedOut, stdout: stdout.text(), stderr: stderr.text(), truncated});
      };
      const drain = setTimeout(end, drainMs);
      child.on('close', end);
    });
    // A hook need not read what it is told.
    child.stdin.on('error', () => undefined);
    child.stdin.end(launch.stdin);
  });
}

export interface Collected {
  readonly text: () => string;
  readonly truncated: () => boolean;
}

/** What a hook says, up to a bound; the rest is read and thrown away, so that the hook does not wait. */
export function collect(stream: Readable, maxBytes: number): Collected {
  const chunks: Buffer[] = [];
  let kept = 0;
  let truncated = false;
  stream.on('data', (chunk: Buffer) => {
    const taken = chunk.subarray(0, maxBytes - kept);
    if (taken.length < chunk.length) truncated = true;
    if (taken.length > 0) chunks.push(taken);
    kept += taken.length;
  });
  return {text: () => Buffer.concat(chunks).toString('utf8'), truncated: () => truncated};
}
