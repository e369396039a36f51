import {readdirSync} from 'node:fs';
import path from 'node:path';
import {foldersUpTo} from '../../config/read/start-folder.ts';
import {parseGitConfig, type Entry} from '../../sandbox/autorun/git-config/parse-git-config.ts';
import type {Analysis} from '../../shell/analysis.ts';
import {gitConfigVariables, gitSettings} from '../../shell/read-mode/read-environment.ts';
import {neutralDrivers} from '../../shell/read-mode/git-drivers.ts';
import {below, bytesOf, follow, look, pathIn, refuse, textOf} from './git-files.ts';
import {gitlinksIn} from '../../sandbox/git-index.ts';
import {namedPlaces} from './git-places.ts';

const maxBytes = 1024 * 1024;
const maxIndexBytes = 256 * 1024 * 1024;
const maxFiles = 500;
const maxRepositories = 2000;

export interface DriverInput {
  readonly cwd: string;
  /** The environment of the command. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Read mode's variables for git. They set a neutral value for each driver in the config of every repository that the command may
 * read: in the folder where it runs, in the folders that it names (`git -C x`, `cd x`), and in their submodules. From the user's
 * own config only diff drivers are neutralised: without its filters, `git diff` would show every file of git-lfs as changed.
 *
 * ion never runs git for this. It reads git's files as git does, and more of them than git would: one neutral value too many is
 * harmless. For a file that it cannot follow it throws an IonError, which refuses the command.
 */
export function gitDriverVariables(
  analysis: Analysis,
  {cwd, environment}: DriverInput,
): Record<string, string> {
  const home = environment['HOME'];
  const own = userFiles(home, environment['XDG_CONFIG_HOME']).flatMap((file) =>
    configEntries(file, {home, isOwn: true}),
  );
  const search: Search = {home, folders: [], keys: new Set(), repositories: new Set()};
  const {folders, gitFolders} = namedPlaces(analysis, {cwd, home, before: environment['OLDPWD']});
  search.folders.push(...folders);
  for (const folder of folders) addEnclosing(folder, search);
  for (const named of gitFolders) addNamed(named, search);
  const diffs = own.map(({key}) => key).filter((key) => key.startsWith('diff.'));
  return gitConfigVariables([...gitSettings, ...neutralDrivers([...search.keys, ...diffs].map(decoded))]);
}

interface Search {
  readonly home: string | undefined;
  /** Any of these may be the work tree of a git folder that is named. */
  readonly folders: string[];
  readonly keys: Set<string>;
  /** Pairs of git folder and work tree. */
  readonly repositories: Set<string>;
}

const userFiles = (home: string | undefined, xdg: string | undefined): string[] => [
  '/etc/gitconfig',
  ...(xdg ? [`${xdg}/git/config`] : []),
  ...(home ? [`${home}/.gitconfig`, `${home}/.config/git/config`] : []),
];

/** Adds the git folders of a folder and of its parents. Such a folder can itself be a git folder (a bare repository). */
function addEnclosing(folder: string, search: Search): void {
  for (const parent of foldersUpTo(folder, '/')) {
    // Git accepts a HEAD that is a dangling symlink.
    if (look(`${parent}/HEAD`)) addRepository(parent, parent, search);
    addDotGit(parent, search);
  }
}

function addDotGit(folder: string, search: Search): void {
  const gitFolder = gitFolderAt(`${folder}/.git`);
  if (gitFolder) addRepository(gitFolder, folder, search);
}

function addNamed(named: string, search: Search): void {
  const gitFolder = gitFolderAt(named);
  if (gitFolder) addRepository(gitFolder, path.dirname(gitFolder), search);
}

/**
 * The git folder at this path, or the one that a `.git` file names. A relative name starts at the folder in which the
 * file is spelled.
 */
function gitFolderAt(spelled: string): string | undefined {
  const real = follow(spelled);
  const info = real === undefined ? undefined : look(real);
  if (info?.isDirectory()) return real;
  if (!info?.isFile()) return undefined;
  const text = pathIn(spelled, maxBytes);
  return text?.startsWith('gitdir: ') ? follow(below(path.dirname(spelled), text.slice(8))) : undefined;
}

function addRepository(gitFolder: string, workTree: string, search: Search): void {
  const key = `${gitFolder}\0${workTree}`;
  if (search.repositories.has(key)) return;
  if (search.repositories.size >= maxRepositories) refuse(gitFolder, 'is one git folder too many to check');
  search.repositories.add(key);
  const common = pathIn(`${gitFolder}/commondir`, maxBytes);
  const shared = common ? follow(below(gitFolder, common)) : undefined;
  const folders = shared === undefined ? [gitFolder] : [gitFolder, shared];
  const entries = folders.flatMap((folder) =>
    ['config', 'config.worktree'].flatMap((name) => configEntries(`${folder}/${name}`, {home: search.home})),
  );
  for (const entry of entries) search.keys.add(entry.key);
  for (const folder of folders) addModules(`${folder}/modules`, search);
  addSubmodules(gitFolder, [workTree, ...workTreesOf(gitFolder, entries)], entries, search);
}

function workTreesOf(gitFolder: string, entries: readonly Entry[]): string[] {
  return entries.flatMap(({key, value}) =>
    key === 'core.worktree' && value
      ? (follow(below(gitFolder, textOf(Buffer.from(value, 'latin1'), gitFolder))) ?? [])
      : [],
  );
}

/** The name of a submodule may have slashes, so folders are searched until one is a git folder. */
function addModules(folder: string, search: Search): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names) {
    const inner = `${folder}/${name}`;
    if (look(inner)?.isDirectory() !== true) continue;
    if (look(`${inner}/HEAD`)) addRepository(inner, inner, search);
    else addModules(inner, search);
  }
}

