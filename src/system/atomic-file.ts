import {closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync} from 'node:fs';

/** Whole or not at all: a new file beside it, on the disk unless `sync` is false, then renamed over it. */
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
