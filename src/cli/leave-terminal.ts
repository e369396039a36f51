import {closeSync, fstatSync} from 'node:fs';
import {processStat} from '../system/process-stat.ts';

/**
 * Closes the terminal before ion exits in the background. At exit Node restores the terminal modes of its start, even from the
 * background. `ion run … &` starts while the shell reads a line, with the terminal in raw mode. An editor or `cat` that uses the
 * terminal at that time would no longer get lines. Node does not touch a closed descriptor.
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
