import {readdirSync} from 'node:fs';
import path from 'node:path';
import {foldersUpTo} from '../../config/read/start-folder.ts';
import {parseGitConfig, type Entry} from '../../sandbox/autorun/git-config/git-config.ts';
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
  /** Of the command. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Read mode's variables for git, with neutral values for every driver that the config of a repository names which the
 * command may read: that of the folder it runs in, of those it names (`git -C x`, `cd x`), and of their submodules. From
 * the user's own config only diffs are taken: without a filter there, `git diff` would show every file that git-lfs keeps.
 *
 * git is never run for this. Its files are read as git reads them, and more of them than it would: a neutral value too many
 * is harmless. What cannot be followed is an IonError that refuses the command.
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
  /** Git folder and work tree. */
  readonly repositories: Set<string>;
}

const userFiles = (home: string | undefined, xdg: string | undefined): string[] => [
  '/etc/gitconfig',
  ...(xdg ? [`${xdg}/git/config`] : []),
  ...(home ? [`${home}/.gitconfig`, `${home}/.config/git/config`] : []),
];

/** The git folders that a folder and its parents have, or are. */
function addEnclosing(folder: string, search: Search): void {
  for (const parent of foldersUpTo(folder, '/')) {
    // A link that leads nowhere is a HEAD as well.
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

/** A git folder, or a file that says where it is: relative to the folder that the file is spelled in. */
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

/** Submodules' names may have slashes: folders are looked through until one is a git folder. */
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

/** Where the index has a submodule, git runs itself: whether it has a `.git` file, or a `.git` folder of its own. */
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

/** A split index has its other part beside it. */
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
  /** The user's own config: what cannot be followed there is nobody's attack. */
  readonly isOwn?: boolean;
  readonly seen?: Set<string>;
}

/** A config, and what it includes: whether a condition holds is not asked. */
function configEntries(file: string, {home, isOwn = false, seen = new Set<string>()}: Reading): Entry[] {
  // The folder as well: what a link to the same file includes lies beside the link.
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

/** `~user/` and `%(prefix)/` are known to git alone. */
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

/** Names are bytes; a variable's value is text. One that is not UTF-8 cannot be named in a variable at all. */
function decoded(key: string): string {
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(Buffer.from(key, 'latin1'));
  } catch {
    return refuse(key, 'is the name of a setting and is not UTF-8');
  }
}
