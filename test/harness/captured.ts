import type {Options} from 'execa';
import {patience} from './patience.ts';
import type {Ended} from './run.ts';

/**
 * Runs a program other than ion to its end, and collects its output. It inherits no variables but the given ones. execa is
 * loaded on the first call, so that a test process that runs only ion does not load it.
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
  // A test failure: the program did not start, or did not end in time.
  if (ended.timedOut || (exitCode === undefined && signal === undefined)) throw ended;
  return {code: exitCode ?? null, signal: signal ?? null, stdout: text(stdout), stderr: text(stderr)};
}

const text = (output: unknown): string => (typeof output === 'string' ? output : '');
