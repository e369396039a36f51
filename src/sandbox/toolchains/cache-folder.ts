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

/** The folder for the caches of a workspace's runs; or why it has none. */
export type CacheFolder =
  {readonly path: string; readonly why?: undefined} | {readonly path?: undefined; readonly why: string};

export interface CachePlace {
  /** Canonical, like `workspace`. */
  readonly home: string;
  readonly workspace: string;
  readonly uid: number;
  readonly writeRoots: readonly string[];
  /** False: only look, and change nothing. */
  readonly create: boolean;
}

/**
 * `~/.cache/ion/<key>`: a write root of this workspace's runs only. Later runs in the same workspace see the files that
 * one run leaves in it; no other process uses them. No run may write its parents, or it could put a link in its place.
 */
export function cacheFolder({home, workspace, uid, writeRoots, create}: CachePlace): CacheFolder {
  try {
    if (lstatSync(home).uid !== uid) return {why: `${home} belongs to another user`};
    const caches = realOrSame(`${home}/.cache`, create);
    const top = `${caches}/ion`;
    const folders = foldersBelow(top, workspaceKey(workspace));
    if (writeRoots.some((root) => isWithin(top, root))) return {why: `${top} is in a write root`};
    const isNew = create && !existsSync(folders.at(-1)!);
    for (const path of [caches, ...folders]) {
      const why = refusal(path, uid, create && path !== caches);
      if (why) return {why};
    }
    const path = folders.at(-1)!;
    // Inside another sandbox it may exist and be read-only.
    if (create) accessSync(path, constants.W_OK);
    if (isNew) sweep(top, path);
    return {path};
  } catch (error) {
    return {
      why: `ion cannot create a folder for it (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    };
  }
}

/**
 * Removes the empty cache folders of workspaces that no longer exist. Most runs store nothing, so many are empty. The
 * run that created a folder does not remove it, because another run in the same workspace may use it already. No run
 * can use the folder of a missing workspace.
 */
function sweep(top: string, own: string): void {
  for (const key of readdirSync(top)) {
    try {
      const workspace = workspaceOf(key);
      const folder = `${top}/${key}`;
      if (folder !== own && workspace !== undefined && !existsSync(workspace)) rmdirSync(folder);
    } catch {
      // It contains caches, or belongs to another user.
    }
  }
}

/** `top` and the parents of a key's folder, outermost first. */
function foldersBelow(top: string, key: string): string[] {
  const parts = key.split('/');
  return parts.reduce((folders, part) => [...folders, `${folders.at(-1)!}/${part}`], [top]);
}

/** `~/.cache` may be the user's own symlink to a bigger disk. */
function realOrSame(path: string, create: boolean): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (create) makeFolder(path);
    return path;
  }
}

/** Creates `path`, or returns why the existing one cannot be used. Follows no symlink. */
function refusal(path: string, uid: number, create: boolean): string | undefined {
  let info = lstatSync(path, {throwIfNoEntry: false});
  if (!info) {
    if (!create) return undefined;
    makeFolder(path);
    info = lstatSync(path);
  }
  if (!info.isDirectory()) return `${path} is not a folder`;
  if (info.uid !== uid) return `${path} belongs to another user`;
  // A run may have changed the mode of its own folder.
  if (create && !isPrivate(info)) chmodSync(path, 0o700);
  return undefined;
}

function isPrivate({mode}: Stats): boolean {
  return (mode & 0o777) === 0o700;
}

function makeFolder(path: string): void {
  // Inside another sandbox an attempt would be refused and reported.
  accessSync(dirname(path), constants.W_OK);
  try {
    mkdirSync(path, {mode: 0o700});
  } catch (error) {
    // Another run created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The maximum length of a file name, with some room. */
const longestName = 200;
const longPart = new RegExp(`.{${longestName}}(?=.)`, 'g');

/**
 * A unique name for a workspace, in letters that every tool accepts in a path: `/` becomes `_`, and each byte other
 * than a small letter, digit or `-` is written as `.2E`. (A hash would cost the 2 ms of node:crypto per start.) A name
 * that is too long for one folder is split over nested folders; each part except the last ends with `+`. Pure.
 */
export function workspaceKey(workspace: string): string {
  const name = workspace.replaceAll(/[^a-z0-9-]/gu, (letter) =>
    letter === '/' ? '_' : [...Buffer.from(letter)].map(writtenOut).join(''),
  );
  return name.length <= longestName ? name : name.replaceAll(longPart, '$&+/');
}

/** The workspace of a key; undefined where it continues in another folder, and for a text that is not a key. Pure. */
export function workspaceOf(key: string): string | undefined {
  if (!/^_(?:[a-z0-9_-]|\.[0-9A-F]{2})*$/.test(key)) return undefined;
  return decodeURIComponent(key.replaceAll('_', '/').replaceAll('.', '%'));
}

function writtenOut(byte: number): string {
  return `.${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
