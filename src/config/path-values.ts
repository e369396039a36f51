import path from 'node:path';
import {refusal, shaped, type Raw} from './raw.ts';
import {pattern as nonEmpty, text} from './scalars.ts';

/**
 * Paths in config are made absolute where they are read, so that every consumer compares the same thing: `~` is the
 * home folder, and a relative path of a project file starts at the folder that holds its `.ion`.
 */

/** A folder or file; no patterns. */
export const plainPath = shaped({type: 'string'}, (raw): string => {
  const value = withoutWildcards(raw);
  return path.posix.resolve('/', startOf(raw, value), withoutStart(value));
});

/** A path in the workspace, kept relative, or an absolute one. */
export const workspacePath = shaped({type: 'string'}, (raw): string => {
  const value = withoutWildcards(raw);
  if (/^[~/]/.test(value)) return plainPath(raw);
  if (value.split('/').includes('..')) throw refusal(raw, 'must be a path in the workspace');
  return path.posix.normalize(value).replace(/(?<=.)\/$/, '');
});

/** A socket that may be connected to. The kernel's address holds 107 bytes of path. */
export const socketPath = shaped({type: 'string'}, (raw): string => {
  if (!/^[~/]/.test(pathText(raw))) throw refusal(raw, 'must be an absolute path');
  const value = plainPath(raw);
  if (Buffer.byteLength(value) > 107) throw refusal(raw, 'must not be longer than 107 bytes');
  return value;
});

/** What a variable may name with full effect: a file, a profile, or the hash of a project's config. */
export const environmentEntry = shaped({type: 'string'}, (raw): string => {
  const value = pathText(raw);
  if (/^[~/]/.test(value)) return plainPath(raw);
  if (/^[\w][\w.-]*$/.test(value)) return value;
  throw refusal(raw, 'must be an absolute path, the name of a profile, or a hash');
});

function withoutWildcards(raw: Raw): string {
  const value = pathText(raw);
  if (/[*?]/.test(value)) throw refusal(raw, 'must be a path', 'patterns do not work here');
  return value;
}

export function pathText(raw: Raw): string {
  const value = text(raw);
  nonEmpty({...raw, value: value.trim()});
  if (value.startsWith('$'))
    throw refusal(raw, 'must be a path', 'variables do not work here; write "~/..."');
  if (/^~[^/]/.test(value))
    throw refusal(raw, 'must be a path', 'only your own home folder can be written as "~/"');
  return value;
}

/** What follows the sign of where a path starts. */
export function withoutStart(value: string): string {
  return value.replace(/^~?\/*/, '');
}

/** The folder that `value` starts from. */
export function startOf(raw: Raw, value: string): string {
  const {folder, home} = raw.source;
  if (value.startsWith('/')) return '/';
  if (value.startsWith('~')) {
    if (home === undefined) throw refusal(raw, 'must be an absolute path', 'HOME is not set');
    return home;
  }
  if (folder === undefined) throw refusal(raw, 'must be an absolute path', 'begin it with "/" or "~/"');
  return folder;
}
