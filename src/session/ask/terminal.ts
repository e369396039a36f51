import {closeSync, constants, openSync, writeSync} from 'node:fs';
import {ReadStream, WriteStream} from 'node:tty';
import type {Size} from './fitted.ts';
import {safeLines} from '../../errors.ts';
import {processStat} from '../../system/process-stat.ts';
import {takeTurn} from './turn.ts';

/** The line that was typed, or why there is none. */
export type Typed =
  {readonly line: string} | {readonly line?: undefined; readonly why: 'timed_out' | 'cancelled'};

/** The text to show before ion asks again, after a line that is not an answer. Undefined for an answer. */
export type Refuse = (line: string) => string | undefined;

export interface Terminal {
  /**
   * Shows a text and reads one line, once no other question is open on this terminal. Only then the text is made and
   * the time starts. Input does not count until the text is shown and the keys have been silent for a while. After Ctrl-Z
   * the text is shown again, once `beforeAgain` has resolved.
   */
  readLine(
    text: (size: Size) => string,
    timeoutMs: number,
    refuse?: Refuse,
    beforeAgain?: () => Promise<void>,
  ): Promise<Typed>;
  /** Shows a line of ion's own on the terminal of the question. */
  say(text: string): void;
  /** Cancels a question that is open or waits for its turn, and every later one. */
  cancel(): void;
  close(): void;
}

/** The process that asks. A lock below `home` keeps two questions from being open on one terminal. */
export interface Caller {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string | undefined;
}

/**
 * People stop typing to read. Input counts only after this many milliseconds of silence. The user typed or pasted earlier input
 * before the question was visible. A slow machine only makes the silence longer.
 */
const silenceMs = 250;
/** Far longer than the kernel takes to stop a process group. */
const stopMs = 100;

/**
 * The controlling terminal of this process: /dev/tty. Not stdin, which belongs to the command. Undefined without one,
 * in CI, and in the background, where reading would stop ion.
 */
export function openTerminal({environment, home}: Caller): Terminal | undefined {
  if ((environment['CI'] ?? '') !== '' || inBackground()) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
  const cancelled = new AbortController();
  return {
    readLine: (text, timeoutMs, refuse = () => undefined, beforeAgain = () => Promise.resolve()) =>
      readLine({
        ...{descriptor, environment, home, text, timeoutMs, refuse, beforeAgain},
        cancelled: cancelled.signal,
      }),
    say: (text) => {
      try {
        writeSync(descriptor, `${safeLines(text)}\n`);
      } catch {
        // The terminal has hung up.
      }
    },
    cancel: () => cancelled.abort(),
    close: () => closeSync(descriptor),
  };
}

/**
 * Reports whether another process group is in the foreground. Where that is unknown (no /proc), ion assumes that it
 * is in the foreground itself.
 */
function inBackground(): boolean {
  const stat = processStat();
  return stat !== undefined && stat.group !== stat.foreground;
}

interface Reading extends Caller {
  readonly descriptor: number;
  readonly text: (size: Size) => string;
  readonly timeoutMs: number;
  readonly refuse: Refuse;
  readonly beforeAgain: () => Promise<void>;
  readonly cancelled: AbortSignal;
}

/** Reads a line. If cancelled, it does not wait for its turn. */
function readLine(reading: Reading): Promise<Typed> {
  const {cancelled} = reading;
  const end = new Promise<Typed>((resolve) => {
    if (cancelled.aborted) resolve({why: 'cancelled'});
    cancelled.addEventListener('abort', () => resolve({why: 'cancelled'}));
  });
  return Promise.race([readInTurn(reading), end]);
}

async function readInTurn(reading: Reading): Promise<Typed> {
  for (;;) {
    const endTurn = await takeTurn(reading.home);
    try {
      const typed = await readOnce(reading);
      if (typed !== 'stopped') return typed;
    } finally {
      endTurn();
    }
    await stop();
    await reading.beforeAgain();
  }
}

/**
 * Does what Ctrl-Z does on a terminal that is not raw: stops the process group. If the group does not stop (an
 * orphaned one could never be continued), ion goes on. If it is continued in the background, it stops again.
 */
async function stop(): Promise<void> {
  do {
    process.kill(0, 'SIGTSTP');
    await new Promise((resolve) => setTimeout(resolve, stopMs));
  } while (inBackground());
}

