import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {replaceFile} from '../../system/atomic-file.ts';
import {IonError, quoted} from '../../errors.ts';
import {withLockFile} from '../../system/lock-file.ts';
import {refuseReadOnly, writeProblem} from '../../system/write-problem.ts';
import {readSmallFile, type FileRead} from '../../system/small-file.ts';

/** A workspace that was trusted, with the exact content of its config files. */
export interface TrustEntry {
  /** Config file, relative to the workspace → SHA-256 of its content. */
  readonly layers: Readonly<Record<string, string>>;
  /** What those files set, one setting per line (`keptOf`), to show what changed. */
  readonly says: readonly string[];
  /** ISO 8601. */
  readonly since: string;
}

/** Workspace (canonical) → entry. */
export type TrustEntries = ReadonlyMap<string, TrustEntry>;

/** The home that holds the store, and the user who must own it. */
export interface StoreLocation {
  readonly home: string;
  readonly uid: number;
}

const shown = '~/.ion/trust.json';
const advice = 'move it away, then run "ion trust" again in each workspace';

/**
 * Reads the store below `~/.ion`, where nothing sandboxed can write. The user must own it, and neither the file nor
 * `~/.ion` itself may be a symlink: it could lead into a workspace.
 */
export function readTrust(place: StoreLocation): TrustEntries {
  const file = {path: storePath(place), shown, refuseSymlink: true};
  const read = readSmallFile(file);
  if (!read) return new Map();
  refuseStrangers(read, place);
  return parseEntries(read.text);
}

function storePath({home}: StoreLocation): string {
  return path.join(home, '.ion', 'trust.json');
}

function refuseStrangers({stats, folderUid}: FileRead, place: StoreLocation): void {
  refuseLinkedFolder(place);
  if (stats.uid !== place.uid || folderUid !== place.uid) throw broken('belongs to another user');
  if ((stats.mode & 0o022) !== 0) throw broken('can be written by other users', `chmod 600 ${shown}`);
}

function refuseLinkedFolder(place: StoreLocation): void {
  const folder = lstatSync(path.dirname(storePath(place)), {throwIfNoEntry: false});
  if (folder?.isSymbolicLink())
    throw new IonError('"~/.ion" is a symlink', {help: 'make it a real folder: trust is stored there'});
}

function parseEntries(text: string): TrustEntries {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (cause) {
    throw broken('is not JSON', advice, cause);
  }
  if (!isRecord(raw) || raw['version'] !== 1 || !isRecord(raw['workspaces'])) {
    throw broken('is not a trust store of this version of ion', advice);
  }
  const entries = Object.entries(raw['workspaces']);
  for (const [workspace, entry] of entries) {
    if (!path.isAbsolute(workspace) || !isEntry(entry))
      throw broken('has an entry that ion did not write', advice);
  }
  return new Map(entries as [string, TrustEntry][]);
}

function isEntry(value: unknown): value is TrustEntry {
  if (!isRecord(value)) return false;
  const {layers, says, since, ...others} = value;
  return (
    Object.keys(others).length === 0 &&
    isRecord(layers) &&
    Object.values(layers).every((hash) => typeof hash === 'string' && /^[\da-f]{64}$/.test(hash)) &&
    Array.isArray(says) &&
    says.every((line) => typeof line === 'string') &&
    typeof since === 'string'
  );
}

/**
 * Reads, changes and writes under a lock, so that two processes that grant and revoke at the same time do not lose a
 * change.
 */
export function changeTrust(place: StoreLocation, change: (entries: Map<string, TrustEntry>) => void): void {
  const file = storePath(place);
  try {
    mkdirSync(path.dirname(file), {recursive: true, mode: 0o700});
    refuseLinkedFolder(place);
    withLockFile(`${file}.lock`, () => {
      const entries = new Map(readTrust(place));
      refuseReadOnly(file, shown);
      change(entries);
      replaceFile(file, render(entries));
    });
  } catch (error) {
    throw writeProblem(shown, error);
  }
}

function render(entries: TrustEntries): string {
  return `${JSON.stringify({version: 1, workspaces: Object.fromEntries(entries)}, undefined, 1)}\n`;
}

function broken(what: string, help?: string, cause?: unknown): IonError {
  return new IonError(`${quoted(shown)} ${what}`, {help, cause});
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
