import {escapeUnsafe} from '../audit/canonical.ts';
import {safeLines} from '../errors.ts';

/** What a command of ion's own answers: main prints it and exits. */
export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** For people: whatever a builder has let through of what stands on a disk, no line of it moves the cursor. */
export function printed(text: string, exitCode = 0): CliResult {
  return {exitCode, stdout: safeLines(text), stderr: ''};
}

export function asJson(value: unknown, exitCode = 0): CliResult {
  return {exitCode, stdout: `${escapeUnsafe(JSON.stringify(value, undefined, 2))}\n`, stderr: ''};
}
