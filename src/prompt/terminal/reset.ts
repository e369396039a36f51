/**
 * Undoes what a command may have left: an unfinished escape sequence, attributes, another character set, a scroll region, the
 * alternate screen, a hidden cursor, reports of the mouse and of focus, other key codes (kitty's too, up to 99 times), a keyboard
 * that is locked, local echo. The cursor stays where it is: the
 * origin mode, whose reset would move it, has no effect without a scroll region.
 */
export const terminalReset = [
  '\u0018\u001b\\',
  '\u001b[?2026l\u001b[?47l',
  '\u001b[0m\u000f\u001b(B\u001b[4l\u001b[?69l',
  '\u001b7\u001b[r\u001b8\u001b[0m',
  '\u001b[?25h\u001b[?7h\u001b[?1l\u001b>\u001b[2l\u001b[12h\u001b[<99u',
  '\u001b[?9l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[>4m',
].join('');

export const pasteOn = '\u001b[?2004h';
export const pasteOff = '\u001b[?2004l';

/**
 * Begins a new row if the output of a command did not end with a line break: a mark, and blanks for a whole row. If the cursor is
 * in the first column, the blanks end in the same row, and the mark is cleared with the row. Elsewhere the mark stays, as in zsh.
 */
export function freshRow(columns: number, colors: boolean): string {
  const mark = colors ? '\u001b[7m%\u001b[0m' : '%';
  return `${mark}${' '.repeat(Math.max(0, columns - 1))}\r \r\u001b[J`;
}
