import {resolve} from 'node:path';
import type {NetworkSetting} from '../../config/settings.ts';
import {isWithin} from '../../system/is-within.ts';
import type {Root} from '../plan/roots.ts';
import type {CacheFolder} from './cache-folder.ts';
import type {FoundPreset} from './find-presets.ts';
import type {CacheRow, Conditions, ReadRow, SetRow} from './preset.ts';

export interface ToolchainInput {
  readonly found: readonly FoundPreset[];
  readonly cache: CacheFolder;
  readonly home: string;
  readonly tops: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly network: NetworkSetting;
  readonly writeRoots: readonly string[];
  readonly exists: (path: string) => boolean;
}

/** A variable that a command gets. */
export interface PlannedVariable {
  readonly name: string;
  readonly value: string;
  /** The user's own options, which stay before the value; not shown, because they may contain passwords. */
  readonly behind: string;
  readonly reason: string;
  /** The user's own value, if ion replaces it. */
  readonly instead: string | undefined;
  /** Other spellings that the tool treats as the same; they are removed. */
  readonly spellings: readonly string[];
}

/** The effects of one preset on a run. */
export interface PlannedPreset {
  readonly name: string;
  readonly because: string;
  readonly variables: readonly PlannedVariable[];
  readonly reads: readonly {readonly path: string; readonly reason: string}[];
  /** The values of the user that ion keeps, and why: `GOCACHE stays /tmp/x: it lies in a write root`. */
  readonly notes: readonly string[];
}

export interface ToolchainPlan {
  readonly cache: CacheFolder;
  readonly presets: readonly PlannedPreset[];
  readonly roots: readonly Root[];
  /** Paths that a tool tries to write, and without which it continues: no closing line reports them. */
  readonly expected: readonly string[];
}

export const noToolchains: ToolchainPlan = {
  cache: {why: 'no preset is active'},
  presets: [],
  roots: [],
  expected: [],
};

/** The grants and variables of the presets in this place. Pure, but for `exists`. */
export function planToolchains(input: ToolchainInput): ToolchainPlan {
  const {found, cache, home} = input;
  const presets = found.map((one) => planPreset(one, input));
  const roots = presets.flatMap(({name, reads}) =>
    reads.map(({path, reason}): Root => ({
      path,
      grant: 'read',
      reason: `${name}: ${reason}`,
      optional: true,
    })),
  );
  const {path} = cache;
  if (
    path !== undefined &&
    presets.some(({variables}) => variables.some(({value}) => value.includes(path)))
  ) {
    roots.unshift({path, grant: 'write', reason: 'caches of this workspace', optional: false});
  }
  const expected = found.flatMap(({preset}) => preset.expected.map((row) => inHome(row.path, home)));
  return {cache, presets, roots, expected};
}

interface Planned {
  readonly variables: PlannedVariable[];
  readonly reads: {path: string; reason: string}[];
  readonly notes: string[];
}

function planPreset({preset, because}: FoundPreset, input: ToolchainInput): PlannedPreset {
  const planned: Planned = {variables: [], reads: [], notes: []};
  for (const row of preset.read) {
    if (applies(row, input)) planned.reads.push({path: readPath(row, input, planned), reason: row.reason});
  }
  for (const row of preset.cache) if (applies(row, input)) planCache(row, input, planned);
  for (const row of preset.set) {
    if (row.closed_network && input.network !== 'none') continue;
    const own = input.environment[row.variable];
    if ((own === undefined || row.join) && applies(row, input)) {
      setVariable(row, filledIn(row.value, '', input.home), {own, spellings: []}, planned);
    }
  }
  return {name: preset.name, because, ...planned};
}

/** A variable that names home, or a folder above it, is ignored. It would open the whole home. */
function readPath({path, variable}: ReadRow, {environment, home}: ToolchainInput, {notes}: Planned): string {
  const own = variable === undefined ? undefined : environment[variable];
  if (!own?.startsWith('/')) return inHome(path, home);
  const folder = resolve(own);
  if (!isWithin(home, folder)) return folder;
  notes.push(`${variable} is ignored: ${own} holds more than the cache`);
  return inHome(path, home);
}

