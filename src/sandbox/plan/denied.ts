import {realpathSync} from 'node:fs';
import type {Settings, Sourced} from '../../config/settings.ts';
import {hasWildcards, literalStart, supervisorPatterns} from './denied-patterns.ts';
import type {DeniedPattern} from '../launch.ts';
import type {Machine} from '../machine.ts';
import {hasView} from '../matrix.ts';
import {openLinks} from '../../system/links.ts';
import {isWithin} from '../../system/is-within.ts';
import type {RealPath} from '../../system/links.ts';
import {readableRoots, type Root} from './roots.ts';
import type {RulePath} from './rule-paths.ts';

/** Who keeps which of denied_paths, of those that the command could read. */
export interface DeniedPlan {
  /** Canonical; a mount stands in their place. */
  readonly masked: readonly string[];
  /** For the supervisor, masked ones too: another process may put something in their place, which takes the mount away. */
  readonly watched: readonly DeniedPattern[];
  /** Nothing keeps them here. */
  readonly open: readonly Sourced<string>[];
  /** The same of rules, which hold for the command's text all the same. */
  readonly openRules: readonly Sourced<string>[];
}

export interface DeniedInput {
  readonly settings: Pick<Settings, 'deniedPaths'>;
  readonly machine: Pick<Machine, 'features'>;
  readonly roots: readonly Root[];
  /** What rules deny, beside denied_paths. */
  readonly rules?: readonly RulePath[];
}

export const nothingDenied: DeniedPlan = {masked: [], watched: [], open: [], openRules: []};

interface Entry {
  /** Of a rule: what below it is not denied after all. */
  readonly except: readonly string[] | undefined;
  readonly entry: Sourced<string>;
  /** Where its wildcards begin, as the file system has it now. */
  readonly real: string;
}

/** A mount hides what has one name and is there; the supervisor looks at every open for all of them, where there is one. */
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
  const told = features.listener ? entries.map(withPatterns) : [];
  const kept = new Set(told.filter(({patterns}) => patterns).map(({entry}) => entry));
  const open = others.filter(({entry}) => !kept.has(entry));
  return {
    masked: masked.map(({real}) => real),
    watched: told.flatMap(({entry, patterns = [], except}) =>
      patterns.map((pattern) => ({pattern, entry: entry.value, ...(except?.length ? {except} : {})})),
    ),
    open: open.filter(({except}) => !except).map(({entry}) => entry),
    openRules: open.filter(({except}) => except).map(({entry}) => entry),
  };
}

/**
 * Can it hold anything that the command may read? Others are closed already, by Landlock or as they are not in the view; where there
 * is neither, what the user wrote is kept wherever it lies.
 */
function concerned(
  {entry, except}: Pick<Entry, 'entry' | 'except'>,
  {folders, real}: {readonly folders: readonly string[]; readonly real: RealPath},
  isClosed: boolean,
): Entry[] {
  const start = literalStart(entry.value);
  const there = real(start) ?? start;
  const meets = [...new Set([start, there])].map(asFolder).some((place) =>
    // Either lies in the other. Fifteen entries by fifty roots at each start: no function is called for a pair.
    folders.some((root) => place.startsWith(root) || root.startsWith(place)),
  );
  return meets || (!isClosed && entry.origin.layer !== 'default') ? [{entry, except, real: there}] : [];
}

/** `/a/b/`: so that `/a/bc` does not begin with it. */
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
    except: (except ?? []).flatMap((path) => supervisorPatterns(path, realPath(literalStart(path))) ?? []),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function isThere(value: string): boolean {
  try {
    return !hasWildcards(value) && realpathSync.native(literalStart(value)) !== '';
  } catch {
    return false;
  }
}
