import {readdirSync} from 'node:fs';
import type {RealPath} from '../../system/links.ts';
import {matchGlob} from '../../shell/match/glob.ts';
import {openLinks} from '../../system/links.ts';

/** Stands in a pattern for whatever a glob of bash may match; no path has one. */
export const anything = '\0';

const maxMatches = 5000;

/** Resolves paths as the kernel would now; remembers what it saw, so it must not outlive one check. */
export interface Resolver {
  readonly real: RealPath;
  /** The paths that a pattern may become, itself as plain text included. Undefined: too many, or unreadable. */
  expand(pattern: string): string[] | undefined;
  /** Names in a folder; none when it cannot be listed. */
  names(folder: string): readonly string[];
}

export function makeResolver(): Resolver {
  const real = openLinks();
  return {real, expand: (pattern) => expanded(pattern, real), names: readNames};
}

function expanded(pattern: string, real: RealPath): string[] | undefined {
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
function namesIn(folder: string, part: string, real: RealPath): string[] | undefined {
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
