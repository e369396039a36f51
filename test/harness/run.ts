import type {StdioOptions} from 'node:child_process';
import {execa, type Options} from 'execa';
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
  /** False: the test reads the output itself, at its own speed. Then `collect` has no output. */
  readonly buffer?: boolean;
  readonly argv0?: string;
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
export function environmentOf(
  {home}: Pick<Scratch, 'home'>,
  added: RunSpec['env'] = {},
): Record<string, string> {
  const all = {HOME: home, PATH: process.env['PATH'], LANG: 'C.UTF-8', TERM: 'xterm-256color', ...added};
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** A program that runs, and also the promise of its end: an async function that returns it would wait for its end. */
export type Started = ReturnType<typeof startProgram>;

/** Nothing but the test ends the program, and each byte of its output counts. */
const fixed = {
  extendEnv: false,
  cleanup: false,
  forceKillAfterDelay: false,
  reject: false,
  encoding: 'buffer',
  stripFinalNewline: false,
  maxBuffer: Infinity,
} as const satisfies Options;

/** Starts a program outside ion, with the user, the folder and the environment in which ion starts too. */
export function startProgram(
  scratch: Pick<Scratch, 'home' | 'work'>,
  argv: readonly string[],
  spec: RunSpec = {},
) {
  const [program, ...args] = argv;
  const child = execa(program!, args, {
    ...fixed,
    cwd: spec.cwd ?? scratch.work,
    env: environmentOf(scratch, spec.env),
    stdio: (spec.stdio ?? 'pipe') as Options['stdio'],
    buffer: spec.buffer ?? true,
    ...(spec.argv0 === undefined ? {} : {argv0: spec.argv0}),
    ...spawnAs(spec.as ?? identities[0]!),
  });
  void child.then(checkStarted); // a test that does not wait for the program must fail too
  return child;
}

function checkStarted({exitCode, signal, cause}: Awaited<Started>): void {
  if (exitCode === undefined && signal === undefined) throw cause;
}

/** Runs a program to its end and collects its output. Without `stdin` it reads /dev/null. */
export function runProgram(scratch: Scratch, argv: readonly string[], spec: RunSpec = {}): Promise<Ended> {
  const input = spec.stdin === undefined ? 'ignore' : 'pipe';
  const child = startProgram(scratch, argv, {stdio: [input, 'pipe', 'pipe'], ...spec});
  child.stdin?.end(spec.stdin);
  return collect(child, spec.timeoutMs);
}

/** Starts ion, for tests that do something during the run. */
export function startIon(scratch: Scratch, args: readonly string[], spec: RunSpec = {}): Started {
  return startProgram(scratch, ionArgv(args, spec), spec);
}

/** Runs ion to its end and collects its output. Without `stdin` it reads an empty pipe. */
export function runIon(scratch: Scratch, args: readonly string[], spec: RunSpec = {}): Promise<Ended> {
  return runProgram(scratch, ionArgv(args, spec), {stdin: '', ...spec});
}

function ionArgv(args: readonly string[], {through = [], program = ionFile}: RunSpec): readonly string[] {
  return [...through, process.execPath, program, ...args];
}

/** How the program ends, and its output. */
export async function collect(child: Started, timeoutMs = 30_000 * patience): Promise<Ended> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
    for (const output of [child.stdout, child.stderr]) output?.destroy(); // a descendant may hold it open
  }, timeoutMs);
  const result = await child;
  clearTimeout(timer);
  checkStarted(result);
  const {exitCode, signal, stdout, stderr} = result;
  const ended = {code: exitCode ?? null, signal: signal ?? null, stdout: text(stdout), stderr: text(stderr)};
  if (isLate) throw new Error(`still running after ${timeoutMs} ms\n${ended.stdout}\n${ended.stderr}`);
  return ended;
}

export const text = (output: unknown): string =>
  output instanceof Uint8Array ? Buffer.from(output).toString() : '';

/** Runs `ion trust` without a terminal, with the hash that it prints. */
export async function trust(scratch: Scratch, as: Identity): Promise<void> {
  const {stderr} = await runIon(scratch, ['trust'], {as});
  const hash = /ion trust ([\da-f]{64})/.exec(stderr)?.[1];
  const {code, stderr: problem} = await runIon(scratch, ['trust', hash ?? 'no hash'], {as});
  if (code !== 0) throw new Error(`ion trust: ${stderr}${problem}`);
}
