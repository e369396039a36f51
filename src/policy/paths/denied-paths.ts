import {globCharacters, isPattern} from '../../config/path-patterns.ts';
import type {Origin, Sourced} from '../../config/settings.ts';
import {matchGlob} from '../../shell/match/glob.ts';
import {isWithin} from '../../system/is-within.ts';
import type {RealPath} from '../../system/links.ts';
import type {PathMatcher} from '../decision.ts';
import {components, folded} from './path-components.ts';

/** A denied path, ready to compare: a folder or file (and all below it), or a glob. Absolute, as config makes it. */
export interface DeniedPath {
  readonly entry: Sourced<string>;
  /** Folded. */
  readonly path: string;
  readonly glob: boolean;
}

/** True when a list holds a glob, so that the caller must give a matcher. */
export function hasPathGlobs(list: readonly Sourced<string>[]): boolean {
  return list.some(({value}) => isPattern(value));
}

/** Each entry as it is written, and, where a link is on its way, as what it leads to. Without `real` as text alone. */
export function deniedPaths(list: readonly Sourced<string>[], real?: RealPath): DeniedPath[] {
  return list.flatMap((entry) => {
    const glob = isPattern(entry.value);
    const written = {entry, path: folded(entry.value), glob};
    const target = real ? leadsTo(entry.value, glob, real) : entry.value;
    return target === entry.value ? written : [written, {...written, path: folded(target)}];
  });
}

/** Of a pattern, the folders in front of its first wildcard are followed. */
function leadsTo(value: string, glob: boolean, real: RealPath): string {
  if (!glob) return real(value) ?? value;
  const start = value.slice(0, value.lastIndexOf('/', value.search(globCharacters)));
  const folder = start === '' || start.includes('\\') ? undefined : real(start);
  return folder === undefined || isPattern(folder) ? value : folder + value.slice(start.length);
}

/** The first denied path that holds `path`. A glob without a matcher holds everything: never the other way round. */
export function findDenied(
  path: string,
  denied: readonly DeniedPath[],
  matches: PathMatcher | undefined,
): DeniedPath | undefined {
  const compared = folded(path);
  return denied.find((entry) => {
    if (!entry.glob) return isWithin(compared, entry.path);
    return !matches || lineage(compared).some((ancestor) => matches(entry.path, ancestor));
  });
}

/** The path and every folder above it: what is denied is denied with all that lies in it. */
function lineage(path: string): string[] {
  const parts = components(path);
  return parts.map((_, index) => '/' + parts.slice(0, index + 1).join('/'));
}

/** What opens a denied path: its own config's entry can be taken out, one of ion's own cannot. */
export function howToOpen({layer}: Origin): string {
  return layer === 'default'
    ? 'denied_paths apply in every mode, and this entry is built in: only --no-sandbox opens it'
    : 'denied_paths apply in every mode; remove the entry from your config to open it';
}

/** File names are shorter on every file system; what is longer matches nothing that exists. */
const maxNameLength = 255;

/** Could bash expand this pattern into the folder or something in it? Both folded; by components. */
export function mayExpandInto(pattern: string, folder: string): boolean {
  const written = components(pattern);
  const wanted = components(folder);
  return written.length >= wanted.length && wanted.every((part, index) => mayExpandTo(written[index]!, part));
}

export function patternMayReach(pattern: string, {path, glob}: DeniedPath): boolean {
  return !glob && mayExpandInto(folded(pattern), path);
}

/** A leading dot must be written. */
function mayExpandTo(piece: string, name: string): boolean {
  if (piece.length > maxNameLength || (name.startsWith('.') && !piece.startsWith('.'))) return piece === name;
  return matchGlob(piece.replaceAll(/\[[^\]]*\]/g, '?'), name);
}

/** Would taking `path` away (or moving it) take a denied path with it? */
export function holdsDenied(path: string, denied: readonly DeniedPath[]): DeniedPath | undefined {
  const compared = folded(path);
  return denied.find((entry) => !entry.glob && isWithin(entry.path, compared));
}
