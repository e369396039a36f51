import {isWithin} from '../system/is-within.ts';
import type {Word} from './analysis.ts';

export interface Folders {
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
}

const plainPath = /^(?:\/(?!\.\.?(?:\/|$))[^/]+)+$/;

/** Where any user may write, and a run whose TMPDIR lies there. */
export const sharedTemps = ['/tmp', '/var/tmp', '/dev/shm', '/private/tmp', '/private/var/tmp'];

/** An absolute path without `.`, `..` and doubled slashes. On the text alone: links are not followed here. */
export function absolutePath(path: string, cwd: string): string {
  // Most paths of rules are that already, and a decision may be about a thousand of them.
  if (plainPath.test(path)) return path;
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : `${cwd}/`}${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/**
 * Is this a file that the user put into `~/.ion`? Runs have their private temp folders below it, and what they left behind is kept there:
 * only the folder's own files, and folders that are the user's alone.
 */
export function isUsersOwn(path: string, own: string): boolean {
  if (!isWithin(path, own)) return false;
  const [first = '', ...rest] = path.slice(own.length + 1).split('/');
  return rest.length === 0
    ? !/^(?:tmp|quarantine)$/.test(first)
    : ['hooks', 'bin', 'profiles'].includes(first);
}

/**
 * The path that a word names: with `~`, `$HOME` and `$PWD` put in, and a glob in its last component left as
 * `*`. Undefined where anything else is not literal.
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
