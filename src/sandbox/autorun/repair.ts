import {createHash} from 'node:crypto';
import {lstatSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {tomlString} from '../../config/read/render.ts';
import {quoted} from '../../errors.ts';
import {withLockFile} from '../../system/lock-file.ts';
import type {AutorunEvent} from '../launch.ts';
import {setMode} from './held.ts';
import {parseGitConfig, type GitConfig} from './git-config/git-config.ts';
import {putConfig, readConfig, readOpenConfig, waitUntilGone, withGitLock} from './git-config/git-lock.ts';
import {carryOver, forbiddenChanges, type KeyChange} from './git-config/carry-over.ts';
import type {Snapshot} from './snapshot.ts';
import {shellWord} from '../../shell/quote.ts';
import {openQuarantine, type Quarantine} from './quarantine.ts';
import type {Changes} from './verify-autorun.ts';
import {realpathOrUndefined} from '../../system/real-path.ts';

/** Repairs what the run left: merges, reverts, quarantines or only reports. One repair at a time. */
export function settle({input}: Snapshot, changes: Changes): AutorunEvent[] {
  const {home, gitFolders, runId} = input;
  const own = ownFiles(changes);
  const all = everything(changes);
  if (all.length === 0) return own;
  const quarantine = openQuarantine(home, runId);
  return oneAtATime(home, gitFolders[0] ?? all[0]!, () => [
    ...changes.shadows.flatMap(({config, descriptor, before}) => {
      if (!isInPlace(config)) return [left(config, elsewhere)];
      const after = attempt(() => readOpenConfig(descriptor));
      if (!after) return [left(config, ', and the change was too large to check')];
      return settleConfig({config, before, after, quarantine});
    }),
    ...changes.bare.flatMap(({config, before}) => settleBare(config, before)),
    ...changes.locks.flatMap((lock) => clearLock(lock, quarantine)),
    ...changes.configs.flatMap((config) => settleInPlace(config, changes, quarantine)),
    ...changes.appeared.map((file) => settleAppeared(file, changes, quarantine)),
    ...changes.changed.map((file) => left(file, ', and ion cannot tell what changed it')),
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
function settleConfig({config, before, after, quarantine}: ConfigCase): AutorunEvent[] {
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

const elsewhere = ', and one of its folders is now a symlink, which may lead out of the workspace';

/** The run may have replaced a folder by a symlink to another user's files. */
function isInPlace(file: string): boolean {
  const folder = path.dirname(file);
  return realpathOrUndefined(folder) === folder;
}

/**
 * Without a private copy: reverted only if the supervisor saw the run touch the file; otherwise it may be another
 * process's edit.
 */
function settleInPlace(
  {path: config, before}: Snapshot['configs'][number],
  {touched}: Changes,
  quarantine: Quarantine,
): AutorunEvent[] {
  if (!isInPlace(config)) return [left(config, elsewhere)];
  const after = attempt(() => readConfig(config));
  const was = parsed(before);
  const is = after && parsed(after);
  const forbidden = was && is ? forbiddenChanges(was, is) : [];
  if (was && is && forbidden.length === 0) return [];
  const what = forbidden.length > 0 ? keysOf(forbidden) : 'not a config that git can read';
  if (!touched.has(config)) return [left(config, ` (${what}), and ion cannot tell what changed it`)];
  // The content under the lock: another process may have changed it meanwhile.
  const withoutForbidden = (current: Buffer | undefined): Buffer => {
    const now = current && parsed(current);
    const text = was && now && carryOver(before.toString('latin1'), was, now);
    return text === undefined ? before : Buffer.from(text, 'latin1');
  };
  const kept = after ? quarantine.keep(config, after) : quarantine.move(config);
  const isPut = inOpenFolder(config, () => putConfig(config, withoutForbidden));
  return [isPut ? undone(config, forbidden, kept) : left(config, ` (${what}), and ion could not revert it`)];
}

/** The changes of the other process and of the run cannot be told apart: ion reports them and overwrites nothing. */
function settleBare(config: string, before: Buffer): AutorunEvent[] {
  const was = parsed(before);
  const now = attempt(() => readConfig(config));
  const is = now && parsed(now);
  const forbidden = was && is ? forbiddenChanges(was, is) : undefined;
  if (forbidden?.length === 0) return [];
  const what = forbidden ? keysOf(forbidden) : 'not a config that git can read';
  return [left(config, ` (${what}): another process replaced it, and then the command wrote it`)];
}

/** No process of the run is left to release the lock; neither git outside nor ion could change the config. */
function clearLock(lock: string, quarantine: Quarantine): AutorunEvent[] {
  if (!isInPlace(lock)) return [left(lock, elsewhere)];
  // Another process may hold it now, and will release it soon.
  if (waitUntilGone(lock)) return [];
  const place = inOpenFolder(lock, () => quarantine.move(lock));
  return place === undefined ? [left(lock, ', and ion could not quarantine it')] : [];
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

function settleAppeared(file: string, {touched}: Changes, quarantine: Quarantine): AutorunEvent {
  if (!touched.has(file)) return left(file, ', and ion cannot tell what changed it');
  if (!isInPlace(file)) return left(file, elsewhere);
  const place = inOpenFolder(file, () => quarantine.move(file));
  if (place === undefined) return left(file, ', and ion could not quarantine it');
  return {
    kind: 'autorun',
    path: file,
    did: 'quarantined',
    message: {
      text: `quarantined ${quoted(file)}: programs outside the sandbox run or read it`,
      help: `"mv ${shellWord(place)} ${shellWord(file)}" restores it`,
    },
  };
}

/** How to get back what is in the quarantine. */
function bringBack(kept: string | undefined, config: string, does: string): string {
  return kept === undefined
    ? 'its content is lost: ion cannot write "~/.ion/quarantine"'
    : `"cp ${shellWord(kept)} ${shellWord(config)}" ${does}`;
}

function undone(config: string, forbidden: readonly KeyChange[], kept: string | undefined): AutorunEvent {
  const text =
    forbidden.length > 0
      ? `reverted ${keysOf(forbidden)} in ${quoted(config)}: git would obey it outside the sandbox`
      : `reverted ${quoted(config)}: it was not a config that git can read`;
  return {
    kind: 'autorun',
    path: config,
    did: 'undone',
    message: {
      text,
      help: `sandbox.unprotect = [${tomlString(nameOf(config))}] in ~/.ion/config.toml allows it; ${bringBack(kept, config, 'brings the change back')}`,
    },
  };
}

/** The name that `unprotect` uses: `.git/config`, `.git/modules/lib/config`. */
function nameOf(config: string): string {
  return /\/(\.git\/(?:modules\/.+\/)?config)$/.exec(config)?.[1] ?? config;
}

function unmerged(config: string, kept: string | undefined): AutorunEvent {
  return {
    kind: 'autorun',
    path: config,
    did: 'left',
    message: {
      text: `did not write the changes of ${quoted(config)}: another process holds ${quoted(`${config}.lock`)}, or changed the same lines`,
      help: bringBack(kept, config, 'writes them'),
    },
  };
}

function left(file: string, why: string): AutorunEvent {
  return {
    kind: 'autorun',
    path: file,
    did: 'left',
    message: {
      text: `${quoted(file)} changed during the run${why}`,
      help: 'check it: programs outside the sandbox run or read it; ion left it unchanged',
    },
  };
}

/** In files and bytes: a run can make thousands of large configs quickly, as links to one file. */
const mostOwn = {told: 50, bytes: 4 << 20};

/**
 * Reports the files of the run's own repositories one after the other, up to the limit; then reports only that there
 * are more.
 */
function ownFiles({own, more}: Changes): AutorunEvent[] {
  const found: AutorunEvent[] = [];
  let bytes = 0;
  for (const file of own) {
    if (found.length === mostOwn.told || bytes > mostOwn.bytes) return [...found, tooMany(file)];
    bytes += attempt(() => lstatSync(file).size) ?? 0;
    found.push(...ownFile(file));
  }
  return more === undefined ? found : [...found, tooMany(more)];
}

function tooMany(first: string): AutorunEvent {
  return {
    kind: 'autorun',
    path: first,
    did: 'left',
    message: {
      text: `check ${quoted(first)} and the files next to it: this run made more hooks and configs of repositories than ion checks`,
      help: 'git also runs or obeys them outside the sandbox; ion left them unchanged',
    },
  };
}

/** In a repository that the run made and owns: only the files that git runs or obeys. */
function ownFile(file: string): AutorunEvent[] {
  if (file.includes('/hooks/')) return [told(file, 'a hook')];
  if (file.endsWith('/commondir')) {
    const text = attempt(() => readConfig(file).toString('latin1'));
    return text?.trim() === '../..' ? [] : [told(file, 'it leads git to another folder')];
  }
  if (!/\/config(?:\.worktree)?$/.test(file)) return [];
  const text = attempt(() => readConfig(file));
  const is = text && parsed(text);
  if (!is) return [told(file, 'not a config that git can read')];
  // git itself writes the path of a submodule's files.
  const module = file.includes('/.git/modules/');
  const keys = forbiddenChanges(parseGitConfig(''), is).filter(({key}) => !module || key !== 'core.worktree');
  return keys.length === 0 ? [] : [told(file, keysOf(keys))];
}

function told(file: string, what: string): AutorunEvent {
  return {
    kind: 'autorun',
    path: file,
    did: 'left',
    message: {
      text: `check ${quoted(file)}: ${what} in a repository that this run made`,
      help: 'git also runs or obeys it outside the sandbox; ion left it unchanged',
    },
  };
}

function keysOf(changes: readonly KeyChange[]): string {
  const keys = changes.map(({key}) => quoted(key, 80));
  return keys.length > 5 ? `${keys.slice(0, 5).join(', ')} and ${keys.length - 5} more` : keys.join(', ');
}

function parsed(bytes: Buffer): GitConfig | undefined {
  return attempt(() => parseGitConfig(bytes.toString('latin1')));
}
