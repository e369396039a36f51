/** The size of a terminal in characters. */
export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Rows of a terminal, one below the other. The terminal wraps none of them. */
export interface Fitted {
  readonly rows: readonly string[];
  /** Some of the middle is not shown. */
  readonly cut: boolean;
}

const mark = '  | ';
const continued = '  : ';

/**
 * Lines of escaped text from outside in at most `maxRows` rows, each after a mark of ion's own. Text that does not fit is omitted
 * from the middle, and a row reports that. The important parts of a command are at its ends, and its beginning must not scroll
 * off the screen.
 */
export function fitted(lines: readonly string[], {columns}: Size, maxRows: number): Fitted {
  const rows = lines.flatMap((line) => wrapped(line, columns));
  if (rows.length <= maxRows) return {rows, cut: false};
  const shown = Math.max(2, maxRows - 1);
  const [head, tail] = [rows.slice(0, Math.ceil(shown / 2)), rows.slice(-Math.floor(shown / 2))];
  const hidden = rows.slice(head.length, -tail.length);
  // A line end counts as a character too.
  const count = hidden.reduce(
    (sum, row) => sum + row.length - mark.length + (row.startsWith(mark) ? 1 : 0),
    0,
  );
  return {rows: [...head, `  … ${grouped(count)} more characters …`, ...tail], cut: true};
}

/** How many rows a terminal needs for these lines. */
export function rowsOf(lines: readonly string[], {columns}: Size): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}

/**
 * Shortens long blanks, which push the text after them off the screen and look like its end. Called before escaping,
 * which changes all blanks except plain ones.
 */
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

/** The greatest possible width. Terminals differ in whether a character that is not ASCII takes one cell or two. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character <= '~' ? 1 : 2;
  return width;
}

/** `1,234`. Without Intl, which slows down a start. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
