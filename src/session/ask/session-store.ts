import {lstatSync, mkdirSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';
import {replaceFile} from '../../system/atomic-file.ts';
import {readSmallFile} from '../../system/small-file.ts';
import {IonError, quoted} from '../../errors.ts';
import {withLockFile} from '../../system/lock-file.ts';
import type {DenialCount} from '../../policy/decision.ts';
import {writeProblem} from '../../system/write-problem.ts';
import {isLiveSession} from './terminal-session.ts';

/**
 * The memory of a terminal session: keys of allowed actions, and soft denials by fingerprint. Each has its time in milliseconds.
 */
export interface Remembrance {
  readonly grants: readonly (readonly [key: string, at: number])[];
  readonly denials: readonly (readonly [fingerprint: string, count: DenialCount, at: number])[];
}

/** The file of one terminal session, below `~/.ion/run`, where nothing sandboxed can write. */
export interface SessionStore {
  /** Empty if there is no file, or if ion did not write it. Then the user is asked again. */
  read(): Remembrance;
  change(update: (before: Remembrance) => Remembrance): void;
}

const nothing: Remembrance = {grants: [], denials: []};

/** An answer lasts as long as the terminal session, but never longer than this. */
export const maxAgeMs = 8 * 60 * 60 * 1000;
const maxGrants = 200;
const maxDenials = 500;
/** A longer key is remembered only by this process. */
const maxKeyLength = 2000;
const maxBytes = 2 * 1024 * 1024;

const shown = '~/.ion/run';

export function openSessionStore(home: string, session: string, now = () => Date.now()): SessionStore {
  const folder = path.join(home, '.ion', 'run');
  const file = path.join(folder, `${session}.json`);
  const read = (): Remembrance => {
    try {
      refuseOthers(folder);
      const found = readSmallFile({path: file, shown, refuseSymlink: true, maxBytes});
      if (!found || found.stats.nlink !== 1 || !isOwn(found.stats)) return nothing;
      return fresh(parsed(found.text, session), now());
    } catch {
      return nothing;
    }
  };
  return {
    read,
    change(update) {
      try {
        mkdirSync(folder, {recursive: true, mode: 0o700});
        refuseOthers(folder);
        // No fsync: after a reboot it is another session.
        withLockFile(`${file}.lock`, () =>
          replaceFile(file, rendered(update(read()), session), {sync: false}),
        );
        removeStale(folder, session, now());
      } catch (error) {
        throw writeProblem(`${shown}/${session}.json`, error);
      }
    },
  };
}

interface Owned {
  readonly uid: number;
  readonly mode: number;
}

function isOwn({uid, mode}: Owned): boolean {
  return uid === process.geteuid?.() && (mode & 0o022) === 0;
}

/** A symlink, or a folder of another user, could hold answers that the user never gave. */
function refuseOthers(folder: string): void {
  for (const one of [path.dirname(folder), folder]) {
    const stats = lstatSync(one);
    if (!stats.isDirectory()) throw new IonError(`${quoted(one)} is not a folder`);
    if (one === folder && !isOwn(stats)) throw new IonError(`${quoted(one)} can be written by other users`);
  }
}

function parsed(text: string, session: string): Remembrance {
  const raw = JSON.parse(text) as {version?: unknown; session?: unknown} & Remembrance;
  if (raw.version !== 1 || raw.session !== session) return nothing;
  return raw.grants.every(isGrant) && raw.denials.every(isDenial) ? raw : nothing;
}

function isGrant(entry: unknown): boolean {
  return Array.isArray(entry) && entry.length === 2 && typeof entry[0] === 'string' && isCount(entry[1]);
}

function isDenial(entry: unknown): boolean {
  if (!Array.isArray(entry) || entry.length !== 3) return false;
  const [fingerprint, count, at] = entry as [unknown, Partial<DenialCount> | null, unknown];
  return (
    typeof fingerprint === 'string' && isCount(count?.consecutive) && isCount(count.total) && isCount(at)
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/**
 * A time in the future means that the clock was set back since. Then the age of the answer is unknown, and it no
 * longer counts.
 */
function fresh({grants, denials}: Remembrance, now: number): Remembrance {
  const isFresh = (at: number): boolean => at <= now && now - at < maxAgeMs;
  return {
    grants: grants.filter(([, at]) => isFresh(at)),
    denials: denials.filter(([, , at]) => isFresh(at)),
  };
}

/** Keeps only the latest entries of each kind. */
function rendered({grants, denials}: Remembrance, session: string): string {
  const isShort = ([key]: readonly [string, ...unknown[]]): boolean => key.length <= maxKeyLength;
  return `${JSON.stringify({
    version: 1,
    session,
    grants: grants.filter(isShort).slice(-maxGrants),
    denials: denials.filter(isShort).slice(-maxDenials),
  })}\n`;
}

/** Removes the files of terminal sessions that have ended. Leaves any other file. */
function removeStale(folder: string, session: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const [, other] = /^(tty_[\w-]+)\.json(?:\.lock|\.\d+\.new)?$/.exec(name) ?? [];
    if (other === undefined || other === session) continue;
    const file = path.join(folder, name);
    const age = now - (lstatSync(file, {throwIfNoEntry: false})?.mtimeMs ?? now);
    if (!isLiveSession(other) || age >= maxAgeMs) rmSync(file, {force: true});
  }
}
