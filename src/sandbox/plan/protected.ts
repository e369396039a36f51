import {constants, lstatSync} from 'node:fs';
import path from 'node:path';
import {mayAccess} from '../../system/may-access.ts';
import {parseGitConfig} from '../autorun/git-config/parse-git-config.ts';
import {readConfig} from '../autorun/git-config/git-lock.ts';
import {foldersUpTo} from '../../config/read/start-folder.ts';
import {linksBelow} from './links-below.ts';
import {
  leadsOn,
  noLink,
  nothing,
  readLink,
  remembering,
  wayOf,
  type LinkAt,
  type Way,
} from '../../system/links.ts';
import {isWithin} from '../../system/is-within.ts';

/**
 * Files that programs outside the sandbox run later, by name, in the current folder, at the top of the repository that
 * contains it, and in the folders between. Each with the program that would run it.
 */
export const autorunNames: readonly {readonly name: string; readonly runs: string}[] = [
  {name: '.ion', runs: 'ion reads its config'},
  {name: '.claude', runs: 'agent settings and hooks'},
  {name: '.codex', runs: 'agent settings'},
  {name: '.cursor', runs: 'editor and agent settings'},
  {name: '.gemini', runs: 'agent settings'},
  {name: '.mcp.json', runs: 'MCP servers that an agent starts'},
  {name: '.vscode', runs: 'editor tasks'},
  {name: '.idea', runs: 'editor run configurations'},
  {name: '.zed', runs: 'editor tasks'},
  {name: '.windsurf', runs: 'agent settings and hooks'},
  {name: '.opencode', runs: 'agent plugins'},
  {name: '.kiro', runs: 'agent hooks and MCP servers'},
  {name: '.qwen', runs: 'agent settings'},
  {name: '.devcontainer', runs: 'commands that an editor runs, some of them on the host'},
  {name: '.devcontainer.json', runs: 'the same'},
  {name: '.envrc', runs: 'direnv'},
  {name: '.husky', runs: 'git hooks'},
];

/**
 * In home: files that shells, git, package managers and sessions run or obey. They are protected even if home is a write root.
 */
export const homeNames: readonly string[] = [
  '.ion .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .inputrc .ssh .gnupg',
  '.gitconfig .config/git .config/autostart .config/systemd .config/fish .config/environment.d .local/bin bin',
  '.npmrc .yarnrc .yarnrc.yml .pypirc .config/pip .cargo/config .cargo/config.toml .cargo/env .cargo/bin .gemrc',
  '.cache/ion .vimrc .config/nvim .tmux.conf .config/tmux .pythonrc .Rprofile .irbrc .pam_environment .xprofile .xinitrc',
].flatMap((line) => line.split(' '));

/** Programs that start ion, or that ion starts, which callers find on PATH (`#!/usr/bin/env node`). */
const startNames = ['node', 'ion', 'ion-sh'];

/** Below a git folder: files that git runs, or that name programs for git to run. */
const gitNames = ['hooks', 'config.worktree', 'commondir', 'info/attributes'];

export interface ProtectedFiles {
  /** Canonical; the run cannot write, remove or replace them by renaming a parent. */
  readonly existing: readonly string[];
  /** Missing files, or symlinks: a supervisor refuses their creation. */
  readonly absent: readonly string[];
  /** Folders with symlinks that lead to a protected file, and cwd below the workspace: also not replaceable. */
  readonly holders: readonly string[];
}

export interface ProtectInput {
  readonly cwd: string;
  readonly repositoryTop: string | undefined;
  readonly gitFolders: readonly string[];
  readonly packageRoot: string;
  readonly home: string | undefined;
  readonly otherHomes?: readonly string[] | undefined;
  /** PATH, as the command gets it. */
  readonly searchPath: string;
  /** Besides the defaults: absolute, or in the workspace, where the names of the defaults are also searched. */
  readonly protect: readonly string[];
  /** Names or absolute paths: exceptions to the defaults. */
  readonly unprotect: readonly string[];
  readonly writeRoots: readonly string[];
}

