import {existsSync, lstatSync, mkdirSync, renameSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {held, setMode} from './held.ts';

/** Where what a run has planted is kept: moved, never deleted. Its folder is made when the first thing comes. */
export interface Quarantine {
  /** Move a file or folder away; returns where it is now. */
  move(file: string): string | undefined;
  /** Keep a text under the name of a file that stays. Undefined where there is no home, it cannot be written, or the disk is full. */
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
          const moved = attempt(() => movedTo(from, makePlace(file)));
          if (moved !== undefined) return moved;
          const beside = movedTo(from, free(from, `.ion-quarantine-${runId.slice(0, 8)}`));
          return path.join(path.dirname(file), path.basename(beside));
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

/** Only who may write a folder can give it another parent, and the run may have closed it to its owner. */
function openFolder(file: string): void {
  const info = lstatSync(file);
  if (info.isDirectory() && (info.mode & 0o700) !== 0o700) setMode(file, (info.mode & 0o7777) | 0o700);
}

/**
 * By a rename, or not at all: to copy what is hostile takes any time and room, and a FIFO or a closed folder in it ends the copy.
 * What cannot go to another file system stays beside its place, by a name that nothing runs.
 */
function movedTo(from: string, to: string): string {
  renameSync(from, to);
  return to;
}

/** A path as one word of a command for bash, on one line. */
export function shellWord(file: string): string {
  if (/^[\w./@%+=:,-]+$/.test(file)) return file;
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(file)) return `'${file.replaceAll("'", `'\\''`)}'`;
  const escaped = file.replaceAll(
    /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`,
  );
  return `$'${escaped}'`;
}
