import {closeSync, fstatSync} from 'node:fs';
import {processStat} from '../system/process-stat.ts';

/**
 * At its exit Node puts the terminal back as it was at its start, from the background too. `ion run … &` in a shell starts while the
 * shell reads a line, with the terminal raw: an editor, or `cat`, that has the terminal by now would get no line any more.
 * What is closed it leaves alone.
 */
export function leaveTerminal(): void {
  const stat = processStat();
  if (!stat || stat.terminal === '0' || stat.group === stat.foreground) return;
  for (const stream of [0, 1, 2]) if (isDevice(stream)) closeSync(stream);
}

function isDevice(stream: number): boolean {
  try {
    return fstatSync(stream).isCharacterDevice();
  } catch {
    return false; // closed already
  }
}
