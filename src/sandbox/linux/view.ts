import {constants, fstatSync, lstatSync, readdirSync, readlinkSync, statSync} from 'node:fs';
import path from 'node:path';
import type {Stdio, View} from '../launch.ts';
import {expandRoots} from '../plan/expand-roots.ts';
import {flagsOf} from '../plan/plan-inputs.ts';
import {
  noLink,
  nothing,
  leadsOn,
  readLink,
  remembering,
  wayOf,
  type LinkAt,
  type Way,
} from '../../system/links.ts';
import {isWithin} from '../../system/is-within.ts';
import type {Root} from '../plan/roots.ts';

export interface ViewInput {
  readonly roots: readonly Root[];
  /** Canonical. */
  readonly writable: readonly string[];
  /** Paths that the command may use for files in the view: HOME, PWD, folders of PATH. */
  readonly names: readonly string[];
}

/** Write roots have a separate list; roots that only list names are not shown. */
const shown: readonly Root['grant'][] = ['read', 'view', 'device'];

/** Folders whose symlinks are shown, besides those that roots only list: `/bin`, `/var/run` ... lead into the roots. */
const withLinks = ['/', '/var'];

/**
 * The content of the run's own root file system where there is no Landlock: the targets of the roots, and every symlink
 * on the way to one. A path in another root, or in a write root, is already present.
 */
export function planView({roots, writable, names}: ViewInput): View {
  const linkAt = remembering(linkIfKnown);
  const expanded = expandRoots(roots).map((root) => ({...root, path: streamOr(root.path)}));
  const wanted = expanded.filter(({grant}) => shown.includes(grant));
  const ways = wanted.flatMap((root) => wayIfKnown(root.path, linkAt));
  const ends = ways.flatMap(({end, isThere}) => (end !== undefined && isThere ? [end] : []));
  if (ends.includes('/')) return {roots: ['/'], links: []};
  const places = outermost(ends.filter((end) => !isInside(end, writable)));
  const passed = [...expanded.map((root) => root.path), ...names].flatMap((name) =>
    wayIfKnown(name, linkAt).flatMap(({links}) => links),
  );
  const listed = [...withLinks, ...expanded.filter(({grant}) => grant === 'list').map((root) => root.path)];
  const links = new Set([...passed, ...listed.flatMap(linksIn)]);
  return {
    roots: places,
    links: [...links]
      .filter((link) => !isInside(link, [...places, ...writable]))
      .sort()
      .map((link) => ({path: link, target: linkAt(link)}))
      .filter(({target}) => leadsOn(target)),
  };
}

/**
 * The view with the files that a command gets as standard streams for reading: opened again by their path there, they are
 * read-only. Through the descriptor itself the command would reach the mount outside, which is writable.
 */
export function withGivenFiles(view: View, writable: readonly string[], stdio: readonly Stdio[]): View {
  const given = stdio.flatMap((one) => (typeof one === 'number' && isReadOnlyFile(one) ? [one] : []));
  const files = given
    .map((descriptor) => streamOr(`/proc/self/fd/${descriptor}`))
    .filter((file) => !file.startsWith('/proc/self/fd/') && !isInside(file, [...view.roots, ...writable]));
  return files.length === 0 ? view : {...view, roots: [...new Set([...view.roots, ...files])].sort()};
}

function isReadOnlyFile(descriptor: number): boolean {
  return (
    fstatSync(descriptor).isFile() &&
    (flagsOf(descriptor) & (constants.O_WRONLY | constants.O_RDWR)) === constants.O_RDONLY
  );
}

/** A standard stream is present by its path, so opening it again finds it read-only. */
function streamOr(file: string): string {
  if (!file.startsWith('/proc/self/fd/')) return file;
  try {
    const [stream, named] = [statSync(file), lstatSync(readlinkSync(file))];
    return stream.ino === named.ino && stream.dev === named.dev ? readlinkSync(file) : file;
  } catch {
    return file; // it no longer has a name
  }
}

/** Sorted, parents first, without paths inside another entry. */
function outermost(paths: readonly string[]): string[] {
  const found: string[] = [];
  for (const one of [...new Set(paths)].sort()) if (!isInside(one, found)) found.push(one);
  return found;
}

function isInside(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(file, folder));
}

function linksIn(folder: string): string[] {
  try {
    return readdirSync(folder, {withFileTypes: true})
      .filter((entry) => entry.isSymbolicLink())
      .map((entry) => path.join(folder, entry.name));
  } catch {
    return [];
  }
}

function wayIfKnown(file: string, linkAt: LinkAt): Way[] {
  try {
    return [wayOf(file, linkAt)];
  } catch {
    return [];
  }
}

/** Links of /proc differ for each process, so a path through one ends there. */
function linkIfKnown(file: string): string {
  if (isWithin(file, '/proc') && file !== '/proc')
    return lstatSync(file, {throwIfNoEntry: false}) ? noLink : nothing;
  try {
    return readLink(file);
  } catch {
    return nothing;
  }
}
