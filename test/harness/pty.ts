import type {Readable, Writable} from 'node:stream';
import headless from '@xterm/headless';
import type {Identity} from './identity.ts';
import {compiled} from './native.ts';
import {until, untilNobodyNames} from './processes.ts';
import {startProgram, type RunSpec} from './run.ts';
import type {Scratch} from './scratch.ts';
import type {Terminal} from './terminal.ts';

export interface PtySpec {
  readonly columns: number;
  readonly rows?: number;
  readonly env?: RunSpec['env'];
  /** The program on the terminal. */
  readonly argv: readonly string[];
}

/** A terminal in this process: a pseudo-terminal, and xterm's own emulator for its screen. It needs no tmux. */
export interface PtyTerminal extends Terminal {
  /** Types bytes as they are. */
  type(text: string): void;
  /** All that was written to the terminal. */
  output(): string;
  /** The lines that have scrolled off the screen, and those on it. */
  scrollback(): string;
  /** The exit code of the program, once it has ended. */
  readonly code: Promise<number | null>;
}

export function openPty(scratch: Scratch, as: Identity, spec: PtySpec): PtyTerminal {
  const {columns, rows = 30, env, argv} = spec;
  const child = startProgram(scratch, [compiled('pty.c'), String(columns), String(rows), ...argv], {
    as,
    ...(env && {env}),
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    buffer: false,
  });
  const [stdin, stdout, , sizes] = child.stdio as unknown as [Writable, Readable, null, Writable];
  const emulator = new headless.Terminal({cols: columns, rows, scrollback: 10_000, allowProposedApi: true});
  let output = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    emulator.write(text);
  });
  // The emulator answers queries as a real terminal does.
  emulator.onData((text) => stdin.write(text));
  for (const stream of [stdin, sizes]) stream.on('error', () => undefined); // the program has ended
  const code = child.then(({exitCode}) => exitCode ?? null);
  let screen: string | undefined;
  emulator.onWriteParsed(() => (screen = undefined));
  const terminal: PtyTerminal = {
    code,
    type: (text) => void stdin.write(text),
    keys: (...keys) => terminal.type(keys.map((key) => sequences[key] ?? key).join('')),
    line: (text) => terminal.type(`${text}\r`),
    output: () => output,
    screen: () => (screen ??= linesFrom(emulator, emulator.buffer.active.baseY)),
    scrollback: () => linesFrom(emulator, 0),
    attributes: () => output,
    async shows(what) {
      const found = (): boolean => {
        const text = terminal.screen();
        return typeof what === 'string' ? text.includes(what) : what.test(text);
      };
      await until(`${String(what)} on the terminal`, found).catch((error: Error) => {
        throw new Error(`${error.message}; it shows:\n${terminal.screen()}`);
      });
    },
    resize(toColumns, toRows) {
      emulator.resize(toColumns, toRows);
      screen = undefined;
      sizes.write(Buffer.from(Uint16Array.of(toColumns, toRows).buffer));
    },
    async close() {
      stdin.end();
      await code;
      emulator.dispose();
      return untilNobodyNames(scratch.root);
    },
  };
  return terminal;
}

/** The rows as text. Rows that the terminal has wrapped are joined. */
function linesFrom({buffer: {active}, rows}: headless.Terminal, from: number): string {
  let text = '';
  for (let at = from; at < active.baseY + rows; at++) {
    const row = active.getLine(at);
    const isContinued = active.getLine(at + 1)?.isWrapped ?? false;
    text += row?.translateToString(!isContinued) ?? '';
    if (!isContinued) text += '\n';
  }
  return text.replace(/\s+$/, (end) => end.replaceAll(/\n+/g, '\n'));
}

/** Keys as tmux names them. */
const sequences: Readonly<Record<string, string>> = {
  Enter: '\r',
  Tab: '\t',
  BTab: '\u001b[Z',
  Escape: '\u001b',
  Up: '\u001b[A',
  Down: '\u001b[B',
  Right: '\u001b[C',
  Left: '\u001b[D',
  Home: '\u001b[H',
  End: '\u001b[F',
  Delete: '\u001b[3~',
  BSpace: '\u007f',
  ...Object.fromEntries(
    'abcdefghijklmnopqrstuvwxyz'
      .split('')
      .map((letter) => [`C-${letter}`, String.fromCharCode(letter.charCodeAt(0) - 96)]),
  ),
};
