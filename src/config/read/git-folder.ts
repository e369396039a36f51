import {lstatSync, readFileSync, readlinkSync, statSync} from 'node:fs';
import path from 'node:path';

/**
 * Reports whether git would accept `dotGit` as a repository. It asks what git's own `is_git_directory` asks: a HEAD
 * that names a branch or a commit, and `objects` and `refs`, which a linked worktree has in its common folder. If
 * not, git goes on to the parent folder, and so does ion.
 */
export function isRepository(dotGit: string): boolean {
  try {
    const folder = gitFolderOf(dotGit);
    return folder !== undefined && isGitFolder(folder);
  } catch {
    // Missing, or not accessible to this user: git finds no repository either.
    return false;
  }
}

/** A HEAD and a link to a git folder are always shorter. */
const maxBytes = 4096;

function gitFolderOf(dotGit: string): string | undefined {
  if (statSync(dotGit).isDirectory()) return dotGit;
  const target = /^gitdir: (.+)$/.exec(smallText(dotGit))?.[1];
  return target && path.resolve(path.dirname(dotGit), target);
}

function isGitFolder(folder: string): boolean {
  const common = commonFolder(folder);
  return (
    hasHead(path.join(folder, 'HEAD')) &&
    statSync(path.join(common, 'objects')).isDirectory() &&
    statSync(path.join(common, 'refs')).isDirectory()
  );
}

function commonFolder(folder: string): string {
  const file = path.join(folder, 'commondir');
  return statSync(file, {throwIfNoEntry: false}) ? path.resolve(folder, smallText(file)) : folder;
}

function hasHead(file: string): boolean {
  if (lstatSync(file).isSymbolicLink()) return readlinkSync(file).startsWith('refs/');
  return /^(?:ref:\s*refs\/|[\da-f]{40})/.test(smallText(file));
}

/** Throws if it is not a small regular file, because reading a FIFO would block. */
function smallText(file: string): string {
  const stat = statSync(file);
  if (!stat.isFile() || stat.size > maxBytes) throw new Error('not in the format that git writes');
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
}
