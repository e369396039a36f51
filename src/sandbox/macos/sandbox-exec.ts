import type {Profile} from './seatbelt-profile.ts';

/** By its absolute path: the user controls PATH, and a workspace may be on it. */
export const sandboxExec = '/usr/bin/sandbox-exec';

/** The argv that runs a command under a profile. */
export function seatbeltArgv({text, parameters}: Profile, command: readonly string[]): string[] {
  const definitions = parameters.flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  return [sandboxExec, '-p', text, ...definitions, '--', ...command];
}
