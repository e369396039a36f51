import {closeSync, constants, openSync} from 'node:fs';
import {WriteStream} from 'node:tty';
import {writeFully} from './write-fully.ts';
import type {Size} from '../line/draw.ts';

/** The controlling terminal, for the prompt's own output. */
export interface TerminalDevice {
  write(text: string): void;
  size(): Size;
  close(): void;
}

const usual: Size = {rows: 24, columns: 80};

/** Undefined: this process has no controlling terminal. */
export function openTerminalDevice(): TerminalDevice | undefined {
  let descriptor: number;
  try {
    descriptor = openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
  return {
    write: (text) => writeFully(descriptor, text),
    size: sizeOfTerminal,
    close: () => closeSync(descriptor),
  };
}

function sizeOfTerminal(): Size {
  const output = new WriteStream(openSync('/dev/tty', constants.O_WRONLY | constants.O_NOCTTY));
  try {
    const [columns, rows] = output.getWindowSize();
    return {rows: rows || usual.rows, columns: columns || usual.columns};
  } catch {
    return usual;
  } finally {
    output.destroy();
  }
}