/**
 * The protected files of this run. Looks at each candidate once, and for symlinks in candidate folders; never walks the
 * tree.
 */
export function findProtected(input: ProtectInput): ProtectedFiles {
  const {writeRoots, unprotect} = input;
  const existing = new Set<string>();
  const absent = new Set<string>();
  const holders = new Set<string>();
  const linkAt = remembering(linkIfKnown);
  const isCovered = (file: string): boolean => isOpen(file, writeRoots) && !isExcepted(file, unprotect);
  const addWay = (candidate: string, {links, end, isThere}: Way): void => {
    // A link to the packages of another project comes and goes.
    const isLoose = !isThere && candidate.includes('/node_modules/.bin/');
    for (const passed of links.filter((one) => one !== candidate && !isLoose && isCovered(one))) {
      absent.add(passed);
      holders.add(path.dirname(passed));
    }
    if (end !== undefined && isCovered(end)) (isThere ? existing : absent).add(end);
  };
  for (const candidate of new Set(candidates(input))) {
    if (!writeRoots.some((root) => isWithin(candidate, root))) continue;
    const link = linkAt(candidate);
    (link === noLink ? existing : absent).add(candidate);
    const folder = path.dirname(candidate);
    if (!leadsOn(link) && wayOf(folder, linkAt).end === folder) continue;
    // Programs run the target of a symlink, so the target is protected too. A symlink cannot be a mount point, so replacing one
    // is refused.
    addWay(candidate, wayOf(candidate, linkAt));
  }
  // Its own folder has no links in it, as npm packs it.
  const isPackage = (file: string): boolean => isWithin(file, input.packageRoot);
  for (const link of linksBelow(existing, isPackage)) addWay(link, wayOf(link, linkAt));
  for (const {links, folder} of gitLinks(input, linkAt)) {
    for (const link of links.filter(isCovered)) absent.add(link);
    for (const one of [...links.map((link) => path.dirname(link)), folder]) holders.add(one);
  }
  // If the workspace contains this folder, a run could replace it. Later commands would then start in the other folder.
  if (!writeRoots.includes(input.cwd)) holders.add(input.cwd);
  return {existing: [...existing].sort(), absent: [...absent].sort(), holders: [...holders].sort()};
}

/**
 * A `.git` that is a symlink to a folder: the symlinks on its way stay, and so does the folder, in which git writes.
 */
function gitLinks(
  {cwd, repositoryTop, unprotect}: ProtectInput,
  linkAt: LinkAt,
): {readonly links: readonly string[]; readonly folder: string}[] {
  return [...new Set([cwd, repositoryTop ?? cwd])]
    .map((top) => path.join(top, '.git'))
    .filter((dotGit) => leadsOn(linkAt(dotGit)) && !isExcepted(dotGit, unprotect))
    .flatMap((dotGit) => {
      const {links, end} = wayOf(dotGit, linkAt);
      return end === undefined ? [] : [{links, folder: end}];
    });
}

/** Reports whether the command could change it. Never a whole write root: a link to `.` would close the workspace. */
function isOpen(file: string, writeRoots: readonly string[]): boolean {
  return (
    writeRoots.some((root) => file !== root && isWithin(file, root)) &&
    !writeRoots.some((root) => isWithin(root, file))
  );
}

/**
 * A path that ion cannot look up counts as absent: in a folder closed by its mode, which its owner can open again, or
 * with a name that is too long.
 */
function linkIfKnown(file: string): string {
  try {
    return readLink(file);
  } catch {
    return nothing;
  }
}

/**
 * Does the same as path.join, for a canonical folder and a plain name. A start joins two hundred of them, for which path.join
 * takes a millisecond.
 */
