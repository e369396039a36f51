import path from 'node:path';
import {refusal, type Parse, type Raw} from './raw.ts';
import {pattern as nonEmpty, text} from './scalars.ts';

/**
 * Paths in config are made absolute where they are read, so that every consumer compares the same thing: `~` is the
 * home folder, and a relative path of a project file starts at the folder that holds its `.ion`.
 */

/** A folder or file; no patterns. */
export const plainPath: Parse<string> = (raw) => {
  const value = pathText(raw);
  if (/[*?]/.test(value)) throw refusal(raw, 'must be a path', 'patterns do not work here');
  return path.posix.resolve('/', base(raw, value), unprefixed(value));
};

/** A path in the workspace, kept relative, or an absolute one. */
export const workspacePath: Parse<string> = (raw) => {
  const value = pathText(raw);
  if (/^[~/]/.test(value)) return plainPath(raw);
  if (/[*?]/.test(value)) throw refusal(raw, 'must be a path', 'patterns do not work here');
  if (value.split('/').includes('..')) throw refusal(raw, 'must be a path in the workspace');
  return path.posix.normalize(value).replace(/(?<=.)\/$/, '');
};

/** A socket that may be connected to. The kernel's address holds 107 bytes of path. */
export const socketPath: Parse<string> = (raw) => {
  if (!/^[~/]/.test(pathText(raw))) throw refusal(raw, 'must be an absolute path');
  const value = plainPath(raw);
  if (Buffer.byteLength(value) > 107) throw refusal(raw, 'must not be longer than 107 bytes');
  return value;
};

/**
 * A picomatch pattern, made absolute. The folder it is relative to is escaped: its name is no pattern. Groups are
 * refused, because picomatch passes them on to the regular expression engine, where a nested one takes for ever
 * on the right path; and so is a crowd of wildcards.
 */
export const pathPattern: Parse<string> = (raw) => {
  const value = pathText(raw);
  if (value.startsWith('!')) throw refusal(raw, 'must not be negated', 'list only what is meant');
  if (/[()]/.test(value)) throw refusal(raw, 'must not have groups', 'write "?" for a parenthesis');
  if (value.split('/').includes('..')) throw refusal(raw, 'must be a path without ".."');
  if ((value.match(/\*+/g) ?? []).length > 6) throw refusal(raw, 'must not have more than 6 wildcards');
  const rest = unprefixed(value)
    .replace(/\/{2,}/g, '/')
    .replace(/^\.\//, '')
    .replace(/(?<=.)\/$/, '');
  return path.posix.join(escapeGlob(base(raw, value)), rest);
};

function pathText(raw: Raw): string {
  const value = text(raw);
  nonEmpty({...raw, value: value.trim()});
  if (value.startsWith('$'))
    throw refusal(raw, 'must be a path', 'variables do not work here; write "~/..."');
  if (/^~[^/]/.test(value))
    throw refusal(raw, 'must be a path', 'only your own home folder has a short form, "~/"');
  return value;
}

function unprefixed(value: string): string {
  return value.replace(/^~?\/*/, '');
}

/** The folder that `value` starts from. */
function base(raw: Raw, value: string): string {
  const {folder, home} = raw.source;
  if (value.startsWith('/')) return '/';
  if (value.startsWith('~')) {
    if (home === undefined) throw refusal(raw, 'must be an absolute path while HOME is not set');
    return home;
  }
  if (folder !== undefined) return folder;
  if (value.startsWith('**/')) return '/';
  throw refusal(raw, 'must be an absolute path', 'begin it with "/" or "~/"; in patterns "**/" is anywhere');
}

/** A path as a pattern that matches it alone. */
export function escapeGlob(folder: string): string {
  return folder.replace(/[\\*?[\]{}()!+@|"$^]/g, '\\$&');
}
