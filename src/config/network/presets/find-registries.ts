import {existsSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {isWithin} from '../../../system/is-within.ts';
import {realpathOrSame} from '../../../system/real-path.ts';
import {readSmallFile, type FileRead} from '../../../system/small-file.ts';
import {goEnv, type Named} from './registry-files.ts';
import type {PresetName} from '../preset-names.ts';
import {registryTable} from './registry-table.ts';

/** A registry as a file names it. */
export interface Registry {
  readonly url: string;
  /** The file or the variable that names it, for people. */
  readonly from: string;
}

export interface WhereRegistriesAre {
  readonly home: string | undefined;
  /** The prefix of all absolute paths: '' except in tests. */
  readonly root: string;
  /** The program that runs ion: npm is installed beside it. */
  readonly node: string;
  /**
   * The folders that runs may write. A file there does not count: a command could choose the hosts that the next command reaches.
   */
  readonly writable: readonly string[];
  /** The user who runs ion. Configuration files of others do not count, except root's. */
  readonly uid: number;
  /** The variables that trusted layers set for the command. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The largest source file that is read. Some package managers are a single file. */
const maxSourceBytes = 32 << 20;

/** The registries that a package manager would use. No program runs: its files are read as text. */
export function findRegistries(preset: PresetName, where: WhereRegistriesAre): readonly Registry[] {
  const {variables, files, sources} = registryTable[preset];
  const set = variables.find((name) => where.environment[name] !== undefined);
  const named = files.flatMap(([pattern, read]) =>
    matching(pattern, where).flatMap((file) => {
      const text = configOf(file, where);
      return text === undefined ? [] : [withFile(read(text), shown(file, where))];
    }),
  );
  const beside = named.flatMap((one) => one.beside);
  if (set !== undefined) return [...ofVariable(preset, set, where), ...beside];
  const main = named.find((one) => one.main.length > 0)?.main;
  const own = main ? [] : ofSources(sources, where);
  return [...(main ?? own), ...(main || own.length > 0 ? beside : [])];
}

function ofVariable(preset: PresetName, name: string, {environment}: WhereRegistriesAre): Registry[] {
  const value = environment[name]!;
  const urls = preset === 'go' ? goEnv(`GOPROXY=${value}`).main : [value];
  return urls.map((url) => ({url, from: name}));
}

/** Uses the first source that is found, because every version of a tool has the same default. */
function ofSources(sources: readonly (readonly [string, RegExp])[], where: WhereRegistriesAre): Registry[] {
  for (const [pattern, before] of sources) {
    for (const file of matching(pattern, where)) {
      const groups = before.exec(sourceOf(file, where) ?? '')?.slice(1) ?? [];
      const urls = groups.map((text) => (text.includes('://') ? text : `https://${text}`));
      if (urls.length > 0) return urls.map((url) => ({url, from: shown(file, where)}));
    }
  }
  return [];
}

function withFile({main, beside}: Named, from: string): {main: Registry[]; beside: Registry[]} {
  const named = (urls: readonly string[]) =>
    urls.filter((url) => !url.startsWith('file:')).map((url) => ({url, from}));
  return {main: named(main), beside: named(beside)};
}

/** The files of a pattern of the table, in the order of their names, the latest version first. */
function matching(pattern: string, {home, root, node}: WhereRegistriesAre): string[] {
  if (pattern.startsWith('~/') && home === undefined) return [];
  const start = pattern.startsWith('~/')
    ? home
    : pattern.startsWith('$node/')
      ? path.dirname(path.dirname(node))
      : root;
  const whole = `${start}${pattern.replace(/^(?:~|\$node)(?=\/)/, '')}`;
  const [first = '', ...others] = whole.split('/*');
  let folders = [first];
  for (const rest of others)
    folders = folders.flatMap((folder) => below(folder).map((name) => `${folder}/${name}${rest}`));
  return [...new Set(folders)].filter((file) => existsSync(file));
}

function below(folder: string): string[] {
  try {
    return readdirSync(folder).sort().reverse();
  } catch {
    return [];
  }
}

/** Undefined also for a file that another user could have written: it would choose what the run reaches. */
function configOf(file: string, where: WhereRegistriesAre): string | undefined {
  const read = readUnlessRuns(file, where);
  if (!read) return undefined;
  const {text, stats, folderUid} = read;
  const isOwn = [stats.uid, folderUid].every((uid) => uid === where.uid || uid === 0);
  return isOwn && (stats.mode & 0o002) === 0 ? text : undefined;
}

/** The text of a file. Undefined if it is not text or cannot be read. */
function sourceOf(file: string, where: WhereRegistriesAre): string | undefined {
  try {
    return readUnlessRuns(file, where)?.text;
  } catch {
    return undefined;
  }
}

/** Undefined for a file that runs may write. */
function readUnlessRuns(file: string, {writable}: WhereRegistriesAre): FileRead | undefined {
  const real = realpathOrSame(file);
  const isRuns = (folder: string): boolean => isWithin(real, realpathOrSame(folder));
  if (writable.some(isRuns)) return undefined;
  return readSmallFile({path: file, shown: file, maxBytes: maxSourceBytes});
}

function shown(file: string, {home}: WhereRegistriesAre): string {
  return home !== undefined && isWithin(file, home) ? `~/${path.relative(home, file)}` : file;
}
