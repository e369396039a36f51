import {lstatSync, realpathSync, type BigIntStats} from 'node:fs';
import path from 'node:path';
import type {Root} from '../sandbox/plan/roots.ts';
import {attempt} from '../system/attempt.ts';

/**
 * Files by which a step of a GitHub job passes data to later steps. The runner names each in a variable. A project can choose
 * variables too, so only a file counts that has the runner's own name for it, in the runner's folder.
 */
const table = [
  {variable: 'GITHUB_OUTPUT', prefix: 'set_output_', opens: true},
  {variable: 'GITHUB_STEP_SUMMARY', prefix: 'step_summary_', opens: true},
  // The runner sets variables and PATH of later steps from these, outside the sandbox.
  {variable: 'GITHUB_ENV', prefix: 'set_env_', opens: false},
  {variable: 'GITHUB_PATH', prefix: 'add_path_', opens: false},
  {variable: 'GITHUB_STATE', prefix: 'save_state_', opens: false},
] as const;

/** The second one is the folder's name in containers. */
const folders: readonly string[] = ['_runner_file_commands', 'file_commands'];

export interface StepFile {
  readonly variable: (typeof table)[number]['variable'];
  readonly path: string;
  /** A command may write to it. */
  readonly opens: boolean;
  readonly state: FileState;
}

/** The kernel sets the time of a change. No program can set it back, as it can the size and the time of the content. */
type FileState = Pick<BigIntStats, 'ino' | 'size' | 'ctimeNs'>;

/** A symlink or a second name (a hard link) could lead to any file of the user. */
export function stepFiles(environment: Readonly<Record<string, string | undefined>>): StepFile[] {
  return table.flatMap(({variable, prefix, opens}) => {
    const {[variable]: file} = environment;
    if (file === undefined || !isRunners(file, prefix)) return [];
    const info = attempt(() => lstatSync(file, {bigint: true}));
    if (!info?.isFile() || info.nlink !== 1n || attempt(() => realpathSync.native(file)) !== file) return [];
    return [{variable, path: file, opens, state: info}];
  });
}

export function isInStepFolder(file: string): boolean {
  return folders.includes(path.basename(path.dirname(file)));
}

function isRunners(file: string, prefix: string): boolean {
  const name = path.basename(file);
  return (
    path.isAbsolute(file) &&
    isInStepFolder(file) &&
    name.startsWith(prefix) &&
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(name.slice(prefix.length))
  );
}

export function stepRoots(files: readonly StepFile[]): Root[] {
  return files.map(({variable, path: file}) => ({
    path: file,
    grant: 'scratch',
    reason: `${variable}: later steps read it`,
    optional: true,
    canonical: true,
  }));
}

/** The files that have changed since, with their size now. */
export function writtenSince(before: readonly StepFile[]): {file: StepFile; bytes: number | null}[] {
  return before.flatMap((file) => {
    const now = attempt(() => lstatSync(file.path, {bigint: true}));
    const {ino, size, ctimeNs} = file.state;
    const isSame = now?.ino === ino && now.size === size && now.ctimeNs === ctimeNs;
    return isSame ? [] : [{file, bytes: now ? Number(now.size) : null}];
  });
}
