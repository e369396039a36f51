import {existsSync, lstatSync, mkdirSync, renameSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {moveAcross} from './copy-across.ts';
import {held, setMode} from './held.ts';

/** Keeps what a run planted: moved, never deleted. The folder is created for the first entry. */
export interface Quarantine {
  /** Moves a file or folder away; returns its new path. */
  move(file: string): string | undefined;
  /**
   * Keeps a text under the name of a file that stays. Undefined when there is no home, it is not writable, or the disk
   * is full.
   */
  keep(file: string, text: Buffer): string | undefined;
}

export function openQuarantine(home: string | undefined, runId: string): Quarantine {
  const makePlace = (file: string): string => {
    if (home === undefined) throw new Error('no home');
    const folder = path.join(home, '.ion/quarantine', runId);
    mkdirSync(folder, {recursive: true, mode: 0o700});
    return free(path.join(folder, path.basename(file)), '');
  };
  return {
    move: (file) =>
      attempt(() => {
        openFolder(file);
        return held(file, (from) => {
          const place = attempt(() => makePlace(file));
          const moved = place && attempt(() => movedTo(from, place));
          if (moved !== undefined) return moved;
          // A copy takes time. The file first gets a name that no program runs.
          const beside = movedTo(from, free(from, `.ion-quarantine-${runId.slice(0, 8)}`));
          const copied = place && attempt(() => copiedTo(beside, place));
          return copied ?? path.join(path.dirname(file), path.basename(beside));
        });
      }),
    keep: (file, text) =>
      attempt(() => {
        const place = makePlace(file);
        writeFileSync(place, text, {flag: 'wx', mode: 0o600});
        return place;
      }),
  };
}

function free(name: string, suffix: string): string {
  for (let number = 0; ; number++) {
    const place = `${name}${number === 0 ? '' : `.${number}`}${suffix}`;
    if (!existsSync(place)) return place;
  }
}

/**
 * Only a process that may write a folder can change its parent, and the run may have closed the folder to its owner.
 */
function openFolder(file: string): void {
  const info = lstatSync(file);
  if (info.isDirectory() && (info.mode & 0o700) !== 0o700) setMode(file, (info.mode & 0o7777) | 0o700);
}

function movedTo(from: string, to: string): string {
  renameSync(from, to);
  return to;
}

/** The way to another file system. An entry that is too large to copy, or unreadable for ion, stays beside its place. */
function copiedTo(from: string, to: string): string {
  if (process.platform !== 'linux')
    throw new Error('this system cannot hold an entry open while ion copies it');
  moveAcross(from, to);
  return to;
}
