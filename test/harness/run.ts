import {spawn, type ChildProcess, type StdioOptions} from 'node:child_process';
import {identities, spawnAs, type Identity} from './identity.ts';
import {ionFile} from './package.ts';
import {patience} from './patience.ts';
import type {Scratch} from './scratch.ts';

export interface RunSpec {
  readonly as?: Identity;
  readonly cwd?: string;
  /** Added to a small fixed environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Buffer;
  readonly stdio?: StdioOptions;
  /** The test fails after this time: ion must not hang. */
  readonly timeoutMs?: number;
  /** Runs this program instead of ion. */
  readonly program?: string;
  /** Programs to start ion through: `['setsid']`. */
  readonly through?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a user who has just logged in. Of the environment of the test run it keeps only PATH. */
export function environmentOf({home}: Scratch, added: RunSpec['env'] = {}): Record<string, string> {
  const all = {HOME: home, PATH: process.env['PATH'], LANG: 'C.UTF-8', TERM: 'xterm-256color', ...added};
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Starts ion, for tests that do something during the run. */
export function startIon(scratch: Scratch, args: readonly string[], spec: RunSpec = {}): ChildProcess {
  const as = spec.as ?? identities[0]!;
  const [program, ...rest] = [...(spec.through ?? []), process.execPath, spec.program ?? ionFile, ...args];
  return spawn(program!, rest, {
    cwd: spec.cwd ?? scratch.work,
    env: environmentOf(scratch, spec.env),
    stdio: spec.stdio ?? 'pipe',
    ...spawnAs(as),
  });
}

/** Runs ion to its end and collects its output. */
export async function runIon(scratch: Scratch, args: readonly string[], spec: RunSpec = {}): Promise<Ended> {
  const child = startIon(scratch, args, spec);
  child.stdin?.on('error', () => undefined); // EPIPE: a command may ignore its input
  child.stdin?.end(spec.stdin ?? '');
  return collect(child, spec.timeoutMs ?? 30_000 * patience);
}

export function collect(child: ChildProcess, timeoutMs = 30_000 * patience): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`still running after ${timeoutMs} ms\n${text(out)}\n${text(err)}`));
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({code, signal, stdout: text(out), stderr: text(err)});
    });
  });
}

/** Runs `ion trust` without a terminal, with the hash that it prints. */
export async function trust(scratch: Scratch, as: Identity): Promise<void> {
  const {stderr} = await runIon(scratch, ['trust'], {as});
  const hash = /ion trust ([\da-f]{64})/.exec(stderr)?.[1];
  const {code, stderr: problem} = await runIon(scratch, ['trust', hash ?? 'no hash'], {as});
  if (code !== 0) throw new Error(`ion trust: ${stderr}${problem}`);
}
