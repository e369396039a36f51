import path from 'node:path';
import {refusal, shaped, type Raw} from './raw.ts';
import {pattern as nonEmpty, text} from './scalars.ts';

/**
 * Paths in config become absolute when they are read, so that all code compares the same paths. `~` is the home
 * folder. A relative path of a project file starts at the folder that holds its `.ion`.
 */

/** A folder or file. Patterns are refused. */
export const plainPath = shaped({type: 'string'}, (raw): string => {
  const value = withoutWildcards(raw);
  return path.posix.resolve('/', startOf(raw, value), withoutStart(value));
});

/** An absolute path, or a path in the workspace, which stays relative. */
export const workspacePath = shaped({type: 'string'}, (raw): string => {
  const value = withoutWildcards(raw);
  if (/^[~/]/.test(value)) return plainPath(raw);
  if (value.split('/').includes('..')) throw refusal(raw, 'must be a path in the workspace');
  return path.posix.normalize(value).replace(/(?<=.)\/$/, '');
});

/** A socket that commands may connect to. The kernel's address holds 107 bytes of path. */
export const socketPath = shaped({type: 'string'}, (raw): string => {
  if (!/^[~/]/.test(pathText(raw))) throw refusal(raw, 'must be an absolute path');
  const value = plainPath(raw);
  if (Buffer.byteLength(value) > 107) throw refusal(raw, 'must not be longer than 107 bytes');
  return value;
});

/**
 * A value that a variable of the environment may have with full effect: a file, a profile, or the hash of a project's
 * config.
 */
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

/** The value without the `/` or `~/` at its start. */
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
