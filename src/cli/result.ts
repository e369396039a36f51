import {escapeUnsafe} from '../audit/canonical.ts';

/** What a command of ion's own answers: main prints it and exits. */
export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function printed(stdout: string, exitCode = 0): CliResult {
  return {exitCode, stdout, stderr: ''};
}

export function asJson(value: unknown, exitCode = 0): CliResult {
  return printed(`${escapeUnsafe(JSON.stringify(value, undefined, 2))}\n`, exitCode);
}
