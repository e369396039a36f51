import {lstatSync, readlinkSync} from 'node:fs';
import type {IsSilent} from './silent-paths.ts';

/**
 * Resolves every symlink in an absolute path. The path may contain `.` and `..`. Undefined when the path cannot be resolved
 * (a loop, no permission).
 */
export type RealPath = (path: string) => string | undefined;

/** The kernel's limit: a path that crosses more symlinks than this is a loop. */
const maxLinks = 40;

/** The kernel accepts no longer path. The limit is twice that: a relative path is appended to the folder it starts from. */
const maxPathLength = 2 * 4096;

/**
 * `noLink`: exists and is not a symlink. `nothing`: does not exist. Any other value is the target of a symlink. No symlink
 * has an empty target, or one with a NUL.
 */
export const noLink = '';
export const nothing = '\0';

export function leadsOn(link: string): boolean {
  return link !== noLink && link !== nothing;
}

/** Looks up a path. Only its last name may be a symlink. */
export type LinkAt = (path: string) => string;

/**
 * Follows symlinks one by one, as the kernel would now; `..` is the parent of the folder that a symlink leads to. A folder
 * that does not exist yet counts as a folder without symlinks.
 *
 * The lookup uses only lstat and readlink. It opens nothing, so a FIFO cannot block it. It caches what it saw, so use it
 * for one decision only. `canonical`: a folder known to be canonical, which is not looked up. A
 * silent path is not looked up either, and cannot be resolved.
 */
export function openLinks(canonical = '', isSilent: IsSilent = () => false): RealPath {
  /** The keys are paths. Only the last name of each may be a symlink. */
  const seen = new Map<string, string>();
  for (let folder = canonical; folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    seen.set(folder, noLink);
  }
  const linkAt = remembering((path) => {
    if (isSilent(path)) throw new Error('a file system that does not answer');
    return linkOfAnyProcess(path);
  }, seen);
  return (path) => {
    if (path.length > maxPathLength) return undefined;
    try {
      return isPlain(path, seen, linkAt) ? path : wayOf(path, linkAt).end;
    } catch {
      return undefined;
    }
  };
}

export function remembering(linkAt: LinkAt, seen = new Map<string, string>()): LinkAt {
  return (path) => {
    let link = seen.get(path);
    if (link === undefined) seen.set(path, (link = linkAt(path)));
    return link;
  };
}

/**
 * True for most paths: a name in a folder that was looked up already. So a start does not look up every parent folder
 * again.
 */
function isPlain(path: string, seen: ReadonlyMap<string, string>, linkAt: LinkAt): boolean {
  if (path.endsWith('/') || path.endsWith('/.') || path.endsWith('/..')) return false;
  const folder = seen.get(path.slice(0, path.lastIndexOf('/')));
  if (folder !== noLink) return folder === nothing;
  const link = linkAt(path);
  return !leadsOn(link);
}

/** Throws when the lookup fails. */
export function readLink(path: string): string {
  try {
    const info = lstatSync(path, {throwIfNoEntry: false});
    return info?.isSymbolicLink() ? readlinkSync(path) : info ? noLink : nothing;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return nothing;
    throw error;
  }
}

export interface Way {
  /** Every symlink on the way, each by a path whose last name alone is a symlink. */
  readonly links: readonly string[];
  /**
   * The resolved path, canonical as far as it exists. Undefined for a loop of links, and for `..` out of
   * /proc/thread-self.
   */
  readonly end: string | undefined;
  readonly isThere: boolean;
}

/** Throws what `linkAt` throws. */
export function wayOf(path: string, linkAt: LinkAt): Way {
  const pending = path.split('/').reverse();
  const done: string[] = [];
  const links: string[] = [];
  /** How many names at the end of `done` do not exist. Names below them are not looked up. */
  let missing = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      // /proc/thread-self leads to /proc/PID/task/TID. A path above that depends on the process that uses it.
      if (`/${done.join('/')}` === threadSelf) return {links, end: undefined, isThere: false};
      done.pop();
      missing = Math.max(0, missing - 1);
      continue;
    }
    done.push(part);
    if (missing > 0) {
      missing++;
      continue;
    }
    const here = `/${done.join('/')}`;
    const link = linkAt(here);
    if (link === nothing) missing = 1;
    if (!leadsOn(link)) continue;
    if (links.push(here) > maxLinks) return {links, end: undefined, isThere: false};
    if (link.startsWith('/')) done.length = 0;
    else done.pop();
    pending.push(...link.split('/').reverse());
  }
  return {links, end: `/${done.join('/')}`, isThere: missing === 0};
}

/** Other symlinks in /proc resolve differently for each process. */
function linkOfAnyProcess(path: string): string {
  if (isOwnProcess(path)) return noLink;
  const link = readLink(path);
  if (leadsOn(link) && path.startsWith('/proc/') && !/^\/proc\/\w+$/.test(path))
    throw new Error('a link of another process');
  return link;
}

const threadSelf = '/proc/thread-self';

/** /proc/self means the command's process, not this one. */
function isOwnProcess(path: string): boolean {
  return path === '/proc/self' || path === threadSelf;
}
