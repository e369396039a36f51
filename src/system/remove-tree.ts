import {chmodSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';

/**
 * Removes a folder and everything in it, even folders without permissions that a command left. Throws the file system's error.
 * `maxRetries`: for a folder in which another process may still create files.
 */
export function removeTree(folder: string, maxRetries = 0): void {
  const options = {recursive: true, force: true, maxRetries};
  try {
    rmSync(folder, options);
  } catch {
    openFolders(folder);
    rmSync(folder, options);
  }
}

/** A command may leave folders that even their owner cannot read. */
function openFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, {withFileTypes: true})) {
    if (entry.isDirectory()) openFolders(path.join(folder, entry.name));
  }
}
