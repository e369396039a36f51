import type {NetworkSetting} from '../../config/settings.ts';
import {isWithin} from '../paths.ts';
import type {Root} from '../plan.ts';
import type {CacheFolder} from './folder.ts';
import type {FoundPreset} from './find.ts';
import type {CacheRow, SetRow} from './preset.ts';

export interface ToolchainInput {
  readonly found: readonly FoundPreset[];
  readonly cache: CacheFolder;
  readonly home: string | undefined;
  readonly tops: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly network: NetworkSetting;
  readonly writeRoots: readonly string[];
  readonly exists: (path: string) => boolean;
}

/** A variable that a command gets, and what became of the user's own value. */
export interface PlannedVariable {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
  /** The user's own value, where another one takes its place. */
  readonly instead?: string;
  /** Other spellings, which the tool takes for the same and which go away. */
  readonly spellings: readonly string[];
}

/** What one preset does in a run. */
export interface PlannedPreset {
  readonly name: string;
  readonly because: string;
  readonly variables: readonly PlannedVariable[];
  readonly reads: readonly {readonly path: string; readonly reason: string}[];
  /** What stays as the user has it, and why: `GOCACHE: it lies in a write root`. */
  readonly notes: readonly string[];
  readonly closed: readonly {readonly path: string; readonly reason: string}[];
}

export interface ToolchainPlan {
  readonly cache: CacheFolder;
  readonly presets: readonly PlannedPreset[];
  readonly roots: readonly Root[];
  /** Paths that a tool tries to write and goes on without: no closing line tells of them. */
  readonly expected: readonly string[];
}

export const noToolchains: ToolchainPlan = {
  cache: {why: 'no preset is in force'},
  presets: [],
  roots: [],
  expected: [],
};

/** What the presets grant and set in this place. Pure, but for `exists`. */
export function planToolchains(input: ToolchainInput): ToolchainPlan {
  const {found, cache, home} = input;
  const presets = found.map(({preset, because}): PlannedPreset => {
    const caches = preset.cache.filter((row) => applies(row, input)).map((row) => planCache(row, input));
    const settings = preset.set.filter((row) => applies(row, input)).map((row) => planSetting(row, input));
    return {
      name: preset.name,
      because,
      variables: [...caches, ...settings].flatMap(({variable}) => variable ?? []),
      reads: [
        ...preset.read
          .filter((row) => applies(row, input))
          .map(({path, reason}) => ({path: inHome(path, home), reason})),
        ...caches.flatMap(({reads}) => reads),
      ],
      notes: caches.flatMap(({note}) => note ?? []),
      closed: preset.closed.map(({path, reason}) => ({path: inHome(path, home), reason})),
    };
  });
  const usesCache =
    cache.path !== undefined &&
    presets.some(({variables}) => variables.some(({value}) => value.includes(cache.path)));
  return {
    cache,
    presets,
    roots: [
      ...(usesCache ? [cacheRoot(cache.path)] : []),
      ...presets.flatMap(({name, reads}) =>
        reads.map(({path, reason}): Root => ({
          path,
          grant: 'read',
          reason: `${name}: ${reason}`,
          optional: true,
        })),
      ),
    ],
    expected: found.flatMap(({preset}) => preset.expected.map(({path}) => inHome(path, home))),
  };
}

function cacheRoot(path: string): Root {
  return {path, grant: 'write', reason: 'caches of this workspace', optional: false};
}

interface Planned {
  readonly variable?: PlannedVariable;
  readonly reads: PlannedPreset['reads'];
  readonly note?: string;
}

function planCache(row: CacheRow, input: ToolchainInput): Planned {
  const {cache, home, writeRoots} = input;
  const {own, spellings} = ownValue(row, input);
  if (own !== undefined && !row.join && writeRoots.some((root) => isWithin(own, root))) {
    return {reads: [], note: `${row.variable} stays ${own}: it lies in a write root`};
  }
  const base = own?.startsWith('/') && !row.join ? own : inHome(row.default, home);
  const offline = offlineParts(row, base, input);
  if (offline.length > 0) {
    const reason = 'read as it is: the network is closed, and this workspace has no cache of its own yet';
    return {
      reads: offline.map((path) => ({path, reason})),
      note: `${row.variable} stays as it is: with the network closed, ${base} is read and not written`,
    };
  }
  if (cache.path === undefined) return {reads: [], note: `${row.variable} stays as it is: ${cache.why}`};
  const value = filledIn(row.value ?? `{cache}/${row.folder}`, cache.path, home);
  return withOwn({...row, value, own, spellings});
}

/**
 * What is there already is all that a build without a network has: where the workspace has nothing of its own, the user's
 * cache is read as it is, and stays closed for writing.
 */
function offlineParts(
  {offline = [], folder}: CacheRow,
  base: string,
  {cache, network, exists}: ToolchainInput,
): string[] {
  if (network !== 'none') return [];
  const paths = offline.map((part) => (part === '' ? base : `${base}/${part}`)).filter(exists);
  return paths.length > 0 && cache.path !== undefined && exists(`${cache.path}/${folder}`) ? [] : paths;
}

function planSetting(row: SetRow, input: ToolchainInput): Planned {
  const own = input.environment[row.variable];
  if (own !== undefined && !row.join) return {reads: []};
  return withOwn({...row, value: filledIn(row.value, '', input.home), own, spellings: []});
}

/** `join`: the user's own options stay in front, and a path with a blank in it would fall apart among them. */
function withOwn(row: {
  readonly variable: string;
  readonly value: string;
  readonly join?: string;
  readonly reason: string;
  readonly own: string | undefined;
  readonly spellings: readonly string[];
}): Planned {
  const {variable: name, value, join, reason, own, spellings} = row;
  if (!join) {
    const variable = {
      name,
      value,
      reason,
      spellings,
      ...(own === undefined || own === value ? {} : {instead: own}),
    };
    return {reads: [], variable};
  }
  if (value.split(' -').some((option) => /\s/.test(option))) {
    return {reads: [], note: `${name} stays as it is: there is a blank in the path`};
  }
  return {reads: [], variable: {name, value: own ? `${own}${join}${value}` : value, reason, spellings}};
}

/** The user's own value, under whatever spelling the tool takes. */
function ownValue(
  {variable, any_case}: CacheRow,
  {environment}: ToolchainInput,
): {readonly own: string | undefined; readonly spellings: readonly string[]} {
  if (!any_case) return {own: environment[variable] || undefined, spellings: []};
  const names = Object.keys(environment).filter((name) => name.toUpperCase() === variable.toUpperCase());
  const last = names.at(-1);
  return {
    own: (last && environment[last]) || undefined,
    spellings: names.filter((name) => name !== variable),
  };
}

function applies(
  {when, unless}: {readonly when?: readonly string[]; readonly unless?: readonly string[]},
  {tops, home, exists}: ToolchainInput,
): boolean {
  const isThere = (name: string): boolean =>
    name.startsWith('~/') ? exists(inHome(name, home)) : tops.some((top) => exists(`${top}/${name}`));
  return (!when || when.some(isThere)) && !unless?.some(isThere);
}

function filledIn(value: string, cache: string, home: string | undefined): string {
  return value.replaceAll('{cache}', () => cache).replaceAll('{home}', () => home ?? '/nonexistent');
}

/** `~/x` with the home folder in it; an absolute path as it is. */
export function inHome(path: string, home: string | undefined): string {
  if (path.startsWith('/')) return path;
  return `${home ?? '/nonexistent'}${path.slice(1)}`;
}
