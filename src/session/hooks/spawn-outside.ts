import {spawn} from 'node:child_process';
import type {Readable} from 'node:stream';
import type {HookEnd} from './hook-answer.ts';
import type {HookLaunch} from './run-hooks.ts';

/** After a hook ended: how long ion waits for output that its descendants still hold open. */
const drainMs = 200;

interface HookSpawnInput {
  readonly bash: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Gets a function that kills the hook and its group. */
  readonly onStart?: (killGroup: () => void) => void;
}

/**
 * Starts a hook outside any sandbox, only for hooks of the user's own config with `sandbox = false`. It runs in a
 * process group of its own. The group is killed at the time limit and when the hook has ended, so nothing stays
 * behind unless it left the group.
 */
export function spawnUnsandboxed(
  launch: HookLaunch,
  {bash, cwd, environment, onStart}: HookSpawnInput,
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
        // It has already ended.
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
    // A hook need not read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(launch.stdin);
  });
}

export interface Collected {
  readonly text: () => string;
  readonly truncated: () => boolean;
}

/** Collects a hook's output up to a limit. Longer output is read and discarded, so that the hook does not block. */
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
