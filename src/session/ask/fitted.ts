/** Of a terminal, in characters. */
export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Rows that stand below one another on a terminal, none of them wrapped by it. */
export interface Fitted {
  readonly rows: readonly string[];
  /** Something in the middle is not shown. */
  readonly cut: boolean;
}

const mark = '  | ';
const continued = '  : ';

/**
 * Lines of text from outside, escaped already, in at most `maxRows` rows, each behind a mark of ours. What does not fit is left out of the middle,
 * and that is said: what a command does stands at either end, and its beginning must not scroll off the screen.
 */
export function fitted(lines: readonly string[], {columns}: Size, maxRows: number): Fitted {
  const rows = lines.flatMap((line) => wrapped(line, columns));
  if (rows.length <= maxRows) return {rows, cut: false};
  const shown = Math.max(2, maxRows - 1);
  const [head, tail] = [rows.slice(0, Math.ceil(shown / 2)), rows.slice(-Math.floor(shown / 2))];
  const hidden = rows.slice(head.length, -tail.length);
  // A line's end is a character too.
  const count = hidden.reduce(
    (sum, row) => sum + row.length - mark.length + (row.startsWith(mark) ? 1 : 0),
    0,
  );
  return {rows: [...head, `  … ${grouped(count)} characters more …`, ...tail], cut: true};
}

/** How many rows a terminal makes of these lines. */
export function rowsOf(lines: readonly string[], {columns}: Size): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}

/** Blanks push what follows them off the screen, and look like its end. Before escaping: of all blanks it leaves plain ones alone. */
export function collapsed(line: string): string {
  return line.replace(/\p{Zs}{20,}/gu, (blanks) => ` [${grouped(blanks.length)} blanks] `);
}

function wrapped(line: string, columns: number): string[] {
  const rows = [mark];
  let left = columns - mark.length;
  for (const character of line) {
    const width = widthOf(character);
    if (width > left) {
      rows.push(continued);
      left = columns - continued.length;
    }
    rows[rows.length - 1] += character;
    left -= width;
  }
  return rows;
}

/** At most: whether a terminal takes one cell or two for what is not ASCII depends on the terminal. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character <= '~' ? 1 : 2;
  return width;
}

/** `1,234`. Without Intl, which costs a start. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
