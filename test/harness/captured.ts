import type {Options} from 'execa';
import {patience} from './patience.ts';
import type {Ended} from './run.ts';

/**
 * Run a program that is not ion to its end, and collect what it writes. It inherits no variable that is not given. execa is loaded
 * with the first call: a process of the suite that runs nothing but ion does without it.
 */
export async function captured(
  [program, ...args]: readonly string[],
  {timeout = 30_000 * patience, ...options}: Options,
): Promise<Ended> {
  const {execa} = await import('execa');
  const ended = await execa(program!, args, {
    stdin: 'ignore',
    ...options,
    encoding: 'utf8',
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout,
    killSignal: 'SIGKILL',
  });
  const {exitCode, signal, stdout, stderr} = ended;
  // Reported as a failure of the test: it did not start, or nothing ended it in time.
  if (ended.timedOut || (exitCode === undefined && signal === undefined)) throw ended;
  return {code: exitCode ?? null, signal: signal ?? null, stdout: text(stdout), stderr: text(stderr)};
}

const text = (output: unknown): string => (typeof output === 'string' ? output : '');
