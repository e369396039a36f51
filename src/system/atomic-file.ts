import {closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync} from 'node:fs';

/**
 * Replaces the file as a whole, or not at all: writes a new file beside it, syncs it to disk (unless `sync` is false) and
 * renames it.
 */
export function replaceFile(file: string, text: string, {sync = true} = {}): void {
  const fresh = `${file}.${process.pid}.new`;
  rmSync(fresh, {force: true});
  const descriptor = openSync(fresh, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    if (sync) fsyncSync(descriptor);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, {force: true});
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
