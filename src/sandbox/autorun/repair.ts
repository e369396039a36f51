import {createHash} from 'node:crypto';
import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {withLockFile} from '../../system/lock-file.ts';
import type {AutorunEvent, LeftBecause} from '../run-event.ts';
import {setMode} from './held.ts';
import {parseGitConfig, type GitConfig} from './git-config/parse-git-config.ts';
import {putConfig, readConfig, readOpenConfig, waitUntilGone, withGitLock} from './git-config/git-lock.ts';
import {carryOver, forbiddenChanges, type KeyChange} from './git-config/carry-over.ts';
import type {Snapshot} from './snapshot.ts';
import {openQuarantine, type Quarantine} from './quarantine.ts';
import type {Changes} from './changes.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';

/** Repairs what the run left: merges, reverts, quarantines or only reports. One repair at a time. */
export function repair({input}: Snapshot, changes: Changes): AutorunEvent[] {
  const {home, gitFolders, runId} = input;
  const own = ownFiles(changes);
  const all = everything(changes);
  if (all.length === 0) return own;
  const quarantine = openQuarantine(home, runId);
  return oneAtATime(home, gitFolders[0] ?? all[0]!, () => [
    ...changes.shadows.flatMap(({config, descriptor, before}) => {
      if (!isInPlace(config)) return [left(config, 'symlink')];
      const after = attempt(() => readOpenConfig(descriptor));
      if (!after) return [left(config, 'too-large')];
      return repairConfig({config, before, after, quarantine});
    }),
    ...changes.bare.flatMap(({config, before}) => repairBare(config, before)),
    ...changes.locks.flatMap((lock) => clearLock(lock, quarantine)),
    ...changes.configs.flatMap((config) => repairInPlace(config, changes, quarantine)),
    ...changes.appeared.map((file) => repairAppeared(file, changes, quarantine)),
    ...changes.changed.map((file) => left(file, 'unknown')),
    ...own,
  ]);
}

/** One repair per workspace. Without a folder for the lock it runs all the same: planted files must not stay. */
function oneAtATime<T>(home: string | undefined, workspace: string, act: () => T): T {
  if (home === undefined) return act();
  const locks = path.join(home, '.ion/locks');
  const name = createHash('sha256').update(workspace).digest('hex').slice(0, 32);
  let begun = false;
  try {
    mkdirSync(locks, {recursive: true, mode: 0o700});
    return withLockFile(path.join(locks, name), () => ((begun = true), act()), 60_000);
  } catch (error) {
    if (begun) throw error;
    return act();
  }
}

function everything({shadows, bare, configs, locks, appeared, changed}: Changes): string[] {
  return [
    ...[...shadows, ...bare].map(({config}) => config),
    ...configs.map(({path: file}) => file),
    ...locks,
    ...appeared,
    ...changed,
  ];
}

interface ConfigCase {
  readonly config: string;
  /** The config before the run, and the run's private copy after it: the file itself has none of the changes yet. */
  readonly before: Buffer;
  readonly after: Buffer;
  readonly quarantine: Quarantine;
}

/** Merges inert changes into the current file; reports the others, and keeps them in a separate file. */
function repairConfig({config, before, after, quarantine}: ConfigCase): AutorunEvent[] {
  const was = parsed(before);
  const is = parsed(after);
  if (!was || !is) return [undone(config, [], quarantine.keep(config, after))];
  const forbidden = forbiddenChanges(was, is);
  let merged = true;
  const written = attempt(() =>
    withGitLock(config, (current) => {
      if (forbidden.length === 0 && current.equals(before)) return after;
      const text = carryOver(current.toString('latin1'), was, is);
      merged = text !== undefined;
      return text === undefined ? undefined : Buffer.from(text, 'latin1');
    }),
  );
  if (!written || !merged) return [unmerged(config, quarantine.keep(config, after))];
  return forbidden.length > 0 ? [undone(config, forbidden, quarantine.keep(config, after))] : [];
}

/** The run may have replaced a folder by a symlink to another user's files. */
function isInPlace(file: string): boolean {
  const folder = path.dirname(file);
  return realpathOrUndefined(folder) === folder;
}

/**
 * Without a private copy: reverted only if the supervisor saw the run touch the file; otherwise it may be another
 * process's edit.
 */
function repairInPlace(
  {path: config, before}: Snapshot['configs'][number],
  {touched}: Changes,
  quarantine: Quarantine,
): AutorunEvent[] {
  if (!isInPlace(config)) return [left(config, 'symlink')];
  const after = attempt(() => readConfig(config));
  const was = parsed(before);
  const is = after && parsed(after);
  const forbidden = was && is ? forbiddenChanges(was, is) : [];
  if (was && is && forbidden.length === 0) return [];
  const keys = keysOf(forbidden);
  if (!touched.has(config)) return [left(config, 'unknown', keys)];
  // The content under the lock: another process may have changed it meanwhile.
  const withoutForbidden = (current: Buffer | undefined): Buffer => {
    const now = current && parsed(current);
    const text = was && now && carryOver(before.toString('latin1'), was, now);
    return text === undefined ? before : Buffer.from(text, 'latin1');
  };
  const kept = after ? quarantine.keep(config, after) : quarantine.move(config);
  const isPut = inOpenFolder(config, () => putConfig(config, withoutForbidden));
  return [isPut ? undone(config, forbidden, kept) : left(config, 'not-reverted', keys)];
}

