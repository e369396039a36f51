import {lstatSync, readdirSync, readlinkSync, type BigIntStats} from 'node:fs';
import path from 'node:path';

const mostEntries = 500;

/**
 * What a file, or a folder with all that is in it, is by identity: any write, replacement or change of mode gives another
 * text. Looks at no contents and follows no link; of a folder with very many entries at the first ones.
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

/** Without one: why. */
function lookAt(file: string): BigIntStats | string {
  try {
    return lstatSync(file, {bigint: true, throwIfNoEntry: false}) ?? 'absent';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code); // its folder is closed
  }
}

/** A folder's own times change with every temporary file in it: its entries say what matters. */
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
