import {createHash} from 'node:crypto';
import {closeSync, lstatSync, mkdirSync, openSync, writeSync} from 'node:fs';
import path from 'node:path';
import type {Ignored} from '../config/settings.ts';

/**
 * Reports whether this reader has not yet seen these ignored settings of an untrusted project. ion remembers this in a file below
 * `~/.ion`, where nothing sandboxed can write. Its name is a hash of the reader, the workspace (its real path) and the settings
 * with their values. Line numbers are left out: a comment added above a setting is not new content. If it cannot be remembered,
 * it is reported every time.
 */
export function isNews(
  home: string | undefined,
  workspace: string,
  {reader, ignored}: {readonly reader: string; readonly ignored: readonly Ignored[]},
): boolean {
  if (!home || ignored.length === 0) return true;
  const content = ignored.map(({key, written, value, why, origin}) => [
    key,
    written ?? value,
    why,
    origin.file,
  ]);
  const hash = createHash('sha256')
    .update(JSON.stringify([reader, workspace, content]))
    .digest('hex');
  const folder = path.join(home, '.ion', 'reported');
  try {
    if (isLink(path.dirname(folder)) || isLink(folder)) return true;
    mkdirSync(folder, {recursive: true, mode: 0o700});
  } catch {
    return true;
  }
  try {
    const descriptor = openSync(path.join(folder, hash), 'wx', 0o600);
    writeSync(descriptor, `${JSON.stringify(workspace)}\n`);
    closeSync(descriptor);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

function isLink(file: string): boolean {
  return lstatSync(file, {throwIfNoEntry: false})?.isSymbolicLink() === true;
}
