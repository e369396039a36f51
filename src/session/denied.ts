import {realpathSync} from 'node:fs';
import type {Settings, Sourced} from '../config/settings.ts';
import {hasWildcards, literalStart, supervisorPatterns} from '../sandbox/denied-patterns.ts';
import type {DeniedPattern} from '../sandbox/backend.ts';
import type {Machine} from '../sandbox/machine.ts';
import {openLinks} from '../sandbox/links.ts';
import {isWithin} from '../sandbox/paths.ts';
import type {RealPath} from '../policy/decision.ts';
import type {Root} from '../sandbox/plan.ts';

/** Who keeps which of denied_paths, of those that the command could read. */
export interface DeniedPlan {
  /** Canonical; a mount stands in their place. */
  readonly masked: readonly string[];
  /** For the supervisor. None where mounts are enough: asking about every open costs. */
  readonly watched: readonly DeniedPattern[];
  /** Nothing keeps them here. */
  readonly open: readonly Sourced<string>[];
}

export interface DeniedInput {
  readonly settings: Pick<Settings, 'deniedPaths'>;
  readonly machine: Pick<Machine, 'features'>;
  readonly roots: readonly Root[];
}

export const nothingDenied: DeniedPlan = {masked: [], watched: [], open: []};

interface Entry {
  readonly entry: Sourced<string>;
  /** Where its wildcards begin, as the file system has it now. */
  readonly real: string;
}

/** A mount hides what has one name and is there; everything else is the supervisor's. */
export function planDenied({settings, machine: {features}, roots}: DeniedInput): DeniedPlan {
  if (features.seatbelt) return nothingDenied;
  const readable = roots.filter(({grant}) => grant === 'read' || grant === 'write').map((root) => root.path);
  const real = openLinks();
  const folders = readable.map(asFolder);
  const entries = settings.deniedPaths.flatMap((entry) =>
    concerned(entry, {folders, real}, features.landlock > 0),
  );
  const hidden = (entry: Entry): boolean =>
    features.namespaces !== 'none' &&
    isThere(entry.entry.value) &&
    readable.some((root) => isWithin(entry.real, root));
  const masked = entries.filter(hidden);
  const others = entries.filter((entry) => !masked.includes(entry));
  const told = features.listener && others.length > 0 ? entries.map(withPatterns) : [];
  const kept = new Set(told.filter(({patterns}) => patterns).map(({entry}) => entry));
  return {
    masked: masked.map(({real}) => real),
    watched: told.flatMap(({entry, patterns = []}) =>
      patterns.map((pattern) => ({pattern, entry: entry.value})),
    ),
    open: others.map(({entry}) => entry).filter((entry) => !kept.has(entry)),
  };
}

/**
 * Can it hold anything that the command may read? Others are closed already, by Landlock; where there is none, what somebody
 * wrote is kept wherever it lies.
 */
function concerned(
  entry: Sourced<string>,
  {folders, real}: {readonly folders: readonly string[]; readonly real: RealPath},
  landlock: boolean,
): Entry[] {
  const start = literalStart(entry.value);
  const there = real(start) ?? start;
  const meets = [...new Set([start, there])].map(asFolder).some((place) =>
    // Either lies in the other. Fifteen entries by fifty roots at each start: no function is called for a pair.
    folders.some((root) => place.startsWith(root) || root.startsWith(place)),
  );
  return meets || (!landlock && entry.origin.layer !== 'default') ? [{entry, real: there}] : [];
}

/** `/a/b/`: so that `/a/bc` does not begin with it. */
function asFolder(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function withPatterns({entry, real}: Entry): {
  readonly entry: Sourced<string>;
  readonly patterns: readonly string[] | undefined;
} {
  return {entry, patterns: supervisorPatterns(entry.value, real)};
}

function isThere(value: string): boolean {
  try {
    return !hasWildcards(value) && realpathSync.native(literalStart(value)) !== '';
  } catch {
    return false;
  }
}
