import {settingForms} from '../../config/set-option.ts';
import {chmodSync, chownSync, closeSync, lstatSync, openSync, realpathSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {IonError, quoted} from '../../errors.ts';
import {fingerprint} from './file-fingerprint.ts';
import {maxBytes, readConfig} from './git-config/git-lock.ts';
import {makeRunFolder, recordTemp, removeRunFolder, type FolderCalls, type RunFolder} from './run-folder.ts';
import type {Namespaces} from '../launch.ts';
import {planMounts} from '../plan/mounts.ts';
import {type ProtectedFiles} from '../plan/protected.ts';
import {isWithin} from '../../system/is-within.ts';

export interface AutorunInput {
  readonly gitFolders: readonly string[];
  readonly writeRoots: readonly string[];
  readonly protectedFiles: ProtectedFiles;
  readonly unprotect: readonly string[];
  /** True if mounts pin the existing protected files. */
  readonly mounted: boolean;
  /** True if a supervisor sees each change. */
  readonly watched: boolean;
  readonly home: string | undefined;
  readonly runId: string;
  /**
   * Makes the run's private temp folder, if it has one. Called when the run's own folder is there, which records it: so it can be
   * removed even if every process of the run is killed.
   */
  readonly makeTemp: (() => string) | undefined;
  /** Absent: copies are not possible. */
  readonly folderCalls: FolderCalls | undefined;
}

/** A git config that the command sees as a private copy. */
export interface Shadow {
  readonly config: string;
  readonly copy: string;
  /** A descriptor of the copy: it stays readable whatever mode the command gives the copy. */
  readonly descriptor: number;
  readonly before: Buffer;
}

/** A git config that the command changes in place. */
export interface Config {
  readonly path: string;
  readonly before: Buffer;
  readonly print: string;
  /** Another process holds its lock (`config.lock`). */
  readonly isLocked: boolean;
}

/** The state of the protected files before the run. */
export interface Snapshot {
  readonly input: AutorunInput;
  /** Holds the copies and the temp folder's name; ion removes it. */
  readonly folder: RunFolder | undefined;
  readonly temp: string | undefined;
  readonly shadows: readonly Shadow[];
  /** The git configs that could not be copied. */
  readonly configs: readonly Config[];
  /** Files that only a comparison can check. */
  readonly prints: readonly {readonly path: string; readonly print: string}[];
  /** Files that must not exist after the run. */
  readonly absent: readonly string[];
  /** The supervisor reports when the run may have changed these. */
  readonly watched: readonly string[];
}

/** Records the state that is checked again after the run: a few system calls in a repository, none outside one. */
export function prepareAutorun(input: AutorunInput): Snapshot {
  const {protectedFiles, mounted, watched} = input;
  const configs = gitConfigs(input);
  const copies = configs.length > 0 && mounted && watched;
  const folder = copies || input.makeTemp ? openFolder(input) : undefined;
  const temp = input.makeTemp?.();
  if (folder && temp !== undefined) attempt(() => recordTemp(folder, temp));
  const shadows = copies && folder ? makeShadows(folder.path, configs) : [];
  const inPlace = shadows.length === configs.length ? [] : configs;
  // A symlink is in both lists: it exists, and no file may replace it.
  const links = protectedFiles.absent.filter(isThere);
  const compared = mounted ? links : [...protectedFiles.existing, ...links];
  return {
    input,
    folder,
    temp,
    shadows: inPlace.length > 0 ? [] : shadows,
    configs: inPlace.map((file) => ({
      path: file,
      before: readAtStart(file),
      print: fingerprint(file),
      isLocked: isThere(`${file}.lock`),
    })),
    prints: compared.map((file) => ({path: file, print: fingerprint(file)})),
    absent:
      links.length === 0
        ? protectedFiles.absent
        : protectedFiles.absent.filter((file) => !links.includes(file)),
    watched: watched
      ? [...inPlace, ...inPlace.map((file) => `${file}.lock`), ...protectedFiles.absent, ...compared]
      : [],
  };
}

/**
 * The namespaces of the run with its private copies. The folders above a copy are pinned: moving a parent would take
 * the copy along.
 */
export function withShadows(namespaces: Namespaces, {shadows}: Snapshot): Namespaces {
  if (namespaces.kind === 'none' || shadows.length === 0) return namespaces;
  const {mounts} = namespaces;
  const configs = shadows.map(({config}) => config);
  const {pinned} = planMounts(
    mounts.writable,
    [...mounts.readonly, ...configs],
    mounts.masked,
    mounts.pinned,
  );
  return {...namespaces, mounts: {...mounts, pinned}, shadows};
}

/** Removes the copies by name, and only files that ion made here. */
export function removeShadows({folder, shadows}: Snapshot): void {
  for (const {descriptor} of shadows) closeSync(descriptor);
  if (folder) removeRunFolder(folder);
}

/** The configs of the git folders that the command may write, if they are plain files of the folder itself. */
function gitConfigs({gitFolders, writeRoots, protectedFiles, unprotect}: AutorunInput): string[] {
  return gitFolders
    .map((folder) => path.join(folder, 'config'))
    .filter((file) => writeRoots.some((root) => isWithin(file, root)))
    .filter((file) => !protectedFiles.existing.includes(file))
    .filter((file) => !unprotect.some((name) => file === name || file.endsWith(`/${name}`)))
    .filter(isPlain)
    .map(refuseLarge);
}

function refuseLarge(file: string): string {
  if (lstatSync(file).size > maxBytes)
    throw new IonError(`${quoted(file)} is larger than 1 MiB: ion cannot check its changes`, {
      help: `make it smaller, or let the command change it; ${settingForms('sandbox.unprotect', ['.git/config'])}`,
    });
  return file;
}

/** It was a plain file a moment ago. */
function readAtStart(config: string): Buffer {
  try {
    return readConfig(config);
  } catch (cause) {
    throw new IonError(`cannot read ${quoted(config)}: it changed while ion started`, {
      help: 'another process, perhaps another run, is writing it: try again later',
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

/** Undefined where home is read-only, or inside another sandbox: then ion compares the file itself. */
function openFolder({home, runId, folderCalls}: AutorunInput): RunFolder | undefined {
  if (home === undefined || !folderCalls) return undefined;
  return attempt(() => makeRunFolder(home, runId, folderCalls));
}

/** Makes copies with the owner and mode of the originals. Makes none if one of them fails. */
function makeShadows(folder: string, configs: readonly string[]): Shadow[] {
  try {
    return configs.map((config, index) => makeShadow(config, path.join(folder, String(index))));
  } catch {
    // The disk is full, or the config is gone: ion compares the file itself instead.
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
