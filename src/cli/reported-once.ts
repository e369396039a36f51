import {createHash} from 'node:crypto';
import {closeSync, lstatSync, mkdirSync, openSync, writeSync} from 'node:fs';
import path from 'node:path';
import type {Ignored} from '../config/settings.ts';

/**
 * Reports whether this reader has not yet seen these ignored settings of an untrusted project. Remembered by a file whose name is a
 * hash of the reader, the workspace (its real path) and the settings with their values, below `~/.ion`, where no sandboxed process can write. Their
 * lines do not count: another comment above them is no new content. What cannot be remembered is said every time.
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
