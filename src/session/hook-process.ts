import {constants} from 'node:os';
import type {Readable} from 'node:stream';
import type {Running} from '../sandbox/backend.ts';
import {findBash} from './bash.ts';
import type {Context} from './context.ts';
import type {HookEnd} from './hook-answer.ts';
import type {HookLaunch} from './hooks.ts';

export {spawnUnsandboxed} from './spawn-hook.ts';

export function bash({environment, config}: Context): string {
  return findBash(environment.variables['PATH'] ?? '', config.workspace);
}

/** Feed a sandboxed hook, and take what it says up to the bound; the rest is read and thrown away. */
export async function collectHook(running: Running, launch: HookLaunch): Promise<HookEnd> {
  const [stdin, stdout, stderr] = running.stdio;
  // A hook that does not read its input closes the pipe: no error of ours.
  stdin?.on('error', () => undefined);
  stdin?.end(launch.stdin);
  const [out, err] = [bounded(stdout, launch.maxOutputBytes), bounded(stderr, launch.maxOutputBytes)];
  const {code, signal, because} = await running.outcome;
  await Promise.all([out.done, err.done]);
  return {
    exitCode: code ?? null,
    signal: signal === undefined ? null : signalName(signal),
    timedOut: because === 'timeout',
    stdout: out.text(),
    stderr: err.text(),
    truncated: out.truncated() || err.truncated(),
  };
}

function bounded(
  stream: Readable | null,
  maxBytes: number,
): {readonly done: Promise<void>; text(): string; truncated(): boolean} {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  stream?.on('data', (chunk: Buffer) => {
    const room = maxBytes - size;
    truncated ||= chunk.length > room;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    size += Math.min(chunk.length, Math.max(room, 0));
  });
  return {
    // The tree is dead by the time this is waited for: nobody holds the other end.
    done: new Promise((resolve) => (stream ? stream.once('close', resolve) : resolve())),
    text: () => Buffer.concat(chunks).toString('utf8'),
    truncated: () => truncated,
  };
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? String(number);
}
