import {attempt} from '../../../system/attempt.ts';
import type {AutorunEvent} from '../../run-event.ts';
import type {Changes} from '../changes.ts';
import {inOpenFolder, isInPlace} from '../in-place.ts';
import type {Quarantine} from '../quarantine.ts';
import {left, undone, unmerged} from '../repair-events.ts';
import type {Snapshot} from '../snapshot.ts';
import {carryOver} from './carry-over.ts';
import {forbiddenChanges, keysOf} from './changed-keys.ts';
import {putConfig, readConfig, withGitLock} from './git-lock.ts';
import {parseGitConfig, type GitConfig} from './parse-git-config.ts';

interface ConfigCase {
  readonly config: string;
  /** The config before the run, and the run's private copy after it: the file itself has none of the changes yet. */
  readonly before: Buffer;
  readonly after: Buffer;
  readonly quarantine: Quarantine;
}

/** Merges inert changes into the current file; reports the others, and keeps them in a separate file. */
export function repairConfig({config, before, after, quarantine}: ConfigCase): AutorunEvent[] {
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

/**
 * Without a private copy: reverted only if the supervisor saw the run touch the file; otherwise it may be another
 * process's edit.
 */
export function repairInPlace(
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

/** ion cannot tell the changes of the other process from those of the run. It reports them and overwrites nothing. */
export function repairBare(config: string, before: Buffer): AutorunEvent[] {
  const was = parsed(before);
  const now = attempt(() => readConfig(config));
  const is = now && parsed(now);
  const forbidden = was && is ? forbiddenChanges(was, is) : undefined;
  if (forbidden?.length === 0) return [];
  return [left(config, 'replaced', keysOf(forbidden ?? []))];
}

export function parsed(bytes: Buffer): GitConfig | undefined {
  return attempt(() => parseGitConfig(bytes.toString('latin1')));
}
