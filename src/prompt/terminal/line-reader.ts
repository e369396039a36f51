import {withoutControls} from '../../errors.ts';
import type {Completed} from '../completion/complete.ts';
import {listing} from '../completion/listing.ts';
import {edit, newEditor, type EditContext, type Editor} from '../line/editor.ts';
import {cutTo, draw, shown, type Drawing, type Span} from '../line/draw.ts';
import type {Key} from '../line/decode-keys.ts';
import {graphemes} from '../line/text-motion.ts';
import {erase, nothingDrawn, redraw} from '../line/screen.ts';
import {statusLine, type Status} from '../line/status-line.ts';
import {openKeyQueue} from './key-queue.ts';
import {openRawInput} from './raw-input.ts';
import {freshRow, pasteOff, pasteOn, terminalReset} from './reset.ts';
import type {TerminalDevice} from './terminal-device.ts';

/** The input: a line, Ctrl-C, Ctrl-D on an empty line, or the end because the terminal has hung up. */
export type Line =
  | {readonly kind: 'line'; readonly text: string}
  | {readonly kind: 'cancel'}
  | {readonly kind: 'end' | 'gone'};

export interface LineRequest extends EditContext {
  /** Computed anew after a change of mode. */
  readonly prompt: (columns: number) => string;
  readonly status: () => Status;
  readonly complete: (text: string, cursor: number) => Promise<Completed>;
  /** Aborted when ion ends. */
  readonly ended: AbortSignal;
  /** Goes to the next mode. Returns a problem to show. */
  readonly nextMode: () => Promise<string | undefined>;
}

export interface LineReader {
  read(request: LineRequest): Promise<Line>;
}

const continued = '> ';

/** Reads lines on a terminal with cursor movement. `colors`: with attributes. */
export function openLineReader(terminal: TerminalDevice, colors: boolean): LineReader {
  /** Keys that were typed after the line, and read with it. */
  let ahead: readonly Key[] = [];
  return {
    async read(request) {
      const begun = ahead;
      ahead = [];
      const {line, left} = await readLine(terminal, request, {colors, begun});
      ahead = left;
      return line;
    },
  };
}

interface Reading {
  readonly colors: boolean;
  readonly begun: readonly Key[];
}

interface Read {
  readonly line: Line;
  readonly left: readonly Key[];
}

async function readLine(
  terminal: TerminalDevice,
  request: LineRequest,
  {colors, begun}: Reading,
): Promise<Read> {
  let editor: Editor = newEditor;
  let drawn = nothingDrawn;
  let below: readonly (readonly Span[])[] = [];
  const show = (): void => {
    const size = terminal.size();
    const status = statusLine(request.status(), size.columns);
    const drawing = {
      ...drawingOf(editor, request, size.columns),
      below: [...below, ...(status ? [status] : [])],
    };
    const next = redraw(drawn, draw(drawing, size), {columns: size.columns, colors});
    drawn = next.drawn;
    terminal.write(next.text);
  };
  /** The line stays in the scrollback. The rows below it do not. */
  const leave = (text: string | undefined): void => {
    const rows = text === undefined ? '' : scrollbackText(request.prompt(terminal.size().columns), text);
    terminal.write(`${erase(drawn, terminal.size().columns)}${rows}${pasteOff}`);
  };
  const input = openRawInput();
  terminal.write(terminalReset + freshRow(terminal.size().columns, colors) + pasteOn);
  const keys = openKeyQueue(input, begun, request.ended);
  const onResize = (): void => show();
  process.on('SIGWINCH', onResize);
  try {
    show();
    for await (const key of keys) {
      below = [];
      const {editor: next, effect} = edit(editor, key, request);
      editor = next;
      if (effect === 'submit' || effect === 'cancel') {
        leave(`${editor.text}${effect === 'cancel' ? '^C' : ''}`);
        const line: Line = effect === 'submit' ? {kind: 'line', text: editor.text} : {kind: 'cancel'};
        return {line, left: keys.rest()};
      }
      if (effect === 'end') {
        leave(undefined);
        return {line: {kind: 'end'}, left: []};
      }
      if (effect === 'bell') terminal.write('\u0007');
      if (effect === 'clear') {
        terminal.write('\u001b[H\u001b[2J');
        drawn = nothingDrawn;
      }
      if (effect === 'next-mode') below = noticeRow(await request.nextMode(), terminal.size().columns);
      if (effect === 'complete') {
        const {text, cursor, candidates} = await request.complete(editor.text, editor.cursor);
        if (text === editor.text && candidates.length === 0) terminal.write('\u0007');
        editor = {...editor, text, cursor};
        below = listing(candidates, terminal.size());
      }
      if (!keys.isWaiting()) show();
    }
    leave(undefined);
    return {line: {kind: 'gone'}, left: []};
  } finally {
    process.removeListener('SIGWINCH', onResize);
    keys.close();
    input.close();
  }
}

/** The line as it stays in the scrollback. The terminal wraps it, so that it can be copied. */
function scrollbackText(prompt: string, text: string): string {
  const lines = text.split('\n').map((line) => graphemes(line).map(shown).join(''));
  return `${prompt}${lines.join(`\r\n${continued}`)}\r\n`;
}

function drawingOf(editor: Editor, request: LineRequest, columns: number): Omit<Drawing, 'below'> {
  const {search} = editor;
  if (!search) return {prompt: request.prompt(columns), continued, text: editor.text, cursor: editor.cursor};
  const text = search.found === undefined ? '' : request.history[search.found]!;
  const failed = search.found === undefined && search.query !== '' ? 'not found: ' : '';
  return {
    prompt: `(${failed}${search.query.length > 40 ? '…' : ''}${search.query.slice(-40)}) `,
    continued,
    text,
    cursor: Math.max(0, text.indexOf(search.query)),
  };
}

function noticeRow(problem: string | undefined, columns: number): readonly (readonly Span[])[] {
  return problem === undefined ? [] : [[{text: cutTo(withoutControls(problem), columns - 1)}]];
}
