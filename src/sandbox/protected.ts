import {lstatSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {isWithin} from './paths.ts';

/**
 * Files that something outside the sandbox runs later, by name, at the workspace's root and at the top of the repository
 * that contains it. Each with what would run it.
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
  {name: '.envrc', runs: 'direnv'},
  {name: '.husky', runs: 'git hooks'},
];

/** In home: what shells, git, package managers and sessions run or obey. Protected also where home is a write root. */
const homeNames = [
  '.ion .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .inputrc .ssh .gnupg',
  '.gitconfig .config/git .config/autostart .config/systemd .config/fish .config/environment.d .local/bin bin',
  '.npmrc .yarnrc .yarnrc.yml .pypirc .config/pip .cargo/config .cargo/config.toml .cargo/env .cargo/bin .gemrc',
  '.cache/ion .vimrc .config/nvim .tmux.conf .config/tmux .pythonrc .Rprofile .irbrc .pam_environment .xprofile .xinitrc',
].flatMap((line) => line.split(' '));

/** Programs that start ion, or that ion starts, looked for on PATH by whoever calls it (`#!/usr/bin/env node`). */
const startNames = ['node', 'ion', 'ion-sh'];

/** Below a git folder: run by git itself, or naming what git runs. */
const gitNames = ['hooks', 'config.worktree', 'commondir', 'info/attributes'];

export interface Protected {
  /** Canonical; not writable, not removable, not replaceable by renaming a parent. */
  readonly existing: readonly string[];
  /** Not there yet: creation is refused where a supervisor runs. */
  readonly absent: readonly string[];
}

export interface ProtectInput {
  readonly cwd: string;
  readonly repositoryTop: string | undefined;
  readonly gitFolders: readonly string[];
  readonly packageRoot: string;
  readonly home: string | undefined;
  /** PATH, as the command gets it. */
  readonly searchPath: string;
  /** Beyond the defaults: absolute, or in the workspace, where the names of the defaults are looked for too. */
  readonly protect: readonly string[];
  /** Names or absolute paths: exceptions from the defaults. */
  readonly unprotect: readonly string[];
  readonly writeRoots: readonly string[];
}

/** What is protected in this run. Looks at each candidate once; never walks the tree. */
export function findProtected(input: ProtectInput): Protected {
  const existing: string[] = [];
  const absent: string[] = [];
  for (const candidate of new Set(candidates(input))) {
    if (!input.writeRoots.some((root) => isWithin(candidate, root))) continue;
    const kind = kindOf(candidate);
    if (kind === 'other') existing.push(candidate);
    else absent.push(candidate);
    // What a link leads to is what runs; the link itself cannot be a mount point, and putting something in its place is refused.
    if (kind === 'symlink') existing.push(...targetOf(candidate, input.writeRoots));
  }
  return {existing: [...new Set(existing)].sort(), absent: absent.sort()};
}

function candidates({
  cwd,
  repositoryTop,
  gitFolders,
  packageRoot,
  home,
  searchPath,
  protect,
  unprotect,
}: ProtectInput): string[] {
  const tops = [cwd, ...(repositoryTop === undefined ? [] : [repositoryTop])];
  const byName = tops.flatMap((top) => autorunNames.map(({name}) => path.join(top, name)));
  const git = gitFolders.flatMap((folder) => gitNames.map((name) => path.join(folder, name)));
  const missing = gitFolders.filter(lacksConfig).map((folder) => path.join(folder, 'config'));
  const linked =
    repositoryTop !== undefined && isFile(path.join(repositoryTop, '.git'))
      ? [path.join(repositoryTop, '.git')]
      : [];
  const inHome = home === undefined ? [] : homeNames.map((name) => path.join(home, name));
  const onPath = [...searchPath.split(':'), ...tops.map((top) => path.join(top, 'node_modules/.bin'))]
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => startNames.map((name) => path.join(folder, name)));
  const defaults = [...byName, ...git, ...missing, ...linked, ...inHome, ...onPath].filter(
    (candidate) => !isExcepted(candidate, unprotect),
  );
  const own = protect.flatMap((one) =>
    path.isAbsolute(one) ? [one] : tops.map((top) => path.join(top, one)),
  );
  return [...defaults, packageRoot, ...own];
}

/** A config that is there changes by its own rules (autorun/prepare.ts); a worktree's folder has the common one. */
function lacksConfig(folder: string): boolean {
  return !isFile(path.join(folder, 'config')) && !isFile(path.join(folder, 'commondir'));
}

function isExcepted(candidate: string, unprotect: readonly string[]): boolean {
  return unprotect.some((exception) =>
    path.isAbsolute(exception) ? candidate === exception : candidate.endsWith(`/${exception}`),
  );
}

/** Never a write root as a whole: a link to `.` would close the workspace. */
function targetOf(link: string, writeRoots: readonly string[]): string[] {
  try {
    const target = realpathSync.native(link);
    const inside = writeRoots.some((root) => target !== root && isWithin(target, root));
    return inside && !writeRoots.some((root) => isWithin(root, target)) ? [target] : [];
  } catch {
    return [];
  }
}

function kindOf(file: string): 'absent' | 'symlink' | 'other' {
  const info = lstatSync(file, {throwIfNoEntry: false});
  if (!info) return 'absent';
  return info.isSymbolicLink() ? 'symlink' : 'other';
}

function isFile(file: string): boolean {
  return lstatSync(file, {throwIfNoEntry: false})?.isFile() ?? false;
}

/** Mounts for these roots: what stays writable, what is pinned, what is pinned and read-only. All sorted parents first. */
export interface MountPlan {
  readonly writable: readonly string[];
  readonly pinned: readonly string[];
  readonly readonly: readonly string[];
  readonly masked: readonly string[];
}

/**
 * A mount point cannot be renamed or removed, but an ancestor of it can, and takes the mount along: so each folder
 * between the write root and a protected path is pinned as well. Nothing below nested repositories is: a rename across a
 * pin fails with EXDEV. Pure.
 */
export function planMounts(
  writable: readonly string[],
  existing: readonly string[],
  masked: readonly string[],
): MountPlan {
  const pinned = new Set<string>();
  for (const file of existing) {
    for (
      let parent = path.dirname(file);
      writable.some((root) => parent !== root && isWithin(parent, root));
      parent = path.dirname(parent)
    ) {
      if (!writable.includes(parent) && !existing.includes(parent)) pinned.add(parent);
    }
  }
  return {writable: [...new Set(writable)].sort(), pinned: [...pinned].sort(), readonly: existing, masked};
}
