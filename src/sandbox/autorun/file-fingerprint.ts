import {lstatSync, readdirSync, readlinkSync, type BigIntStats} from 'node:fs';
import path from 'node:path';

const mostEntries = 500;

/**
 * Identifies a file, or a folder with everything in it: any write, replacement or change of mode gives another text. Reads no
 * contents and follows no link. It covers only the first entries of a very large folder.
 */
export function fingerprint(file: string): string {
  const lines: string[] = [];
  add(file, lines);
  return lines.join('\n');
}

function add(file: string, lines: string[]): void {
  if (lines.length >= mostEntries) return;
  const info = lookAt(file);
  if (typeof info === 'string') {
    lines.push(`${file} ${info}`);
    return;
  }
  lines.push(`${file} ${describe(file, info)}`);
  if (!info.isDirectory()) return;
  for (const name of namesIn(file)) add(path.join(file, name), lines);
}

/** The error code when the file cannot be read. */
function lookAt(file: string): BigIntStats | string {
  try {
    return lstatSync(file, {bigint: true, throwIfNoEntry: false}) ?? 'absent';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code); // the folder is not readable
  }
}

/** A folder's own times change with every temporary file in it, so only its entries count. */
function describe(file: string, info: BigIntStats): string {
  const identity = `${info.dev}:${info.ino} ${info.mode}`;
  if (info.isDirectory()) return identity;
  if (info.isSymbolicLink()) return `${identity} ${readlinkSync(file)}`;
  return `${identity} ${info.size} ${info.mtimeNs} ${info.ctimeNs}`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
