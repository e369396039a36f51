import {existsSync, lstatSync, readdirSync, realpathSync, statSync} from 'node:fs';
import path from 'node:path';
import {parseGitConfig} from '../autorun/git-config/parse-git-config.ts';
import {isWithin} from '../../system/is-within.ts';
import {readPlain} from '../../system/read-plain.ts';

/**
 * The git folders that commands in a repository need: `.git` itself, or the folder that a `.git` file names (of a linked worktree
 * or submodule) and its common folder; and those of the submodules in them.
 *
 * A `.git` file and a `commondir` file are the workspace's own text and can name any folder (`~/.ssh`): what they name is taken
 * only if it points back, as git itself writes it. Never runs git.
 */
export function gitFolders(top: string): string[] {
  return ownFolders(top).flatMap((folder) => [folder, ...submoduleFolders(folder)]);
}

function ownFolders(top: string): string[] {
  const dotGit = path.join(top, '.git');
  try {
    const info = lstatSync(dotGit);
    if (info.isDirectory()) return [dotGit];
    return (info.isSymbolicLink() ? behindLink(dotGit, top) : linkedFolder(dotGit, top)) ?? [];
  } catch {
    // It does not exist, is unreadable, or is not in git's form: nothing is granted for it.
    return [];
  }
}

/**
 * Returns the folders `modules/<name>` of a git folder. A name may contain slashes, so the search goes down, and is limited in
 * number. Symlinks are not followed: a git folder is granted, and a symlink could lead anywhere.
 */
function submoduleFolders(gitFolder: string): string[] {
  const found: string[] = [];
  const queue = [path.join(gitFolder, 'modules')];
  for (let looked = 0; queue.length > 0 && looked < 200; looked++) {
    const folder = queue.shift()!;
    for (const child of foldersIn(folder)) {
      if (existsSync(path.join(child, 'HEAD'))) found.push(child);
      else queue.push(child);
    }
  }
  return found;
}

function foldersIn(folder: string): string[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    return readdirSync(folder, {withFileTypes: true})
      .filter((entry) => entry.isDirectory())
      .map(({name}) => path.join(folder, name));
  } catch {
    return [];
  }
}

const maxBytes = 4096;

/**
 * A command can write a link in the workspace, and its target does not refer back to it. So only targets in the repository are
 * taken.
 */
function behindLink(dotGit: string, top: string): string[] | undefined {
  const folder = realpathSync.native(dotGit);
  return folder !== top && isWithin(folder, top) && isRepository(folder) ? [folder] : undefined;
}

/** The single line of a small file that git wrote. Throws when it is anything else. */
function readLine(file: string): string {
  return readPlain(file, maxBytes)
    .toString()
    .replace(/\r?\n$/, '');
}

function linkedFolder(dotGit: string, top: string): string[] | undefined {
  const target = /^gitdir: (.+)$/.exec(readLine(dotGit))?.[1];
  if (!target) return undefined;
  const folder = realpathSync.native(path.resolve(top, target));
  return linkedWorktree(folder, dotGit) ?? submodule(folder, top);
}

/** `<common>/worktrees/<name>`, whose `gitdir` file names our `.git` file. */
function linkedWorktree(folder: string, dotGit: string): string[] | undefined {
  if (path.basename(path.dirname(folder)) !== 'worktrees') return undefined;
  const common = path.dirname(path.dirname(folder));
  const pointsBack =
    realpathSync.native(path.resolve(folder, readLine(path.join(folder, 'gitdir')))) ===
    realpathSync.native(dotGit);
  const named = realpathSync.native(path.resolve(folder, readLine(path.join(folder, 'commondir'))));
  return pointsBack && named === common && isRepository(common) ? [common] : undefined;
}

/**
 * `<outer>/.git/modules/<name>` of a repository that contains the submodule. Its config must name our folder, because other
 * submodules have theirs beside it.
 */
function submodule(folder: string, top: string): string[] | undefined {
  const modules = folder.lastIndexOf('/.git/modules/');
  if (modules === -1) return undefined;
  const outer = folder.slice(0, modules);
  const isInside = isWithin(top, outer) && top !== outer;
  return isInside && isRepository(folder) && worktreeOf(folder) === top ? [folder] : undefined;
}

const maxConfigBytes = 1 << 20;

/** Where the files of a git folder are checked out, as its own config says. Canonical; git reads `config.worktree` last. */
function worktreeOf(folder: string): string | undefined {
  const named = ['config', 'config.worktree'].flatMap((name) => {
    const file = path.join(folder, name);
    if (!existsSync(file)) return [];
    const {entries} = parseGitConfig(readPlain(file, maxConfigBytes).toString('latin1'));
    return entries.filter(({key}) => key === 'core.worktree').map(({value}) => value);
  });
  const last = named.at(-1);
  if (last === undefined) return undefined;
  return realpathSync.native(path.resolve(folder, Buffer.from(last, 'latin1').toString()));
}

function isRepository(folder: string): boolean {
  return (
    statSync(path.join(folder, 'HEAD')).isFile() &&
    statSync(path.join(folder, 'objects')).isDirectory() &&
    statSync(path.join(folder, 'refs')).isDirectory()
  );
}
