import {createHash} from 'node:crypto';
import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {withLockFile} from '../../system/lock-file.ts';
import type {AutorunEvent} from '../run-event.ts';
import type {Changes} from './changes.ts';
import {forbiddenChanges, keysOf} from './git-config/changed-keys.ts';
import {readConfig, readOpenConfig, waitUntilGone} from './git-config/git-lock.ts';
import {parseGitConfig} from './git-config/parse-git-config.ts';
import {parsed, repairBare, repairConfig, repairInPlace} from './git-config/repair-config.ts';
import {inOpenFolder, isInPlace} from './in-place.ts';
import {openQuarantine, type Quarantine} from './quarantine.ts';
import {left} from './repair-events.ts';
import type {Snapshot} from './snapshot.ts';

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

/** One repair at a time in a workspace. Without a folder for the lock the repair still runs: planted files must not stay. */
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

/** No process of the run is left to release the lock; neither git outside nor ion could change the config. */
function clearLock(lock: string, quarantine: Quarantine): AutorunEvent[] {
  if (!isInPlace(lock)) return [left(lock, 'symlink')];
  // Another process may hold it now, and will release it soon.
  if (waitUntilGone(lock)) return [];
  const place = inOpenFolder(lock, () => quarantine.move(lock));
  return place === undefined ? [left(lock, 'not-quarantined')] : [];
}

function repairAppeared(file: string, {touched}: Changes, quarantine: Quarantine): AutorunEvent {
  if (!touched.has(file)) return left(file, 'unknown');
  if (!isInPlace(file)) return left(file, 'symlink');
  const place = inOpenFolder(file, () => quarantine.move(file));
  if (place === undefined) return left(file, 'not-quarantined');
  return {kind: 'autorun', path: file, repair: {did: 'quarantined', place}};
}

/** In files and bytes: a run can make thousands of large configs quickly, as links to one file. */
const mostOwn = {reported: 50, bytes: 4 << 20};

/**
 * Reports the files of the run's own repositories one by one, up to the limit. After the limit it reports only that there are
 * more.
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
