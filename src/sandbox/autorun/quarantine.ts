import {cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';

/** Where what a run has planted is kept: moved, never deleted. Made when the first thing comes. */
export interface Quarantine {
  /** Move a file or folder away; returns where it is now. */
  move(file: string): string;
  /** Keep a text under the name of a file that stays. */
  keep(file: string, text: Buffer): string;
}

export function openQuarantine(home: string, runId: string): Quarantine {
  const folder = path.join(home, '.ion/quarantine', runId);
  const free = (file: string): string => {
    mkdirSync(folder, {recursive: true, mode: 0o700});
    const name = path.basename(file);
    for (let number = 0; ; number++) {
      const place = path.join(folder, number === 0 ? name : `${name}.${number}`);
      if (!existsSync(place)) return place;
    }
  };
  return {
    move(file) {
      const place = free(file);
      moveTo(file, place);
      return place;
    },
    keep(file, text) {
      const place = free(file);
      writeFileSync(place, text, {flag: 'wx', mode: 0o600});
      return place;
    },
  };
}

/** Across file systems the copy is whole before the original goes. */
function moveTo(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as {code?: string}).code !== 'EXDEV') throw error;
    cpSync(from, to, {recursive: true, preserveTimestamps: true, verbatimSymlinks: true});
    rmSync(from, {recursive: true});
  }
}

/** A path as one word of a shell command. */
export function shellWord(file: string): string {
  return /^[\w./@%+=:,-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
}
