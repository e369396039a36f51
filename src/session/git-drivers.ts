import {existsSync, lstatSync, readdirSync, readFileSync, statSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../errors.ts';
import {foldersUpTo} from '../config/project.ts';
import {parseGitConfig, type GitConfig} from '../sandbox/autorun/git-config.ts';
import type {Analysis, Word} from '../shell/analysis.ts';
import {gitConfigVariables, gitSettings} from '../shell/read-environment.ts';
import {neutralDrivers} from '../shell/git-drivers.ts';

const maxBytes = 1024 * 1024;
const maxFiles = 500;

/**
 * Read mode's variables for git, with neutral values for every driver that the config of a repository names which the
 * command may read: that of the folder it runs in, of those it names (`git -C x`, `cd x`), and of their submodules
 * (below `.git/modules`). From the user's own config only diffs are taken: without a filter there, `git diff` would
 * show every file that git-lfs keeps. git is never run for this; what it could not read itself names nothing.
 */
export function gitDriverVariables(analysis: Analysis, {cwd, home}: Place): Record<string, string> {
  const files = new Set<string>();
  for (const folder of namedFolders(analysis, cwd)) {
    for (const gitFolder of gitFoldersOf(folder)) addConfigs(gitFolder, {files, home});
  }
  const own = new Set<string>();
  for (const file of userFiles(home)) addFile(file, {files: own, home});
  const keys = [
    ...[...files].flatMap(keysOf),
    ...[...own].flatMap(keysOf).filter((key) => key.startsWith('diff.')),
  ];
  return gitConfigVariables([...gitSettings, ...neutralDrivers(keys.map(decoded))]);
}

interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** The config files that were found, and what `~` stands for in what they include. */
interface Found {
  readonly files: Set<string>;
  readonly home: string;
}

const userFiles = (home: string): string[] => [
  '/etc/gitconfig',
  path.join(home, '.gitconfig'),
  path.join(home, '.config/git/config'),
];

/** Folders that the command goes to: relative ones are looked at from each folder before them. */
function namedFolders({segments}: Analysis, cwd: string): Set<string> {
  const folders = new Set([cwd]);
  for (const {argv} of segments) {
    const args = argv.slice(1).filter(({literal}) => literal);
    for (const target of targets(argv[0]?.text ?? '', args)) {
      for (const folder of [...folders].slice(0, 20)) folders.add(path.resolve(folder, target));
    }
  }
  return folders;
}

function targets(program: string, args: readonly Word[]): string[] {
  const texts = args.map(({text}) => text);
  if (program === 'cd' || program === 'pushd') return texts.filter((text) => !text.startsWith('-'));
  if (path.basename(program) !== 'git') return [];
  return texts.flatMap((text, at) => {
    if (/^(-C|--git-dir|--work-tree)$/.test(text)) return texts.slice(at + 1, at + 2);
    return /^--(git-dir|work-tree)=/.test(text) ? [text.slice(text.indexOf('=') + 1)] : [];
  });
}

/** The git folders that a folder and its parents have, or are. More than git would take: a neutral value too many is harmless. */
function gitFoldersOf(folder: string): string[] {
  return foldersUpTo(folder, '/').flatMap((parent) => {
    const dotGit = path.join(parent, '.git');
    const found = existsSync(path.join(parent, 'HEAD')) ? [parent] : [];
    try {
      if (statSync(dotGit).isDirectory()) return [...found, dotGit];
      const target = /^gitdir: (.+?)\r?\n*$/.exec(readSmall(dotGit) ?? '')?.[1];
      return target ? [...found, path.resolve(parent, target)] : found;
    } catch {
      return found;
    }
  });
}

function addConfigs(gitFolder: string, found: Found): void {
  const common = readSmall(path.join(gitFolder, 'commondir'))?.trim();
  const folders = common ? [gitFolder, path.resolve(gitFolder, common)] : [gitFolder];
  for (const folder of folders) {
    for (const name of ['config', 'config.worktree']) addFile(path.join(folder, name), found);
    addModules(path.join(folder, 'modules'), found);
  }
}

/** Submodules' names may have slashes: folders are looked through until one is a git folder. */
function addModules(folder: string, found: Found): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names) {
    const inner = path.join(folder, name);
    if (lstatSync(inner, {throwIfNoEntry: false})?.isDirectory() !== true) continue;
    if (existsSync(path.join(inner, 'HEAD'))) addConfigs(inner, found);
    else addModules(inner, found);
  }
}

/** A config, and what it includes: whether a condition holds is not asked. */
function addFile(file: string, found: Found): void {
  const {files, home} = found;
  if (files.has(file) || !existsSync(file)) return;
  if (files.size >= maxFiles) {
    throw new IonError(`more than ${maxFiles} git config files would have to be read`, {
      help: 'run the command in write mode',
    });
  }
  files.add(file);
  for (const {key, value} of configOf(file)?.entries ?? []) {
    if (!/^include(if\..*)?\.path$/s.test(key) || !value) continue;
    const target = Buffer.from(value, 'latin1').toString();
    addFile(path.resolve(path.dirname(file), target.replace(/^~(?=\/)/, home)), found);
  }
}

function keysOf(file: string): string[] {
  return configOf(file)?.entries.map(({key}) => key) ?? [];
}

/** Undefined for what git would stumble over itself. */
function configOf(file: string): GitConfig | undefined {
  let text: string;
  try {
    if (!statSync(file).isFile()) return undefined;
    if (statSync(file).size > maxBytes) throw tooLarge(file);
    text = readFileSync(file, 'latin1');
  } catch (error) {
    if (error instanceof IonError) throw error;
    return undefined;
  }
  try {
    return parseGitConfig(text);
  } catch {
    return undefined;
  }
}

function tooLarge(file: string): IonError {
  return new IonError(`${quoted(file)} is too large to be looked through for programs that git would run`, {
    help: 'run the command in write mode',
  });
}

function readSmall(file: string): string | undefined {
  try {
    const info = statSync(file);
    return info.isFile() && info.size <= 4096 ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Names are bytes; a variable's value is text. One that is not UTF-8 cannot be named in a variable at all. */
function decoded(key: string): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(Buffer.from(key, 'latin1'));
  } catch {
    throw new IonError(`a git config names a driver ${quoted(key)}, which is not UTF-8`, {
      help: 'run the command in write mode',
    });
  }
}