/** The user's own value of a variable, and the spellings of its name that the tool accepts. */
interface Own {
  readonly own: string | undefined;
  readonly spellings: readonly string[];
}

function planCache(row: CacheRow, input: ToolchainInput, planned: Planned): void {
  const {cache, home, writeRoots} = input;
  const found = ownValue(row, input);
  const own = row.join ? undefined : found.own;
  if (own !== undefined && writeRoots.some((root) => isWithin(own, root))) {
    planned.notes.push(`${row.variable} stays ${own}: it is in a write root`);
    return;
  }
  const base = own?.startsWith('/') ? own : inHome(row.default, home);
  const offline = offlineParts(row, base, input);
  planned.reads.push(...offline.map((path) => ({path, reason: 'existing files, read-only'})));
  const value = offline.length > 0 ? row.offline_value : (row.value ?? `{cache}/${row.folder}`);
  if (cache.path === undefined) {
    planned.notes.push(`${row.variable} is unchanged: ${cache.why}`);
  } else if (value === undefined) {
    const why = 'the network is off, and this workspace has no cache yet';
    planned.notes.push(`${row.variable} is unchanged, and ${base} is read-only: ${why}`);
  } else {
    setVariable(row, filledIn(value, cache.path, home), found, planned);
  }
}

/**
 * A build without a network needs what is already in a cache. So if the workspace has no cache of its own, the user's cache is
 * readable, but not writable.
 */
function offlineParts(
  {offline = [], folder}: CacheRow,
  base: string,
  {cache, network, exists}: ToolchainInput,
): string[] {
  const hasOwn = cache.path !== undefined && (network !== 'none' || exists(`${cache.path}/${folder}`));
  return hasOwn ? [] : offline.map((part) => (part === '' ? base : `${base}/${part}`)).filter(exists);
}

/** `join`: the user's own options stay in front. A path with a blank would be split among them. */
function setVariable(
  {variable: name, join, reason}: Pick<SetRow, 'variable' | 'join' | 'reason'>,
  value: string,
  {own, spellings}: Own,
  {variables, notes}: Planned,
): void {
  if (!join) {
    variables.push({name, value, behind: '', reason, spellings, instead: own === value ? undefined : own});
  } else if (value.split(' -').some((option) => /\s/.test(option))) {
    notes.push(`${name} is unchanged: the path contains a space`);
  } else if (!own?.endsWith(value)) {
    variables.push({name, value, behind: own ? own + join : '', reason, spellings, instead: undefined});
  }
}

function ownValue({variable, any_case}: CacheRow, {environment}: ToolchainInput): Own {
  if (!any_case) return {own: environment[variable] || undefined, spellings: []};
  const names = Object.keys(environment).filter(
    (name) => name.length === variable.length && name.toUpperCase() === variable.toUpperCase(),
  );
  const last = names.at(-1);
  return {
    own: last === undefined ? undefined : environment[last] || undefined,
    spellings: names.filter((name) => name !== variable),
  };
}

function applies({when, unless}: Conditions, {tops, home, exists}: ToolchainInput): boolean {
  if (!when && !unless) return true;
  const isThere = (name: string): boolean =>
    name.startsWith('~/') ? exists(inHome(name, home)) : tops.some((top) => exists(`${top}/${name}`));
  return (!when || when.some(isThere)) && !unless?.some(isThere);
}

function filledIn(value: string, cache: string, home: string): string {
  return value.replaceAll('{cache}', () => cache).replaceAll('{home}', () => home);
}

/** `~/x` with the home folder in it; an absolute path as it is. */
export function inHome(path: string, home: string): string {
  return path.startsWith('/') ? path : `${home}${path.slice(1)}`;
}
