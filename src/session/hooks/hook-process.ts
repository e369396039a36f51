import {constants} from 'node:os';
import type {Readable} from 'node:stream';
import type {Running} from '../../sandbox/launch.ts';
import {findBash} from '../find-bash.ts';
import type {RunPlan} from '../run-plan.ts';
import type {HookEnd} from './hook-answer.ts';
import type {HookLaunch} from './run-hooks.ts';
import {collect, type Collected} from './spawn-outside.ts';

export {spawnUnsandboxed} from './spawn-outside.ts';

export function bash({environment, config}: RunPlan): string {
  return findBash(environment.variables['PATH'] ?? '', config.workspace);
}

/**
 * Writes the input of a sandboxed hook, and collects its output up to the limit. Longer output is read and discarded.
 */
export async function collectHook(running: Running, launch: HookLaunch): Promise<HookEnd> {
  const [stdin, stdout, stderr] = running.stdio;
  // A hook that does not read its input closes the pipe, which is not an error.
  stdin?.on('error', () => undefined);
  stdin?.end(launch.stdin);
  const [out, err] = [collected(stdout, launch.maxOutputBytes), collected(stderr, launch.maxOutputBytes)];
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

/** Collects a stream. It ends, because the whole tree is dead by then and no process holds the other end. */
function collected(stream: Readable | null, maxBytes: number): Collected & {readonly done: Promise<unknown>} {
  if (!stream) return {done: Promise.resolve(), text: () => '', truncated: () => false};
  return {done: new Promise((resolve) => stream.once('close', resolve)), ...collect(stream, maxBytes)};
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? String(number);
}
