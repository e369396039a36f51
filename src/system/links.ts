import {lstatSync, readlinkSync} from 'node:fs';

/**
 * Where an absolute path leads, every link followed: `.` and `..` in it are as they were written. Undefined when nobody can
 * say (a loop, no permission).
 */
export type RealPath = (path: string) => string | undefined;

/** As the kernel: more links than this on one way are a loop. */
const maxLinks = 40;

/** The kernel takes no longer path; twice that for a relative one behind the folder that it starts from. */
const maxPathLength = 2 * 4096;

/** A name that is no link, and one that is not there; anything else is where a link leads. No link is empty, or has a NUL. */
export const noLink = '';
export const nothing = '\0';

export function leadsOn(link: string): boolean {
  return link !== noLink && link !== nothing;
}

/** What stands at a path that has no link in front of its last name. */
export type LinkAt = (path: string) => string;

/**
 * Follows links as the kernel would now, one by one, `..` being taken from where they lead. What does not exist yet is taken
 * as a folder without links. It only looks (lstat, readlink): nothing is opened, so a FIFO does not hold it up. It remembers
 * what it saw, so it must not outlive one decision. `canonical`: a folder that is known to be, and is not looked at.
 */
export function openLinks(canonical = ''): RealPath {
  /** By a path that has no link in front of its last name. */
  const seen = new Map<string, string>();
  for (let folder = canonical; folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    seen.set(folder, noLink);
  }
  const linkAt = remembering(linkOfAnyProcess, seen);
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

/** Most paths: a name in a folder that has been seen, so that a start does not go through all that is above it again. */
function isPlain(path: string, seen: ReadonlyMap<string, string>, linkAt: LinkAt): boolean {
  if (path.endsWith('/') || path.endsWith('/.') || path.endsWith('/..')) return false;
  const folder = seen.get(path.slice(0, path.lastIndexOf('/')));
  if (folder !== noLink) return folder === nothing;
  const link = linkAt(path);
  return !leadsOn(link);
}

/** Throws when it cannot be known. */
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
  /** Every link on it, by a path without links in front of its name. */
  readonly links: readonly string[];
  /** Where it leads, canonical as far as it is there; undefined for a loop, and above a thread of /proc. */
  readonly end: string | undefined;
  readonly isThere: boolean;
}

/** Throws what `linkAt` throws. */
export function wayOf(path: string, linkAt: LinkAt): Way {
  const pending = path.split('/').reverse();
  const done: string[] = [];
  const links: string[] = [];
  /** How many names at the end of `done` are not there: what is below them need not be looked at. */
  let missing = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      // It leads to /proc/PID/task/TID, and what is above that is no path of ours.
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

/** Links of /proc lead where only their process knows. */
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
