import {widthOf, type Frame, type Span, type Style} from './draw.ts';

/** The state of the screen: the widths of its rows, and the cursor. */
export interface Drawn {
  readonly widths: readonly number[];
  readonly cursor: Frame['cursor'];
}

export const nothingDrawn: Drawn = {widths: [0], cursor: {row: 0, column: 0}};

const escape = '\u001b[';

const codes: Readonly<Record<Style, string>> = {
  prompt: `${escape}1m`,
  faint: `${escape}2m`,
  status: `${escape}7m`,
  chosen: `${escape}7m`,
};

/** Replaces the drawn rows by the frame. Pure: returns what to write. */
export function redraw(
  drawn: Drawn,
  frame: Frame,
  look: {columns: number; colors: boolean},
): {text: string; drawn: Drawn} {
  const {row, column} = frame.cursor;
  const rows = frame.rows.map((spans) => spans.map((span) => painted(span, look.colors)).join(''));
  const up = frame.rows.length - 1 - row;
  const text = [
    erase(drawn, look.columns),
    rows.join('\r\n'),
    up > 0 ? `${escape}${up}A` : '',
    '\r',
    column > 0 ? `${escape}${column}C` : '',
  ].join('');
  const widths = frame.rows.map((spans) => spans.reduce((sum, span) => sum + widthOf(span.text), 0));
  return {text, drawn: {widths, cursor: frame.cursor}};
}

/**
 * Moves to the first row and clears from there. After a change of width, terminals break rows that have become too wide: the
 * rows above the cursor are counted as they are now.
 */
export function erase({widths, cursor}: Drawn, columns: number): string {
  const above = widths
    .slice(0, cursor.row)
    .reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
  const up = above + Math.floor(cursor.column / columns);
  return `${up > 0 ? `${escape}${up}A` : ''}\r${escape}J`;
}

function painted({text, style}: Span, colors: boolean): string {
  return style && colors && text !== '' ? `${codes[style]}${text}${escape}0m` : text;
}
