import {escapeUnsafe} from '../audit/canonical.ts';
import {safeLines} from '../errors.ts';

/** The output of a command of ion's own. main prints it and exits. */
export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Output for people. Control characters that text from the disk may still contain are escaped here. */
export function printed(text: string, exitCode = 0): CliResult {
  return {exitCode, stdout: safeLines(text), stderr: ''};
}

export function asJson(value: unknown, exitCode = 0): CliResult {
  return {exitCode, stdout: `${escapeUnsafe(JSON.stringify(value, undefined, 2))}\n`, stderr: ''};
}
