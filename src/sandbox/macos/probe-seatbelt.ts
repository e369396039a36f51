import {spawnSync} from 'node:child_process';
import {sandboxExec} from './sandbox-exec.ts';

/** Reports whether a profile can be applied here. */
export type SeatbeltProbe =
  {readonly usable: true} | {readonly usable: false; readonly nested: boolean; readonly why: string};

/**
 * Tries a profile that allows everything: 5 ms. Inside another sandbox macOS refuses a second one. ion must know that
 * before a command starts, because sandbox-exec would report it on the command's own stderr.
 */
export function probeSeatbelt(): SeatbeltProbe {
  const tried = spawnSync(sandboxExec, ['-p', '(version 1)(allow default)', '/usr/bin/true'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: {PATH: '/usr/bin:/bin'},
  });
  return readProbe({status: tried.status, stderr: tried.stderr ?? '', missing: tried.error?.message});
}

/** Reads the result of the trial. Pure. */
export function readProbe(tried: {
  readonly status: number | null;
  readonly stderr: string;
  readonly missing?: string | undefined;
}): SeatbeltProbe {
  if (tried.missing !== undefined) return {usable: false, nested: false, why: tried.missing};
  if (tried.status === 0) return {usable: true};
  const nested = /sandbox_apply: Operation not permitted/.test(tried.stderr);
  return {usable: false, nested, why: tried.stderr.trim().split('\n')[0] ?? `exit ${tried.status}`};
}