/** The changes of the other process and of the run cannot be told apart: ion reports them and overwrites nothing. */
function repairBare(config: string, before: Buffer): AutorunEvent[] {
  const was = parsed(before);
  const now = attempt(() => readConfig(config));
  const is = now && parsed(now);
  const forbidden = was && is ? forbiddenChanges(was, is) : undefined;
  if (forbidden?.length === 0) return [];
  return [left(config, 'replaced', keysOf(forbidden ?? []))];
}

/** No process of the run is left to release the lock; neither git outside nor ion could change the config. */
function clearLock(lock: string, quarantine: Quarantine): AutorunEvent[] {
  if (!isInPlace(lock)) return [left(lock, 'symlink')];
  // Another process may hold it now, and will release it soon.
  if (waitUntilGone(lock)) return [];
  const place = inOpenFolder(lock, () => quarantine.move(lock));
  return place === undefined ? [left(lock, 'not-quarantined')] : [];
}

/** The run may have closed the folder to its owner. */
function inOpenFolder<T>(file: string, act: () => T): T | undefined {
  const folder = path.dirname(file);
  const mode = attempt(() => lstatSync(folder).mode & 0o7777);
  const done = attempt(act);
  if (done !== undefined || mode === undefined || (mode & 0o700) === 0o700) return done;
  attempt(() => setMode(folder, mode | 0o700));
  const again = attempt(act);
  attempt(() => setMode(folder, mode));
  return again;
}

function repairAppeared(file: string, {touched}: Changes, quarantine: Quarantine): AutorunEvent {
  if (!touched.has(file)) return left(file, 'unknown');
  if (!isInPlace(file)) return left(file, 'symlink');
  const place = inOpenFolder(file, () => quarantine.move(file));
  if (place === undefined) return left(file, 'not-quarantined');
  return {kind: 'autorun', path: file, repair: {did: 'quarantined', place}};
}

function undone(config: string, forbidden: readonly KeyChange[], kept: string | undefined): AutorunEvent {
  return {kind: 'autorun', path: config, repair: {did: 'undone', keys: keysOf(forbidden), kept}};
}

function unmerged(config: string, kept: string | undefined): AutorunEvent {
  return {kind: 'autorun', path: config, repair: {did: 'left', because: 'unmerged', kept}};
}

function left(file: string, because: LeftBecause, keys?: readonly string[]): AutorunEvent {
  return {kind: 'autorun', path: file, repair: {did: 'left', because, keys}};
}

/** In files and bytes: a run can make thousands of large configs quickly, as links to one file. */
const mostOwn = {reported: 50, bytes: 4 << 20};

/**
 * Reports the files of the run's own repositories one after the other, up to the limit; then reports only that there
 * are more.
 */
function ownFiles({own, more}: Changes): AutorunEvent[] {
  const found: AutorunEvent[] = [];
  let bytes = 0;
  for (const file of own) {
    if (found.length === mostOwn.reported || bytes > mostOwn.bytes) return [...found, left(file, 'too-many')];
    bytes += attempt(() => lstatSync(file).size) ?? 0;
    found.push(...ownFile(file));
  }
  return more === undefined ? found : [...found, left(more, 'too-many')];
}

/** In a repository that the run made and owns: only the files that git runs or obeys. */
function ownFile(file: string): AutorunEvent[] {
  if (file.includes('/hooks/')) return [left(file, 'own-hook')];
  if (file.endsWith('/commondir')) {
    const text = attempt(() => readConfig(file).toString('latin1'));
    return text?.trim() === '../..' ? [] : [left(file, 'own-commondir')];
  }
  if (!/\/config(?:\.worktree)?$/.test(file)) return [];
  const text = attempt(() => readConfig(file));
  const is = text && parsed(text);
  if (!is) return [left(file, 'own-config', [])];
  // git itself writes the path of a submodule's files.
  const module = file.includes('/.git/modules/');
  const keys = forbiddenChanges(parseGitConfig(''), is).filter(({key}) => !module || key !== 'core.worktree');
  return keys.length === 0 ? [] : [left(file, 'own-config', keysOf(keys))];
}

function keysOf(changes: readonly KeyChange[]): string[] {
  return changes.map(({key}) => key);
}

function parsed(bytes: Buffer): GitConfig | undefined {
  return attempt(() => parseGitConfig(bytes.toString('latin1')));
}
