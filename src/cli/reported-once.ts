import {createHash} from 'node:crypto';
import {closeSync, lstatSync, mkdirSync, openSync, writeSync} from 'node:fs';
import path from 'node:path';
import type {Ignored} from '../config/settings.ts';

/**
 * Is this the first time that somebody at a terminal hears what an untrusted project would loosen? Remembered by a file
 * whose name is a hash, per workspace (its real path) and per the very text that is said, below `~/.ion`, where nothing
 * that is sandboxed can write. What can't be remembered is said every time.
 */
export function isNews(home: string | undefined, workspace: string, ignored: readonly Ignored[]): boolean {
  if (!home || ignored.length === 0) return true;
  const hash = createHash('sha256')
    .update(JSON.stringify([workspace, ignored]))
    .digest('hex');
  const folder = path.join(home, '.ion', 'told');
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
