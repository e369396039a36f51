import {lstatSync, readdirSync, readlinkSync} from 'node:fs';
import {matchGlob} from '../../shell/glob.ts';

/** Stands in a pattern for whatever a glob of bash may match; no path has one. */
export const anything = '\0';

const maxLinks = 40;
const maxMatches = 5000;

/** Resolves paths as the kernel would now; remembers what it saw, so it must not outlive one check. */
export interface Resolver {
  /**
   * The real path behind an absolute one: links followed one by one, `..` taken from where they lead. What does not
   * exist yet is taken as a folder without links. Undefined when nobody can say (no permission, a loop of links).
   */
  real(path: string): string | undefined;
  /** The paths that a pattern may become, itself as plain text included. Undefined: too many, or unreadable. */
  expand(pattern: string): string[] | undefined;
  /** Names in a folder; none when it cannot be listed. */
  names(folder: string): readonly string[];
}

export function makeResolver(): Resolver {
  const links = new Map<string, string | undefined>();
  const linkAt = (path: string): string | undefined => {
    if (!links.has(path)) links.set(path, readLink(path));
    return links.get(path);
  };
  const real = (path: string): string | undefined => {
    try {
      return followed(path, linkAt);
    } catch {
      return undefined;
    }
  };
  return {real, expand: (pattern) => expanded(pattern, real), names: readNames};
}

/** The target of a link; undefined for anything else, and for what does not exist. Throws when it cannot be known. */
function readLink(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function followed(path: string, linkAt: (path: string) => string | undefined): string {
  const pending = path.split('/').reverse();
  const done: string[] = [];
  let hops = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      done.pop();
      continue;
    }
    const here = `/${[...done, part].join('/')}`;
    const target = isOwnProcess(here) ? undefined : linkAt(here);
    if (target === undefined) {
      done.push(part);
      continue;
    }
    if (here.startsWith('/proc/') && !/^\/proc\/\w+$/.test(here))
      throw new Error('a link of another process');
    if (++hops > maxLinks) throw new Error('too many links');
    if (target.startsWith('/')) done.length = 0;
    pending.push(...target.split('/').reverse());
  }
  return `/${done.join('/')}`;
}

/** /proc/self means the command's process, not this one. */
function isOwnProcess(path: string): boolean {
  return path === '/proc/self' || path === '/proc/thread-self';
}

function expanded(pattern: string, real: Resolver['real']): string[] | undefined {
  let paths = [''];
  for (const part of pattern.split('/').slice(1)) {
    const next: string[] = [];
    for (const path of paths) {
      const names = part.includes(anything) ? namesIn(path, part, real) : [part];
      if (!names || next.length + names.length > maxMatches) return undefined;
      for (const name of names) next.push(`${path}/${name}`);
    }
    paths = next;
  }
  return paths;
}

/** Wider than bash matches: case is ignored, a leading dot is not special, a set is any text. */
function namesIn(folder: string, part: string, real: Resolver['real']): string[] | undefined {
  const where = real(folder === '' ? '/' : folder);
  if (where === undefined) return undefined;
  const glob = part.replaceAll(anything, '*').toLowerCase();
  // Older bash lets `.*` match `..` too.
  const dots = part.startsWith('.') ? ['.', '..'] : [];
  const names = [...readNames(where), ...dots].filter((name) => matchGlob(glob, name.toLowerCase()));
  return [...names, part.replaceAll(anything, '*')];
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not there, not a folder, or closed to bash as well: the pattern stays as it is
  }
}