/** For each submodule in the index git runs itself, whether the submodule has a `.git` file or a `.git` folder. */
function addSubmodules(
  gitFolder: string,
  workTrees: readonly string[],
  entries: readonly Entry[],
  search: Search,
): void {
  const isLong = entries.some(
    ({key, value}) => key === 'extensions.objectformat' && value?.toLowerCase() === 'sha256',
  );
  for (const file of indexesOf(gitFolder)) {
    const index = bytesOf(file, maxIndexBytes);
    if (!index) continue;
    for (const name of submodulesIn(index, isLong ? 32 : 20, file)) {
      for (const workTree of new Set([...workTrees, ...search.folders])) {
        const folder = follow(`${workTree}/${name}`);
        if (folder !== undefined) addDotGit(folder, search);
      }
    }
  }
}

/** The index files. A split index has a second file. */
function indexesOf(gitFolder: string): string[] {
  try {
    const names = readdirSync(gitFolder).filter(
      (name) => name === 'index' || name.startsWith('sharedindex.'),
    );
    return names.map((name) => `${gitFolder}/${name}`);
  } catch {
    return [];
  }
}

function submodulesIn(index: Buffer, hashBytes: number, file: string): string[] {
  try {
    return gitlinksIn(index, hashBytes).map((name) => textOf(name, file));
  } catch (error) {
    if (error instanceof RangeError) return refuse(file, 'is not an index that ion can read');
    throw error;
  }
}

interface Reading {
  readonly home: string | undefined;
  /** The user's own config. A part that ion cannot follow there is not an attack. */
  readonly isOwn?: boolean;
  readonly seen?: Set<string>;
}

/** The entries of a config and of what it includes, without checking the conditions of includes. */
function configEntries(file: string, {home, isOwn = false, seen = new Set<string>()}: Reading): Entry[] {
  // The id includes the folder: relative includes of a symlink start at the link's folder.
  const id = `${String(follow(path.dirname(file)))}\0${String(follow(file))}`;
  if (seen.has(id)) return [];
  if (seen.size >= maxFiles) refuse(file, `is one of more than ${maxFiles} config files`);
  seen.add(id);
  const bytes = bytesOf(file, maxBytes);
  const entries = bytes ? parsed(bytes, file, isOwn) : [];
  return entries.flatMap((entry) => {
    if (!/^include(if\..*)?\.path$/s.test(entry.key) || !entry.value) return [entry];
    const target = included(textOf(Buffer.from(entry.value, 'latin1'), file), {file, home});
    if (target !== undefined) return [entry, ...configEntries(target, {home, isOwn, seen})];
    return isOwn
      ? [entry]
      : refuse(file, `includes ${JSON.stringify(entry.value)}, which ion does not follow`);
  });
}

/** The file that an include names. Undefined for `~user/` and `%(prefix)/`, which only git can resolve. */
function included(
  target: string,
  {file, home}: {file: string; home: string | undefined},
): string | undefined {
  if (/^~(\/|$)/.test(target)) return home === undefined ? undefined : `${home}${target.slice(1)}`;
  if (/^(~|%\()/.test(target)) return undefined;
  return below(path.dirname(file), target);
}

function parsed(bytes: Buffer, file: string, isOwn: boolean): readonly Entry[] {
  try {
    return parseGitConfig(bytes.toString('latin1')).entries;
  } catch {
    return isOwn ? [] : refuse(file, 'is not a config that ion can read');
  }
}

/** Names are bytes, but a variable's value is text. A name that is not UTF-8 cannot be set by a variable. */
function decoded(key: string): string {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(Buffer.from(key, 'latin1'));
  } catch {
    return refuse(key, 'is the name of a setting and is not UTF-8');
  }
}
