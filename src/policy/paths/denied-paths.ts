import {globCharacters, isPattern} from '../../config/path-patterns.ts';
import type {Origin, Sourced} from '../../config/settings.ts';
import {matchGlob} from '../../shell/match/glob.ts';
import {isWithin} from '../../system/is-within.ts';
import type {RealPath} from '../../system/links.ts';
import type {PathMatcher} from '../decision.ts';
import {components, folded} from './path-components.ts';

/**
 * A denied path, ready to compare: a glob, or a file or folder with everything below it. Absolute, as config makes
 * it.
 */
export interface DeniedPath {
  readonly entry: Sourced<string>;
  /** With case and Unicode form folded. */
  readonly path: string;
  readonly glob: boolean;
}

/** True when a list holds a glob. Then the caller must give a matcher. */
export function hasPathGlobs(list: readonly Sourced<string>[]): boolean {
  return list.some(({value}) => isPattern(value));
}

/**
 * Each entry as it is written and, if it leads through a link, also as its target. Without `real`, paths are compared
 * as text.
 */
export function deniedPaths(list: readonly Sourced<string>[], real?: RealPath): DeniedPath[] {
  return list.flatMap((entry) => {
    const glob = isPattern(entry.value);
    const written = {entry, path: folded(entry.value), glob};
    const target = real ? leadsTo(entry.value, glob, real) : entry.value;
    return target === entry.value ? written : [written, {...written, path: folded(target)}];
  });
}

/** Follows links. In a glob, only in the folders in front of its first wildcard. */
function leadsTo(value: string, glob: boolean, real: RealPath): string {
  if (!glob) return real(value) ?? value;
  const start = value.slice(0, value.lastIndexOf('/', value.search(globCharacters)));
  const folder = start === '' || start.includes('\\') ? undefined : real(start);
  return folder === undefined || isPattern(folder) ? value : folder + value.slice(start.length);
}

/** The first denied path that contains `path`. Without a matcher, a glob counts as containing every path. */
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

/** The path and every folder above it, because an entry denies everything below it. */
function lineage(path: string): string[] {
  const parts = components(path);
  return parts.map((_, index) => '/' + parts.slice(0, index + 1).join('/'));
}

/** How to allow a denied path. An entry of a config can be removed. A built-in entry cannot. */
export function howToOpen({layer}: Origin): string {
  return layer === 'default'
    ? 'denied_paths apply in every mode, and this entry is built in: only --no-sandbox opens it'
    : 'denied_paths apply in every mode; remove the entry from your config to open it';
}

/** No file system has longer names, so a longer name matches nothing that exists. */
const maxNameLength = 255;

/**
 * Reports whether bash could expand this pattern to the folder or to something in it. Both folded. Compares
 * components.
 */
export function mayExpandInto(pattern: string, folder: string): boolean {
  const written = components(pattern);
  const wanted = components(folder);
  return written.length >= wanted.length && wanted.every((part, index) => mayExpandTo(written[index]!, part));
}

export function patternMayReach(pattern: string, {path, glob}: DeniedPath): boolean {
  return !glob && mayExpandInto(folded(pattern), path);
}

/** A wildcard does not match a leading dot. */
function mayExpandTo(piece: string, name: string): boolean {
  if (piece.length > maxNameLength || (name.startsWith('.') && !piece.startsWith('.'))) return piece === name;
  return matchGlob(piece.replaceAll(/\[[^\]]*\]/g, '?'), name);
}

/** Reports whether deleting or moving `path` would delete or move a denied path with it. */
export function holdsDenied(path: string, denied: readonly DeniedPath[]): DeniedPath | undefined {
  const compared = folded(path);
  return denied.find((entry) => !entry.glob && isWithin(entry.path, compared));
}
