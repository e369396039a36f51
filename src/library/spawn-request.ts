import {constants} from 'node:os';
import type {Stream} from 'node:stream';
import {IonError, quoted} from '../errors.ts';
import type {Stdio} from '../sandbox/launch.ts';
import type {SpawnOptions, StdioForm} from './types.ts';

/** The checked arguments of a call of `spawn`. */
export interface SpawnRequest {
  /** One text in bash's language, or a program and its arguments. */
  readonly command: string | readonly string[];
  readonly stdio: readonly [Stdio, Stdio, Stdio];
  readonly killSignal: NodeJS.Signals;
  readonly options: SpawnOptions;
}

/** Options of `child_process.spawn` that a sandboxed command cannot have. */
const refused: Readonly<Record<string, string>> = {
  detached: 'no process outlives its session',
  uid: 'a sandboxed command runs as the user of its session',
  gid: 'a sandboxed command runs as the group of its session',
  argv0: 'bash starts the command and sets its argv[0]',
  serialization: 'there is no channel for messages to a command',
};

/** Reads arguments as child_process.spawn does. Throws a TypeError, or an IonError for what a sandboxed command cannot have. */
export function spawnRequest(
  command: string | readonly string[],
  second: readonly string[] | SpawnOptions = {},
  third: SpawnOptions = {},
): SpawnRequest {
  const isSplit = isList(second);
  const options = isSplit ? third : second;
  for (const [name, why] of Object.entries(refused)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined && value !== false)
      throw new IonError(`the option ${quoted(name)} is not possible: ${why}`);
  }
  const {stdio = 'pipe', killSignal = 'SIGTERM'} = options;
  return {
    command: wordsOf(command, isSplit ? second : undefined, options.shell),
    stdio: streamForms(stdio),
    killSignal: passedOnSignal(killSignal),
    options,
  };
}

function wordsOf(
  command: string | readonly string[],
  args: readonly string[] | undefined,
  shell: SpawnOptions['shell'],
): string | readonly string[] {
  const words = isList(command) ? [...command, ...(args ?? [])] : [command, ...(args ?? [])];
  if (words.length === 0 || !words.every((word) => typeof word === 'string'))
    throw new TypeError('the command is a string, or a list of strings');
  if (words[0] === '') throw new TypeError('the command is empty');
  if (!isList(command) && (args === undefined || shell)) return words.join(' ');
  return words;
}

function streamForms(stdio: NonNullable<SpawnOptions['stdio']>): [Stdio, Stdio, Stdio] {
  const forms: readonly StdioForm[] = isList<StdioForm>(stdio) ? stdio : [stdio, stdio, stdio];
  if (forms.length > 3)
    throw new IonError('a sandboxed command has three streams, and no further descriptors');
  return [formOf(forms[0]), formOf(forms[1]), formOf(forms[2])];
}

function formOf(form: StdioForm): Stdio {
  if (form === undefined || form === null || form === 'pipe' || form === 'overlapped') return 'pipe';
  if (form === 'ignore' || form === 'inherit') return form;
  if (typeof form === 'number' && Number.isInteger(form) && form >= 0) return form;
  const descriptor = typeof form === 'object' ? descriptorOf(form) : undefined;
  if (descriptor !== undefined) return descriptor;
  throw new TypeError(
    `not a form of a standard stream: ${typeof form === 'string' ? quoted(form) : typeof form}`,
  );
}

function descriptorOf(stream: Stream): number | undefined {
  const {fd, _handle: handle} = stream as {fd?: unknown; _handle?: {fd?: unknown} | null};
  return [fd, handle?.fd].find((one): one is number => typeof one === 'number' && one >= 0);
}

/** The signals that the launcher passes on to a command. */
const passedOn: ReadonlySet<string> = new Set([
  'SIGTERM',
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGUSR2',
  'SIGKILL',
]);

/** Throws a TypeError if `signal` is not a signal, and an IonError if it does not reach a sandboxed command. */
export function passedOnSignal(signal: NodeJS.Signals | number): NodeJS.Signals {
  const name = signalName(signal);
  if (passedOn.has(name)) return name;
  throw new IonError(`${name} is not passed on to a sandboxed command`, {
    help: `possible are ${[...passedOn].join(', ')}`,
  });
}

/** Throws a TypeError if `signal` is not a signal. */
export function signalName(signal: NodeJS.Signals | number): NodeJS.Signals {
  const found = Object.entries(constants.signals).find(
    ([name, number]) => name === signal || number === signal,
  );
  if (!found) throw new TypeError(`not a signal: ${quoted(String(signal))}`);
  return found[0] as NodeJS.Signals;
}

function isList<T = string>(value: unknown): value is readonly T[] {
  return Array.isArray(value);
}
