import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  type Stats,
} from 'node:fs';
import {dirname} from 'node:path';
import {isWithin} from '../../system/is-within.ts';

/** Where a workspace keeps the caches of its runs; or why it has none. */
export type CacheFolder =
  {readonly path: string; readonly why?: undefined} | {readonly path?: undefined; readonly why: string};

export interface CachePlace {
  /** Canonical, like `workspace`. */
  readonly home: string;
  readonly workspace: string;
  readonly uid: number;
  readonly writeRoots: readonly string[];
  /** False: look, and change nothing. */
  readonly create: boolean;
}

/**
 * `~/.cache/ion/<key>`: a write root of this workspace's runs and of no other, so what one run leaves in it is seen by later
 * runs in the same workspace and by nothing outside. What is above it must be out of every run's reach, or a run could put a
 * link in its place.
 */
export function cacheFolder({home, workspace, uid, writeRoots, create}: CachePlace): CacheFolder {
  try {
    if (lstatSync(home).uid !== uid) return {why: `${home} belongs to somebody else`};
    const caches = realOrSame(`${home}/.cache`, create);
    const top = `${caches}/ion`;
    const folders = foldersBelow(top, workspaceKey(workspace));
    if (writeRoots.some((root) => isWithin(top, root))) return {why: `${top} lies in a write root`};
    const isNew = create && !existsSync(folders.at(-1)!);
    for (const path of [caches, ...folders]) {
      const why = refusal(path, uid, create && path !== caches);
      if (why) return {why};
    }
    const path = folders.at(-1)!;
    // Inside another sandbox it may be there, and read-only.
    if (create) accessSync(path, constants.W_OK);
    if (isNew) sweep(top, path);
    return {path};
  } catch (error) {
    return {why: `no folder for it can be made (${(error as NodeJS.ErrnoException).code ?? String(error)})`};
  }
}

/**
 * Remove the empty folders of workspaces that are gone: most runs keep nothing. Not at the end of the run that made one, since
 * another in the same workspace may count on it already; in a folder that is no more nothing runs.
 */
function sweep(top: string, own: string): void {
  for (const key of readdirSync(top)) {
    try {
      const workspace = workspaceOf(key);
      const folder = `${top}/${key}`;
      if (folder !== own && workspace !== undefined && !existsSync(workspace)) rmdirSync(folder);
    } catch {
      // It holds caches, or is not ours.
    }
  }
}

/** `top` and what leads to the folder of a key, outermost first. */
function foldersBelow(top: string, key: string): string[] {
  const parts = key.split('/');
  return parts.reduce((folders, part) => [...folders, `${folders.at(-1)!}/${part}`], [top]);
}

/** `~/.cache` may be a link of the user's own, to a bigger disk. */
function realOrSame(path: string, create: boolean): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (create) makeFolder(path);
    return path;
  }
}

/** Make `path`, or say why what is there cannot be used. No link is followed. */
function refusal(path: string, uid: number, create: boolean): string | undefined {
  let info = lstatSync(path, {throwIfNoEntry: false});
  if (!info) {
    if (!create) return undefined;
    makeFolder(path);
    info = lstatSync(path);
  }
  if (!info.isDirectory()) return `${path} is no folder`;
  if (info.uid !== uid) return `${path} belongs to somebody else`;
  // A run may have opened its own.
  if (create && !isPrivate(info)) chmodSync(path, 0o700);
  return undefined;
}

function isPrivate({mode}: Stats): boolean {
  return (mode & 0o777) === 0o700;
}

function makeFolder(path: string): void {
  // Inside another sandbox a try would be refused, and told.
  accessSync(dirname(path), constants.W_OK);
  try {
    mkdirSync(path, {mode: 0o700});
  } catch (error) {
    // Another run has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** What a file name may be long, and some room. */
const longestName = 200;
const longPart = new RegExp(`.{${longestName}}(?=.)`, 'g');

/**
 * A name for a workspace that no other workspace has, in letters that every tool takes in a path: `/` is `_`, and each byte
 * that is no small letter, digit or `-` is written as `.2E`. (A hash would cost a start the 2 ms of node:crypto.) A name too
 * long for one folder goes on in the next; `+` ends those that do, and no other. Pure.
 */
export function workspaceKey(workspace: string): string {
  const name = workspace.replaceAll(/[^a-z0-9-]/gu, (letter) =>
    letter === '/' ? '_' : [...Buffer.from(letter)].map(writtenOut).join(''),
  );
  return name.length <= longestName ? name : name.replaceAll(longPart, '$&+/');
}

/** The workspace of a key; undefined where it goes on in another folder, and for what is no key. Pure. */
export function workspaceOf(key: string): string | undefined {
  if (!/^_(?:[a-z0-9_-]|\.[0-9A-F]{2})*$/.test(key)) return undefined;
  return decodeURIComponent(key.replaceAll('_', '/').replaceAll('.', '%'));
}

function writtenOut(byte: number): string {
  return `.${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
