import {realpathSync} from 'node:fs';
import type {Settings, Sourced} from '../../config/settings.ts';
import {hasWildcards, literalStart, supervisorPatterns} from './denied-patterns.ts';
import type {DeniedPattern} from '../launch.ts';
import type {Machine} from '../machine.ts';
import {hasView} from '../matrix/features.ts';
import {openLinks} from '../../system/links.ts';
import {isWithin} from '../../system/is-within.ts';
import type {RealPath} from '../../system/links.ts';
import {readableRoots, type Root} from './roots.ts';
import type {RulePath} from './rule-paths.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/** Which mechanism enforces each of denied_paths, for those that the command could read. */
export interface DeniedPlan {
  /** Canonical; a mount covers each. */
  readonly masked: readonly string[];
  /** For the supervisor, including masked ones: another process may replace the file, which removes the mount. */
  readonly watched: readonly DeniedPattern[];
  /** No mechanism enforces these here. */
  readonly open: readonly Sourced<string>[];
  /** The same for rules, which still apply to the command's text. */
  readonly openRules: readonly Sourced<string>[];
}

export interface DeniedInput {
  readonly settings: Pick<Settings, 'deniedPaths'>;
  readonly machine: Pick<Machine, 'features'>;
  readonly roots: readonly Root[];
  /** Paths that rules deny, besides denied_paths. */
  readonly rules?: readonly RulePath[];
}

export const nothingDenied: DeniedPlan = {masked: [], watched: [], open: [], openRules: []};

interface Entry {
  /** For a path that a rule denies: the paths below it that are not denied. */
  readonly except: readonly string[] | undefined;
  readonly entry: Sourced<string>;
  /** The real path up to its first wildcard. */
  readonly real: string;
}

/** A mount hides an existing path with one name; the supervisor checks every open for all entries, if there is one. */
export function planDenied({settings, machine: {features}, roots, rules = []}: DeniedInput): DeniedPlan {
  if (features.seatbelt) return nothingDenied;
  const readable = readableRoots(roots);
  const real = openLinks();
  const folders = readable.map(asFolder);
  const stated = [...settings.deniedPaths.map((entry) => ({entry, except: undefined})), ...rules];
  const entries = stated.flatMap((one) =>
    concerned(one, {folders, real}, features.landlock > 0 || hasView(features)),
  );
  const hidden = (entry: Entry): boolean =>
    features.namespaces !== 'none' &&
    !entry.except?.length &&
    isThere(entry.entry.value) &&
    readable.some((root) => isWithin(entry.real, root));
  const masked = entries.filter(hidden);
  const others = entries.filter((entry) => !masked.includes(entry));
  const watched = features.listener ? entries.map(withPatterns) : [];
  const kept = new Set(watched.filter(({patterns}) => patterns).map(({entry}) => entry));
  const open = others.filter(({entry}) => !kept.has(entry));
  return {
    masked: masked.map(({real}) => real),
    watched: watched.flatMap(({entry, patterns = [], except}) =>
      patterns.map((pattern) => ({pattern, entry: entry.value, ...(except?.length ? {except} : {})})),
    ),
    open: open.filter(({except}) => !except).map(({entry}) => entry),
    openRules: open.filter(({except}) => except).map(({entry}) => entry),
  };
}

/**
 * Reports whether it can contain a file that the command may read. Landlock or the view already closes all others;
 * without either, the user's entry is enforced wherever it is.
 */
function concerned(
  {entry, except}: Pick<Entry, 'entry' | 'except'>,
  {folders, real}: {readonly folders: readonly string[]; readonly real: RealPath},
  isClosed: boolean,
): Entry[] {
  const start = literalStart(entry.value);
  const there = real(start) ?? start;
  const meets = [...new Set([start, there])].map(asFolder).some((place) =>
    // One contains the other. A start compares fifteen entries with fifty roots, so there is no function call for each pair.
    folders.some((root) => place.startsWith(root) || root.startsWith(place)),
  );
  return meets || (!isClosed && entry.origin.layer !== 'default') ? [{entry, except, real: there}] : [];
}

/** `/a/b/`: so that `/a/bc` does not match. */
function asFolder(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function withPatterns({entry, except, real}: Entry): {
  readonly entry: Sourced<string>;
  readonly patterns: readonly string[] | undefined;
  readonly except: readonly string[];
} {
  return {
    entry,
    patterns: supervisorPatterns(entry.value, real),
    except: (except ?? []).flatMap(
      (path) => supervisorPatterns(path, realpathOrSame(literalStart(path))) ?? [],
    ),
  };
}

function isThere(value: string): boolean {
  try {
    return !hasWildcards(value) && realpathSync.native(literalStart(value)) !== '';
  } catch {
    return false;
  }
}
