import {isWithin} from '../system/is-within.ts';
import type {Word} from './analysis.ts';

export interface Folders {
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
}

const plainPath = /^(?:\/(?!\.\.?(?:\/|$))[^/]+)+$/;

/** Folders where every user may write. The TMPDIR of a run may also be below one. */
export const sharedTemps = ['/tmp', '/var/tmp', '/dev/shm', '/private/tmp', '/private/var/tmp'];

/** An absolute path without `.`, `..` and doubled slashes. Works on the text alone and does not follow symlinks. */
export function absolutePath(path: string, cwd: string): string {
  // Most paths in rules need no change, and one decision may involve a thousand of them.
  if (plainPath.test(path)) return path;
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : `${cwd}/`}${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/**
 * Reports whether the user put this file into `~/.ion`. The folder also holds private temp folders of runs and quarantined
 * files; these do not count. Only files directly in it count, and folders that only the user writes.
 */
export function isUsersOwn(path: string, own: string): boolean {
  if (!isWithin(path, own)) return false;
  const [first = '', ...rest] = path.slice(own.length + 1).split('/');
  return rest.length === 0
    ? !/^(?:tmp|quarantine)$/.test(first)
    : ['hooks', 'bin', 'profiles'].includes(first);
}

/**
 * The path that a word names: `~`, `$HOME` and `$PWD` are replaced, and a glob in the last component becomes `*`. Undefined
 * when anything else is not literal.
 */
export function wordPath(word: Word, folders: Folders): string | undefined {
  const text = word.literal ? word.text : expanded(word, folders);
  return text === undefined || text === '' ? undefined : absolutePath(text, folders.cwd);
}

const known = /^(?:~(?=\/|$)|"?\$(?:HOME|\{HOME\}|\{HOME:\?[^}]*\})"?|"?\$(?:PWD|\{PWD\})"?|~\+(?=\/|$))/;

function expanded(word: Word, {home, cwd}: Folders): string | undefined {
  const {raw} = word;
  const start = known.exec(raw)?.[0] ?? '';
  const folder = start === '' ? '' : /PWD|\+/.test(start) ? cwd : home;
  const tail = raw.slice(start.length).replace(/^(\/[^"$`\\]*)"$/, '$1');
  const plain = tail.replace(/["']/g, '');
  return /[$`{}()\\~]/.test(plain) ? undefined : folder + plain;
}
