import {closeSync, constants, openSync, readFileSync, writeSync} from 'node:fs';
import {ReadStream} from 'node:tty';
import {monotonicMs} from '../clock.ts';

/** What was typed; without a line, why there is none. */
export type Typed =
  {readonly line: string} | {readonly line?: undefined; readonly why: 'timed_out' | 'cancelled'};

export interface Terminal {
  /** Show a text and read one line. Anything typed before the text was shown does not count. */
  readLine(text: string, timeoutMs: number): Promise<Typed>;
  close(): void;
}

/** Nobody reads a question in this time: what arrives earlier was typed, or pasted, before it stood there. */
const deafMs = 150;

/**
 * The terminal that controls this process: /dev/tty, not stdin, which is the command's. Undefined without one, in a
 * CI, and in the background, where reading would stop ion.
 */
export function openTerminal(
  environment: Readonly<Record<string, string | undefined>>,
): Terminal | undefined {
  if ((environment['CI'] ?? '') !== '' || inBackground()) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
  return {
    readLine: (text, timeoutMs) => readLine(descriptor, text, timeoutMs),
    close: () => closeSync(descriptor),
  };
}

/** Is another process group in the foreground? Where that can't be told (no /proc), ion takes itself for it. */
function inBackground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group !== foreground;
  } catch {
    return false;
  }
}

function readLine(descriptor: number, text: string, timeoutMs: number): Promise<Typed> {
  return new Promise((resolve) => {
    const input = new ReadStream(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    input.setRawMode(true);
    let line = '';
    const shownAt = monotonicMs();
    const finish = (typed: Typed): void => {
      clearTimeout(timer);
      input.setRawMode(false);
      input.destroy();
      writeSync(descriptor, '\n');
      resolve(typed);
    };
    const timer = setTimeout(() => finish({why: 'timed_out'}), timeoutMs);
    input.on('error', () => finish({why: 'cancelled'}));
    input.on('end', () => finish({why: 'cancelled'}));
    input.on('data', (bytes: Buffer) => {
      if (monotonicMs() - shownAt < deafMs) return;
      for (const key of keysOf(bytes.toString('utf8'))) {
        if (key === 'enter') return finish({line});
        if (key === 'cancel') return finish({why: 'cancelled'});
        const before = line;
        line = key === 'erase' ? line.slice(0, -1) : line + key;
        writeSync(descriptor, line.length > before.length ? key : before === '' ? '' : '\b \b');
      }
    });
    writeSync(descriptor, text);
  });
}

/** The keys of a chunk. Arrows and other sequences are dropped as a whole: their letters are no answer. */
export function keysOf(chunk: string): string[] {
  const keys: string[] = [];
  // eslint-disable-next-line no-control-regex -- keys are control characters
  for (const [key] of chunk.matchAll(/\u001b(?:\[[\d;?]*[ -/]*[@-~]|O.|.)?|[\s\S]/gu)) {
    if (key === '\r' || key === '\n') keys.push('enter');
    else if (key === '\u0003' || key === '\u0004' || key === '\u001b') keys.push('cancel');
    else if (key === '\u007f' || key === '\b') keys.push('erase');
    else if (/^[ -~]$/.test(key)) keys.push(key);
  }
  return keys;
}