function below(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

function candidates({
  cwd,
  repositoryTop,
  gitFolders,
  packageRoot,
  home,
  otherHomes = [],
  searchPath,
  protect,
  unprotect,
  writeRoots,
}: ProtectInput): string[] {
  // Programs also obey files in the folders between cwd and the repository's top. If the workspace is the repository, a run can
  // write them.
  const tops = foldersUpTo(cwd, repositoryTop ?? cwd);
  const byName = tops.flatMap((top) => autorunNames.map(({name}) => below(top, name)));
  // git writes nothing here behind a link that leads out of the repository. In a temp folder the command could.
  const elsewhere = tops
    .map((top) => path.join(top, '.git'))
    .filter((dotGit) => leadsOn(linkIfKnown(dotGit)))
    .flatMap((dotGit) => wayOf(dotGit, linkIfKnown).end ?? [])
    .filter((folder) => !gitFolders.includes(folder));
  const git = [
    ...[...gitFolders, ...elsewhere].flatMap((folder) => gitNames.map((name) => below(folder, name))),
    ...elsewhere.map((folder) => path.join(folder, 'config')),
  ];
  const closed = gitFolders.filter(lacksConfig).map((folder) => path.join(folder, 'config'));
  const linked =
    repositoryTop !== undefined && isFile(path.join(repositoryTop, '.git'))
      ? [path.join(repositoryTop, '.git')]
      : [];
  const hooks =
    repositoryTop === undefined
      ? []
      : hooksFolder(gitFolders[0], repositoryTop, home).filter((one) => isOpen(one, writeRoots));
  const homes = home === undefined ? otherHomes : [home, ...otherHomes];
  // Config, trust, grants and the audit log: `unprotect` is about a project's `.ion`.
  const ownState = homes.map((one) => path.join(one, '.ion'));
  const inHome = homes.flatMap((one) => homeNames.map((name) => below(one, name)));
  const onPath = [...searchPath.split(':'), ...tops.map((top) => path.join(top, 'node_modules/.bin'))]
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => startNames.map((name) => path.join(folder, name)));
  const defaults = [...byName, ...git, ...hooks, ...closed, ...linked, ...inHome, ...onPath].filter(
    (candidate) => ownState.includes(candidate) || !isExcepted(candidate, unprotect),
  );
  const own = protect.flatMap((one) =>
    path.isAbsolute(one) ? [one] : tops.map((top) => path.join(top, one)),
  );
  // pnpm installs ion in this way: as a link to ion's real folder.
  const byLink = tops
    .map((top) => path.join(top, 'node_modules', path.basename(packageRoot)))
    .filter((one) => leadsOn(linkIfKnown(one)));
  return [...defaults, packageRoot, ...byLink, ...own];
}

/**
 * An existing config changes by its own rules (autorun/prepare.ts), except one that this user cannot read (root's
 * repository): ion could not check its changes. A worktree's folder uses the common config.
 */
function lacksConfig(folder: string): boolean {
  const config = path.join(folder, 'config');
  return isFile(config) ? !mayAccess(config, constants.R_OK) : !isFile(path.join(folder, 'commondir'));
}

/** `core.hooksPath` of the repository's own config, relative to the top as git reads it. */
function hooksFolder(gitFolder: string | undefined, top: string, home: string | undefined): string[] {
  if (gitFolder === undefined) return [];
  try {
    const text = readConfig(path.join(gitFolder, 'config')).toString();
    if (!/hookspath/i.test(text)) return [];
    const {entries} = parseGitConfig(text);
    const value = entries.findLast(({key}) => key === 'core.hookspath')?.value;
    if (!value) return [];
    const folder = home !== undefined && value.startsWith('~/') ? path.join(home, value.slice(2)) : value;
    const named = path.resolve(top, folder);
    return isWithin(named, gitFolder) ? [] : [named]; // git itself writes there, except in its own hooks
  } catch {
    return []; // missing, or not readable for git
  }
}

function isExcepted(candidate: string, unprotect: readonly string[]): boolean {
  return unprotect.some((exception) =>
    path.isAbsolute(exception) ? candidate === exception : candidate.endsWith(`/${exception}`),
  );
}

function isFile(file: string): boolean {
  try {
    return lstatSync(file, {throwIfNoEntry: false})?.isFile() ?? false;
  } catch {
    return false;
  }
}
