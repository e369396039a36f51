import {lstatSync, readFileSync, readdirSync, readlinkSync} from 'node:fs';
import path from 'node:path';

/** One line for each file below `folder`: type, mode, owner, mtime, content. Files below `except` are left out. */
export function snapshot(folder: string, except: readonly string[] = []): string[] {
  return [describe(folder), ...below(folder, except)].sort();
}

function below(folder: string, except: readonly string[]): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    if (except.includes(file)) return [];
    const isFolder = lstatSync(file).isDirectory();
    return [describe(file), ...(isFolder ? below(file, except) : [])];
  });
}

/** Times of folders are left out: ion's own files in home (the audit log) change them. */
function describe(file: string): string {
  const info = lstatSync(file);
  const common = `${file} ${info.mode.toString(8)} ${info.uid}:${info.gid}`;
  if (info.isSymbolicLink()) return `${common} -> ${readlinkSync(file)}`;
  if (!info.isFile()) return common;
  return `${common} ${info.mtimeMs} ${info.nlink} ${readFileSync(file, 'base64')}`;
}
