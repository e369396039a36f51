import {chmodSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';

/**
 * Remove a folder and all that is in it, whatever a command has left there. Throws what the file system says. `maxRetries`: for
 * where somebody may still be creating a file.
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

/** A command may leave folders that not even their owner can look into. */
function openFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, {withFileTypes: true})) {
    if (entry.isDirectory()) openFolders(path.join(folder, entry.name));
  }
}
