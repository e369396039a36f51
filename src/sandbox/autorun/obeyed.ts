import {lstatSync, readdirSync, realpathSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {gitlinksIn} from '../git-index.ts';
import {readPlain} from '../../system/read-plain.ts';
import {isThere} from './snapshot.ts';

/**
 * The files that git runs or obeys because of a file that the run made. They are the file itself, all files of a folder that a
 * new HEAD turned into a git folder, and all files of the folder that a new `.git` is or leads to. If the run moved a repository
 * to a submodule's place, `file` is its `.git/index`, and all such files of that repository count. Bounded: it walks no tree.
 */
export function obeyedBecauseOf(file: string): readonly string[] {
  const name = path.basename(file).toLowerCase();
  if (name === 'head') return obeyedIn(path.dirname(file));
  if (name === '.git') return obeyedBehind(file);
  if (name !== 'index') return isObeyed(file) ? [file] : [];
  // A repository that was only moved belongs to the user, unless git in the surrounding repository now runs in it.
  const dotGit = path.dirname(file);
  return isSubmodule(path.dirname(dotGit)) ? obeyedBehind(dotGit) : [];
}

function obeyedBehind(dotGit: string): readonly string[] {
  const folder = gitFolderOf(dotGit);
  return folder === undefined ? [] : obeyedIn(folder);
}

/** For a candidate file. git runs only executable hooks; repair.ts inspects configs. */
function isObeyed(file: string): boolean {
  const info = lstatSync(file, {throwIfNoEntry: false});
  if (info === undefined || info.isDirectory()) return false;
  return (info.mode & 0o111) !== 0 || !file.includes('/hooks/');
}

function obeyedIn(folder: string): string[] {
  const isGit = ['HEAD', 'config', 'commondir'].some((name) => isThere(path.join(folder, name)));
  if (!isGit || !['objects', 'commondir'].some((name) => isThere(path.join(folder, name)))) return [];
  const hooks = (attempt(() => readdirSync(path.join(folder, 'hooks'))) ?? [])
    .filter((name) => !name.endsWith('.sample'))
    .slice(0, mostHooks)
    .map((name) => `hooks/${name}`);
  return ['config', 'config.worktree', 'commondir', ...hooks]
    .map((name) => path.join(folder, name))
    .filter(isObeyed);
}

/** git knows fewer hooks. */
const mostHooks = 100;

function gitFolderOf(dotGit: string): string | undefined {
  return attempt(() => {
    if (!lstatSync(dotGit).isFile()) return realpathSync.native(dotGit);
    const [, target] = /^gitdir: (.+)$/m.exec(readPlain(dotGit, 4096).toString()) ?? [];
    return target && realpathSync.native(path.resolve(path.dirname(dotGit), target));
  });
}

/**
 * Reports whether a surrounding repository has this folder as a submodule. `git status` there runs git in the folder,
 * with the folder's own config.
 */
export function isSubmodule(folder: string): boolean {
  for (let top = path.dirname(folder); top !== path.dirname(top); top = path.dirname(top)) {
    const gitFolder = gitFolderOf(path.join(top, '.git'));
    if (gitFolder !== undefined) return linksTo(path.join(gitFolder, 'index'), path.relative(top, folder));
  }
  return false;
}

const maxIndexBytes = 256 << 20;

function linksTo(file: string, name: string): boolean {
  const index = attempt(() => readPlain(file, maxIndexBytes));
  // SHA-1 or SHA-256.
  return [20, 32].some((hashBytes) =>
    attempt(() => index && gitlinksIn(index, hashBytes).some((link) => link.equals(Buffer.from(name)))),
  );
}
