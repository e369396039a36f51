import {closeSync, constants, openSync, writeSync} from 'node:fs';
import {ReadStream, WriteStream} from 'node:tty';
import type {Size} from './fitted.ts';
import {safeLines} from '../../errors.ts';
import {processStat} from '../../system/process-stat.ts';
import {takeTurn} from './turn.ts';

/** What was typed; without a line, why there is none. */
export type Typed =
  {readonly line: string} | {readonly line?: undefined; readonly why: 'timed_out' | 'cancelled'};

/** Why a line is no answer, and what to show before it is asked for again; undefined for an answer. */
export type Refuse = (line: string) => string | undefined;

export interface Terminal {
  /**
   * Show a text and read one line, once no other question stands on this terminal: then the text is asked for, and the time
   * begins. Nothing counts that was typed before the text stood there and the keys were silent for a while.
   */
  readLine(text: (size: Size) => string, timeoutMs: number, refuse?: Refuse): Promise<Typed>;
  /** A line of ion's own, where the question stood. */
  say(text: string): void;
  /** Nobody is asked any more: a question that stands, or waits for its turn, is cancelled, and each after it. */
  cancel(): void;
  close(): void;
}

/** Who asks; below `home` lies the lock that keeps two questions apart. */
export interface Caller {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string | undefined;
}

/**
 * A person stops typing to read. Until nothing has arrived for this long, whatever arrives was typed, or pasted, without a look at the
 * question; a machine that is held up only makes the silence longer.
 */
const silenceMs = 250;
/** Far longer than the kernel takes to stop a process group. */
const stopMs = 100;

/**
 * The terminal that controls this process: /dev/tty, not stdin, which is the command's. Undefined without one, in a
 * CI, and in the background, where reading would stop ion.
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
    readLine: (text, timeoutMs, refuse = () => undefined) =>
      readLine({descriptor, environment, home, text, timeoutMs, refuse, cancelled: cancelled.signal}),
    say: (text) => {
      try {
        writeSync(descriptor, `${safeLines(text)}\n`);
      } catch {
        // It has hung up.
      }
    },
    cancel: () => cancelled.abort(),
    close: () => closeSync(descriptor),
  };
}

/** Is another process group in the foreground? Where that can't be told (no /proc), ion takes itself for it. */
function inBackground(): boolean {
  const stat = processStat();
  return stat !== undefined && stat.group !== stat.foreground;
}

interface Reading extends Caller {
  readonly descriptor: number;
  readonly text: (size: Size) => string;
  readonly timeoutMs: number;
  readonly refuse: Refuse;
  readonly cancelled: AbortSignal;
}

/** Cancelled, it does not wait for its turn. */
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
  }
}

/**
 * What Ctrl-Z does where a terminal is not raw: it stops the process group. Who is not stopped (nobody could continue an
 * orphaned group) goes on; who is continued in the background is stopped again.
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
        // It has hung up.
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
        // After a look at what has arrived: an ion that was held up until now reads it only then.
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
 * A program that ran before may have left the terminal so that nobody sees what is written: in the middle of a sequence,
 * concealed, in another character set, in a scroll region or on another screen. What follows stands on a line of its own
 * below all else. (CAN and ST end a sequence, 2026 holds back what is drawn, 6 and 69 move the origin, 4 inserts.)
 */
const readable = [
  '\u0018\u001b\\',
  '\u001b[?2026l\u001b[?1049l',
  '\u001b[0m\u000f\u001b(B',
  '\u001b[4l\u001b[?6l\u001b[?69l\u001b[r\u001b[?25h\u001b[?7h',
  '\u001b[9999;1H\r\n',
].join('');

/** What a terminal has at least, nearly everywhere. */
const usual: Size = {rows: 24, columns: 80};
/** For our marks and some text behind them. */
const minColumns = 20;

/** A size is what the last program on the terminal said it is: believed only where it leaves less room than usual. */
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

/** The keys of a chunk. Arrows and other sequences are dropped as a whole: their letters are no answer. */
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

/** Ctrl-C, Ctrl-\ and Ctrl-D are no answer, and Ctrl-Z is for later: in raw mode they are keys like others. */
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
