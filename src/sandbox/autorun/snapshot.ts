import {chmodSync, chownSync, closeSync, lstatSync, openSync, realpathSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {IonError, quoted} from '../../errors.ts';
import {fingerprint} from './file-fingerprint.ts';
import {maxBytes, readConfig} from './git-config/git-lock.ts';
import {makeRunFolder, recordTemp, removeRunFolder, type FolderCalls, type RunFolder} from './run-folder.ts';
import type {World} from '../launch.ts';
import {planMounts, type Protected} from '../plan/protected.ts';
import {isWithin} from '../../system/is-within.ts';

export interface AutorunInput {
  readonly gitFolders: readonly string[];
  readonly writeRoots: readonly string[];
  readonly pins: Protected;
  readonly unprotect: readonly string[];
  /** Are existing protected files pinned by mounts? */
  readonly mounted: boolean;
  /** Does a supervisor hear of each change? */
  readonly watched: boolean;
  readonly home: string | undefined;
  readonly runId: string;
  /** The run's private temp folder: written down, so that it is found should nobody be left to remove it. */
  readonly temp: string | undefined;
  /** Absent: no copies can be kept. */
  readonly folderCalls: FolderCalls | undefined;
}

/** A git config that the command sees a private copy of. */
export interface Shadow {
  readonly config: string;
  readonly copy: string;
  /** Open on the copy: whatever the command does to its mode, it stays readable. */
  readonly descriptor: number;
  readonly before: Buffer;
}

/** A git config that the command changes in place. */
export interface Config {
  readonly path: string;
  readonly before: Buffer;
  readonly print: string;
  /** By somebody outside (`config.lock`). */
  readonly isLocked: boolean;
}

/** How protected things were before the run. */
export interface Snapshot {
  readonly input: AutorunInput;
  /** Holds the copies, and the temp folder's name; ours to remove. */
  readonly folder: RunFolder | undefined;
  readonly shadows: readonly Shadow[];
  /** Where no copy can be had. */
  readonly configs: readonly Config[];
  /** What only comparing can look after. */
  readonly prints: readonly {readonly path: string; readonly print: string}[];
  /** What must not be there afterwards. */
  readonly absent: readonly string[];
  /** Of these the supervisor tells when the run may have changed them. */
  readonly watched: readonly string[];
}

/** Look once at what has to be looked at again; a few system calls in a repository, none outside of one. */
export function prepareAutorun(input: AutorunInput): Snapshot {
  const {pins, mounted, watched} = input;
  const configs = gitConfigs(input);
  const copies = configs.length > 0 && mounted && watched;
  const folder = copies || input.temp !== undefined ? openFolder(input) : undefined;
  const shadows = copies && folder ? makeShadows(folder.path, configs) : [];
  const inPlace = shadows.length === configs.length ? [] : configs;
  // A link is in both lists: it is there, and nothing may come in its place.
  const links = pins.absent.filter(isThere);
  const compared = mounted ? links : [...pins.existing, ...links];
  return {
    input,
    folder,
    shadows: inPlace.length > 0 ? [] : shadows,
    configs: inPlace.map((file) => ({
      path: file,
      before: readAtStart(file),
      print: fingerprint(file),
      isLocked: isThere(`${file}.lock`),
    })),
    prints: compared.map((file) => ({path: file, print: fingerprint(file)})),
    absent: links.length === 0 ? pins.absent : pins.absent.filter((file) => !links.includes(file)),
    watched: watched
      ? [...inPlace, ...inPlace.map((file) => `${file}.lock`), ...pins.absent, ...compared]
      : [],
  };
}

/** The world of the run with its private copies. What leads to one is pinned: a parent that is moved takes it along. */
export function withShadows(world: World, {shadows}: Snapshot): World {
  if (world.namespaces === 'none' || shadows.length === 0) return world;
  const {mounts} = world;
  const configs = shadows.map(({config}) => config);
  const {pinned} = planMounts(
    mounts.writable,
    [...mounts.readonly, ...configs],
    mounts.masked,
    mounts.pinned,
  );
  return {...world, mounts: {...mounts, pinned}, shadows};
}

/** Remove the copies. Only what was made here, by name. */
export function removeShadows({folder, shadows}: Snapshot): void {
  for (const {descriptor} of shadows) closeSync(descriptor);
  if (folder) removeRunFolder(folder);
}

/** The configs of the git folders that the command may write, where they are plain files of the folder's own. */
function gitConfigs({gitFolders, writeRoots, pins, unprotect}: AutorunInput): string[] {
  return gitFolders
    .map((folder) => path.join(folder, 'config'))
    .filter((file) => writeRoots.some((root) => isWithin(file, root)))
    .filter((file) => !pins.existing.includes(file))
    .filter((file) => !unprotect.some((name) => file === name || file.endsWith(`/${name}`)))
    .filter(isPlain)
    .map(refuseLarge);
}

function refuseLarge(file: string): string {
  if (lstatSync(file).size > maxBytes)
    throw new IonError(`${quoted(file)} is larger than 1 MiB: ion cannot look after its changes`, {
      help: `make it smaller, or sandbox.unprotect = [".git/config"] in ~/.ion/config.toml leaves it to the command`,
    });
  return file;
}

/** It was a plain file a moment ago. */
function readAtStart(config: string): Buffer {
  try {
    return readConfig(config);
  } catch (cause) {
    throw new IonError(`cannot read ${quoted(config)}: it changed while ion started`, {
      help: 'something else writes there, another run perhaps: try again when it is done',
      cause,
    });
  }
}

function isPlain(file: string): boolean {
  try {
    return lstatSync(file).isFile() && realpathSync.native(file) === file;
  } catch {
    return false;
  }
}

export function isThere(file: string): boolean {
  try {
    return lstatSync(file, {throwIfNoEntry: false}) !== undefined;
  } catch {
    return false;
  }
}

/** Undefined where home is read-only, or inside another sandbox: then the file itself is compared. */
function openFolder({home, runId, temp, folderCalls}: AutorunInput): RunFolder | undefined {
  if (home === undefined || !folderCalls) return undefined;
  try {
    const folder = makeRunFolder(home, runId, folderCalls);
    if (temp !== undefined) recordTemp(folder, temp);
    return folder;
  } catch {
    return undefined;
  }
}

/** Copies with the owner and mode of the originals; none at all when one cannot be made. */
function makeShadows(folder: string, configs: readonly string[]): Shadow[] {
  try {
    return configs.map((config, index) => makeShadow(config, path.join(folder, String(index))));
  } catch {
    // The disk is full, or the config has gone: the file itself is compared instead.
    return [];
  }
}

function makeShadow(config: string, copy: string): Shadow {
  const {uid, gid, mode} = lstatSync(config);
  const before = readConfig(config);
  writeFileSync(copy, before, {flag: 'wx'});
  chmodSync(copy, mode & 0o777);
  if (process.getuid!() === 0) chownSync(copy, uid, gid);
  return {config, copy, descriptor: openSync(copy, 'r'), before};
}
