import {fileRows} from './destructive-files.ts';
import {gitRows} from './destructive-git.ts';
import type {DestructiveRow} from './destructive-row.ts';
import {serviceRows} from './destructive-services.ts';

/** Maps a program to the ways in which it destroys something. */
export const destructiveRows: Readonly<Record<string, readonly DestructiveRow[]>> = {
  ...fileRows,
  ...gitRows,
  ...serviceRows,
};

export function destructiveRowsOf(name: string): readonly DestructiveRow[] {
  return Object.hasOwn(destructiveRows, name) ? destructiveRows[name]! : [];
}
