import {lstatSync, type Stats} from 'node:fs';
import path from 'node:path';
import {exitCodes, IonError, quoted, visible} from '../../errors.ts';
import {nothing, readLink, wayOf} from '../../system/links.ts';
import {readPlain} from '../../system/read-plain.ts';

/** A file that is skipped could name a program that git runs, so the command is refused instead. */
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
 * The real path as the kernel finds it: `..` is the parent of a link's target, which normalising the text would miss.
 * Undefined if nothing is there, or if ion may not look. Paths below /proc and /dev are refused, because they mean
 * something else to git than to ion (`/dev/stdin`, `/proc/self/cwd`).
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

/** A command of the same user may not read a file that ion may not read. */
export function look(file: string): Stats | undefined {
  try {
    return lstatSync(file, {throwIfNoEntry: false});
  } catch {
    return undefined;
  }
}

/** The content of a regular file, by its path as spelled. Undefined if it is missing or a folder. */
export function bytesOf(file: string, maxBytes: number): Buffer | undefined {
  const real = follow(file);
  const info = real === undefined ? undefined : look(real);
  if (real === undefined || !info || info.isDirectory()) return undefined;
  if (!info.isFile()) refuse(file, 'is not a regular file');
  if (info.size > maxBytes) refuse(file, 'is too large to check');
  try {
    return readPlain(real, maxBytes);
  } catch (error) {
    // The file was replaced while ion read it. It must not be skipped, because it may name programs.
    if ((error as NodeJS.ErrnoException).code === undefined) refuse(file, 'changed while ion read it');
    return undefined;
  }
}

/** A path stored in a file. Like git, this removes all line ends at its end and nothing else. */
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

/** A path relative to a folder. follow() normalises it. */
export const below = (folder: string, target: string): string =>
  target.startsWith('/') ? target : `${folder}/${target}`;
