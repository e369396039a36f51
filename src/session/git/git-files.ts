import {lstatSync, type Stats} from 'node:fs';
import path from 'node:path';
import {exitCodes, IonError, quoted, visible} from '../../errors.ts';
import {nothing, readLink, wayOf} from '../../system/links.ts';
import {readPlain} from '../../system/read-plain.ts';

/** What is not looked at may name a program that git runs: so it is refused, never passed over. */
export function refuse(file: string, why: string): never {
  throw new IonError(
    `git is not run: ${quoted(path.basename(file))} ${why}, and it may name programs that git would run`,
    {
      at: {file: visible(file)},
      help: 'check it yourself; in write mode, or after a question, git runs these programs inside the sandbox',
      exitCode: exitCodes.denied,
    },
  );
}

/**
 * The real path, as the kernel would find it: `..` is the parent of where a link leads, which no normalising of the text
 * gives. Undefined where nothing is, or nothing that may be looked at. What lies below /proc and /dev is another thing to git
 * than to ion (`/dev/stdin`, `/proc/self/cwd`).
 */
export function follow(file: string): string | undefined {
  const {end, isThere} = wayOf(file, (at) => {
    if (at === '/dev/null') return nothing;
    const [, top] = /^(\/proc|\/dev)\//.exec(at) ?? [];
    if (top !== undefined) refuse(file, `leads into ${top}`);
    try {
      return readLink(at);
    } catch {
      return nothing;
    }
  });
  return isThere ? end : undefined;
}

/** What ion may not look at, a command of the same user may not either. */
export function look(file: string): Stats | undefined {
  try {
    return lstatSync(file, {throwIfNoEntry: false});
  } catch {
    return undefined;
  }
}

/** The content of a regular file, by its path as spelled; undefined for none and for a folder. */
export function bytesOf(file: string, maxBytes: number): Buffer | undefined {
  const real = follow(file);
  const info = real === undefined ? undefined : look(real);
  if (real === undefined || !info || info.isDirectory()) return undefined;
  if (!info.isFile()) refuse(file, 'is not a regular file');
  if (info.size > maxBytes) refuse(file, 'is too large to check');
  try {
    return readPlain(real, maxBytes);
  } catch (error) {
    // Another file by now, and what it names must not be passed over.
    if ((error as NodeJS.ErrnoException).code === undefined) refuse(file, 'changed while ion read it');
    return undefined;
  }
}

/** A path that stands in a file, up to its line ends: git takes them away, however many, and nothing else. */
export function pathIn(file: string, maxBytes: number): string | undefined {
  const bytes = bytesOf(file, maxBytes);
  return bytes && textOf(bytes, file).replace(/[\r\n]+$/, '');
}

export function textOf(bytes: Buffer, file: string): string {
  if (bytes.includes(0)) refuse(file, 'contains a NUL byte');
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch {
    return refuse(file, 'contains a path that is not UTF-8');
  }
}

/** Relative to a folder, and not normalised: follow() does that. */
export const below = (folder: string, target: string): string =>
  target.startsWith('/') ? target : `${folder}/${target}`;
