import stringWidth from 'string-width';
import {withoutControls} from '../../errors.ts';
import {graphemes} from './text-motion.ts';

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Text with the attribute in which it is shown. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Style = 'prompt' | 'faint' | 'status' | 'chosen';

/** The text on the screen: rows that are narrower than the terminal, and the cursor's position in them. */
export interface Frame {
  readonly rows: readonly (readonly Span[])[];
  readonly cursor: {readonly row: number; readonly column: number};
}

export interface Drawing {
  /** Before the first row, and before each further line of the text. */
  readonly prompt: string;
  readonly continued: string;
  readonly text: string;
  /** An offset in `text`. */
  readonly cursor: number;
  /** Rows below the text, already fitted: completions and the status line. */
  readonly below: readonly (readonly Span[])[];
}

export function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** The text, cut so that it is at most this wide. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [cut, left] = ['', width - 1];
  for (const one of graphemes(text)) {
    left -= widthOf(one);
    if (left < 0) break;
    cut += one;
  }
  return width > 0 ? `${cut}…` : '';
}

/** The form in which a character of the line is shown. Invisible and reordering characters are spelled out. */
export function shown(grapheme: string): string {
  return withoutControls(grapheme);
}

/**
 * Breaks the line into rows itself: the last column stays empty, so no terminal wraps a row, and ion knows how many rows there
 * are. If they are more than the terminal has, those around the cursor are shown. Pure.
 */
export function draw(drawing: Drawing, {rows, columns}: Size): Frame {
  const width = Math.max(2, columns - 1);
  const {lines, cursor} = wrapped(drawing, width);
  const below = drawing.below.slice(0, Math.max(0, rows - Math.min(lines.length, rows - 1) - 1));
  const room = Math.max(1, rows - 1 - below.length);
  const first = Math.max(0, Math.min(cursor.row - Math.floor(room / 2), lines.length - room));
  const visible = lines.length <= room ? lines : lines.slice(first, first + room);
  const row = lines.length <= room ? cursor.row : cursor.row - first;
  return {rows: [...visible, ...below], cursor: {row, column: cursor.column}};
}

function wrapped(
  {prompt, continued, text, cursor}: Drawing,
  width: number,
): {lines: Span[][]; cursor: Frame['cursor']} {
  const room = Math.max(1, Math.floor(width / 2));
  const lines: Span[][] = [];
  let [line, column] = ['', 0];
  const begin = (mark: string): void => {
    const head = cutTo(mark, room);
    lines.push([{text: head, style: 'prompt'}]);
    [line, column] = ['', widthOf(head)];
  };
  const finish = (): void => {
    if (line !== '') lines.at(-1)!.push({text: line});
  };
  const wrapFor = (needed: number): void => {
    if (column + needed <= width) return;
    finish();
    lines.push([]);
    [line, column] = ['', 0];
  };
  let place: Frame['cursor'] | undefined;
  let at = 0;
  begin(prompt);
  for (const one of graphemes(text)) {
    if (one !== '\n') {
      for (const character of fittedTo(shown(one), width)) {
        wrapFor(widthOf(character));
        if (at === cursor) place ??= {row: lines.length - 1, column};
        line += character;
        column += widthOf(character);
      }
    } else {
      if (at === cursor) place ??= {row: lines.length - 1, column};
      finish();
      begin(continued);
    }
    at += one.length;
  }
  if (!place) {
    if (column >= width) wrapFor(1);
    place = {row: lines.length - 1, column};
  }
  finish();
  return {lines, cursor: place};
}

/** A character that is spelled out may be wider than a row. */
function fittedTo(text: string, width: number): readonly string[] {
  return widthOf(text) <= width && text.length < 3
    ? [text]
    : graphemes(text).map((one) => (widthOf(one) > width ? '?' : one));
}
