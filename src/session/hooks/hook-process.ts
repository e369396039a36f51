import {constants} from 'node:os';
import type {Readable} from 'node:stream';
import type {Running} from '../../sandbox/launch.ts';
import {findBash} from '../find-bash.ts';
import type {RunPlan} from '../run-plan.ts';
import type {HookEnd} from './hook-answer.ts';
import type {HookLaunch} from './run-hooks.ts';
import {collect, type Collected} from './spawn-hook.ts';

export {spawnUnsandboxed} from './spawn-hook.ts';

export function bash({environment, config}: RunPlan): string {
  return findBash(environment.variables['PATH'] ?? '', config.workspace);
}

/** Feed a sandboxed hook, and take what it says up to the bound; the rest is read and thrown away. */
export async function collectHook(running: Running, launch: HookLaunch): Promise<HookEnd> {
  const [stdin, stdout, stderr] = running.stdio;
  // A hook that does not read its input closes the pipe: no error of ours.
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

/** The tree is dead by the time this is waited for: nobody holds the other end. */
function collected(stream: Readable | null, maxBytes: number): Collected & {readonly done: Promise<unknown>} {
  if (!stream) return {done: Promise.resolve(), text: () => '', truncated: () => false};
  return {done: new Promise((resolve) => stream.once('close', resolve)), ...collect(stream, maxBytes)};
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? String(number);
}