function readOnce({
  descriptor,
  environment,
  text,
  timeoutMs,
  refuse,
  cancelled,
}: Reading): Promise<Typed | 'stopped'> {
  return new Promise((resolve) => {
    if (cancelled.aborted) return resolve({why: 'cancelled'});
    const input = new ReadStream(openSync('/dev/tty', constants.O_RDONLY | constants.O_NOCTTY));
    input.setRawMode(true);
    let line = '';
    const finish = (typed: Typed | 'stopped'): void => {
      clearTimeout(timer);
      clearTimeout(silence);
      cancelled.removeEventListener('abort', cancel);
      try {
        input.setRawMode(false);
        writeSync(descriptor, '\r\n');
      } catch {
        // The terminal has hung up.
      }
      input.destroy();
      resolve(typed);
    };
    const cancel = (): void => finish({why: 'cancelled'});
    cancelled.addEventListener('abort', cancel);
    const timer = setTimeout(() => finish({why: 'timed_out'}), timeoutMs);
    input.on('error', cancel);
    input.on('end', cancel);
    const shown = safeLines(text(sizeOfTerminal())).replaceAll('\n', '\r\n');
    writeSync(descriptor, `${environment['TERM'] === 'dumb' ? '' : readable}${shown}`);
    let deaf = true;
    let arrived = 0;
    let silence: NodeJS.Timeout | undefined;
    const waitForSilence = (): void => {
      clearTimeout(silence);
      deaf = true;
      silence = setTimeout(() => {
        const before = arrived;
        // Checks after pending input is read: if ion was delayed, it reads that input only now.
        setImmediate(() => {
          if (arrived === before) deaf = false;
        });
      }, silenceMs);
    };
    waitForSilence();
    const again = (why: string): void => {
      line = '';
      writeSync(descriptor, `\r\n${safeLines(why).replaceAll('\n', '\r\n')}`);
      waitForSilence();
    };
    input.on('data', (bytes: Buffer) => {
      arrived += bytes.length;
      if (deaf) return waitForSilence();
      for (const key of keysOf(bytes.toString('utf8'))) {
        if (key === 'enter') {
          const why = refuse(line);
          return why === undefined ? finish({line}) : again(why);
        }
        if (key === 'cancel') return finish({why: 'cancelled'});
        if (key === 'stop') return finish('stopped');
        const before = line;
        line = key === 'erase' ? line.slice(0, -1) : line + key;
        writeSync(descriptor, line.length > before.length ? key : before === '' ? '' : '\b \b');
      }
    });
  });
}

/**
 * Makes text visible again. An earlier program may have left the terminal in a state in which nothing is: within an
 * escape sequence, concealed, in another character set, in a scroll region or on another screen. After this, text
 * starts on a line of its own below everything else. (CAN and ST end a sequence, 2026 delays drawing, 6 and 69 move
 * the origin, 4 inserts.)
 */
const readable = [
  '\u0018\u001b\\',
  '\u001b[?2026l\u001b[?1049l',
  '\u001b[0m\u000f\u001b(B',
  '\u001b[4l\u001b[?6l\u001b[?69l\u001b[r\u001b[?25h\u001b[?7h',
  '\u001b[9999;1H\r\n',
].join('');

/** Nearly every terminal is at least this large. */
const usual: Size = {rows: 24, columns: 80};
/** Room for ion's marks and some text after them. */
const minColumns = 20;

/** Returns the terminal's size, but at most the usual one: the last program on the terminal may have set it too large. */
function sizeOfTerminal(): Size {
  const output = new WriteStream(openSync('/dev/tty', constants.O_WRONLY | constants.O_NOCTTY));
  try {
    const [columns, rows] = output.getWindowSize();
    return {
      rows: Math.min(rows || usual.rows, usual.rows),
      columns: Math.max(minColumns, Math.min(columns || usual.columns, usual.columns)),
    };
  } catch {
    return usual;
  } finally {
    output.destroy();
  }
}

/**
 * The keys of a chunk. Arrows and other sequences are dropped as a whole, because their letters are not an answer.
 */
export function keysOf(chunk: string): string[] {
  const keys: string[] = [];
  // eslint-disable-next-line no-control-regex -- keys are control characters
  for (const [key] of chunk.matchAll(/\u001b(?:\[[\d;?]*[ -/]*[@-~]|O.|.)?|[\s\S]/gu)) {
    const name = Object.hasOwn(names, key) ? names[key] : undefined;
    if (name !== undefined) keys.push(name);
    else if (/^[ -~]$/.test(key)) keys.push(key);
  }
  return keys;
}

/**
 * In raw mode, Ctrl-C, Ctrl-\, Ctrl-D and Ctrl-Z arrive as keys. The first three cancel the question. Ctrl-Z
 * postpones it.
 */
const names: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u0003': 'cancel',
  '\u0004': 'cancel',
  '\u001c': 'cancel',
  '\u001b': 'cancel',
  '\u001a': 'stop',
  '\u007f': 'erase',
  '\b': 'erase',
};
