import {readdirSync} from 'node:fs';
import type {RealPath} from '../../system/links.ts';
import {matchGlob} from '../../shell/match/glob.ts';
import {openLinks} from '../../system/links.ts';

/** Stands in a pattern for any text that a bash glob may match; no path contains it. */
export const anything = '\0';

const maxMatches = 5000;

/** Resolves paths as the kernel would now. It caches results, so it must not outlive one check. */
export interface Resolver {
  readonly real: RealPath;
  /** The paths that a pattern may become, including itself as plain text. Undefined: too many, or unreadable. */
  expand(pattern: string): string[] | undefined;
  /** The names in a folder; none when it cannot be listed. */
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

/** Matches more than bash: case is ignored, a leading dot is not special, a set matches any text. */
function namesIn(folder: string, part: string, real: RealPath): string[] | undefined {
  const where = real(folder === '' ? '/' : folder);
  if (where === undefined) return undefined;
  const glob = part.replaceAll(anything, '*').toLowerCase();
  // Older versions of bash also let `.*` match `..`.
  const dots = part.startsWith('.') ? ['.', '..'] : [];
  const names = [...readNames(where), ...dots].filter((name) => matchGlob(glob, name.toLowerCase()));
  return [...names, part.replaceAll(anything, '*')];
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // absent, not a folder, or unreadable for bash as well: the pattern stays unchanged
  }
}
