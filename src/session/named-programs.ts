import {closeSync, openSync, readSync} from 'node:fs';
import path from 'node:path';
import type {ShellCommand} from '../policy/decision.ts';
import type {NamedPrograms} from '../sandbox/launch.ts';
import {isWithin} from '../system/is-within.ts';
import {heldVariables} from '../shell/read-mode/read-environment.ts';
import {realpathOrUndefined} from '../system/real-path.ts';

/**
 * Programs that git starts itself: its core scripts use them, and so do the neutral values of drivers
 * (shell/read-mode/git-drivers.ts).
 */
const startedByGit = [
  ...['sh', 'cat', 'diff', 'sed', 'basename', 'dirname', 'uname', 'tr', 'expr', 'wc'],
  ...['gettext', 'envsubst'],
];

/** Relative to the folder of git's own file. */
const gitCore = ['../lib/git-core', '../libexec/git-core', '../lib/git/git-core'];

const systemFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];
const interpretersAtMost = 4;

export interface NamedProgramsInput {
  /** PATH of the command. */
  readonly searchPath: string;
  readonly bash: string;
  /** Paths that may hold programs. `noexec` are the paths below them that may not. */
  readonly executable: readonly string[];
  readonly noexec: readonly string[];
}

/**
 * The programs that may execute in read mode: the ones that the command names, and the ones that these are known to start. Paths
 * are canonical, because the supervisor compares canonical paths.
 */
export function namedPrograms(
  {programs}: ShellCommand,
  {searchPath, bash, executable, noexec}: NamedProgramsInput,
): NamedPrograms {
  const files = new Set<string>();
  const folders = new Set<string>();
  const add = (file: string, depth = 0): void => {
    const real = realpathOrUndefined(file);
    if (real === undefined || files.has(real)) return;
    files.add(real);
    const words = interpreterOf(real);
    if (words.length === 0 || depth === interpretersAtMost) return;
    for (const program of words) add(program.includes('/') ? program : onPath(program), depth + 1);
    // A wrapper executes a program of the same name in another folder.
    const name = path.basename(file);
    for (const folder of systemFolders) add(path.join(folder, name), interpretersAtMost);
    add(path.join(path.dirname(real), `.${path.basename(real)}-wrapped`), interpretersAtMost);
  };
  const onPath = (name: string): string =>
    searchPath
      .split(':')
      .map((folder) => path.join(folder, name))
      .find((file) => realpathOrUndefined(file) !== undefined) ?? '';
  add(bash);
  for (const [text, file] of programs) {
    if (file === null) continue;
    add(file);
    // shell/known-names.ts lists what the other programs start by name.
    if (path.basename(text) !== 'git') continue;
    for (const started of startedByGit) add(onPath(started));
    for (const core of gitCore) {
      const folder = realpathOrUndefined(path.join(path.dirname(file), core));
      if (folder !== undefined) folders.add(folder);
    }
  }
  const executes = (file: string): boolean =>
    executable.some((root) => isWithin(file, root)) && !noexec.some((folder) => isWithin(file, folder));
  return {files: [...files].filter(executes), folders: [...folders], held: heldVariables};
}

/** The programs of a `#!` line: the interpreter, and the program that `env` looks for. Empty for a binary. */
function interpreterOf(file: string): string[] {
  const head = firstBytes(file);
  if (!head.startsWith('#!')) return [];
  const words = head.slice(2).split('\n', 1)[0]!.trim().split(/\s+/);
  const [interpreter = '', ...rest] = words;
  if (path.basename(interpreter) !== 'env') return interpreter === '' ? [] : [interpreter];
  const wanted = rest.find((word) => !word.startsWith('-') && !word.includes('='));
  return wanted === undefined ? [interpreter] : [interpreter, wanted];
}

/** The first bytes of a file, as many as the kernel reads for `#!`. */
function firstBytes(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(256);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
