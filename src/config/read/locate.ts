/**
 * Where every key and array element of a TOML document stands. smol-toml gives values without positions, and a
 * message that cannot name the line is half a message.
 *
 * The text has been parsed before: this scanner trusts its grammar, and only promises to end on anything else.
 */
export interface Lines {
  /** The 1-based line of a key path; of its deepest known ancestor when the path itself is not in the document. */
  lineOf(path: readonly (string | number)[]): number;
}

/** A key, a table or an array element, and where it was first mentioned. */
interface Spot {
  readonly offset: number;
  /** Where its value begins, or the pairs below its header; undefined once that has been read. */
  valueAt: number | undefined;
  pairsAt: number | undefined;
  /** Absent while there are none. */
  children: Map<string | number, Spot> | undefined;
  /** How many `[[…]]` headers it has had. */
  tables: number;
}

interface Cursor {
  readonly text: string;
  at: number;
}

/**
 * Headers are read at once, what stands below one or in a value when a part of it is asked for: a message is about one line,
 * and there may be 50,000.
 */
export function locate(text: string): Lines {
  const root = spot(0);
  root.pairsAt = 0;
  const cursor = {text, at: 0};
  do {
    eachPair(cursor, skipPair);
    if (cursor.at < text.length) header(cursor, root);
  } while (cursor.at < text.length);
  const newlines = newlineOffsets(text);
  return {
    lineOf(path) {
      let found = root;
      for (const part of path) {
        read(found, text);
        const child = found.children?.get(part);
        if (!child) break;
        found = child;
      }
      return 1 + countBelow(newlines, found.offset);
    },
  };
}

function spot(offset: number): Spot {
  return {offset, valueAt: undefined, pairsAt: undefined, children: undefined, tables: 0};
}

function child(parent: Spot, part: string | number, offset: number): Spot {
  const children = (parent.children ??= new Map<string | number, Spot>());
  const known = children.get(part);
  if (known) return known;
  const added = spot(offset);
  children.set(part, added);
  return added;
}

/** `[a.b]` or `[[a.b]]`: the table that the following pairs belong to. */
function header(cursor: Cursor, root: Spot): void {
  const offset = cursor.at;
  const isArray = cursor.text[cursor.at + 1] === '[';
  cursor.at += isArray ? 2 : 1;
  let table = root;
  for (const part of dottedKey(cursor)) table = child(current(table), part, offset);
  while (cursor.text[cursor.at] === ']') cursor.at += 1;
  const opened = isArray ? child(table, table.tables++, offset) : current(table);
  opened.pairsAt = cursor.at;
}

/** In an array of tables, its last one: what `[a.b]` means after `[[a]]`. */
function current(table: Spot): Spot {
  return table.tables === 0 ? table : table.children!.get(table.tables - 1)!;
}

/** What is in a table or a value, one level of it. */
function read(place: Spot, text: string): void {
  const {pairsAt, valueAt} = place;
  place.pairsAt = place.valueAt = undefined;
  if (pairsAt !== undefined) eachPair({text, at: pairsAt}, (cursor) => pair(cursor, place));
  if (valueAt === undefined) return;
  const cursor = {text, at: valueAt};
  if (text[valueAt] === '[') items(cursor, ']', (index) => value(cursor, child(place, index, cursor.at)));
  else if (text[valueAt] === '{') items(cursor, '}', () => pair(cursor, place));
}

/** To the next header, or the end. */
function eachPair(cursor: Cursor, take: (cursor: Cursor) => void): void {
  for (skipVoid(cursor); cursor.at < cursor.text.length; skipVoid(cursor)) {
    if (cursor.text[cursor.at] === '[') return;
    const before = cursor.at;
    take(cursor);
    if (cursor.at === before) cursor.at += 1;
  }
}

function pair(cursor: Cursor, table: Spot): void {
  const offset = cursor.at;
  let place = table;
  for (const part of dottedKey(cursor)) place = child(place, part, offset);
  skipBlanks(cursor);
  if (cursor.text[cursor.at] === '=') cursor.at += 1;
  skipBlanks(cursor);
  value(cursor, place);
}

function value(cursor: Cursor, place: Spot): void {
  place.valueAt = cursor.at;
  skipValue(cursor);
}

/** The elements of an array or an inline table, up to its closing bracket. */
function items(cursor: Cursor, close: string, item: (index: number) => void): void {
  cursor.at += 1;
  for (let index = 0; ; index++) {
    skipVoid(cursor);
    if (cursor.at >= cursor.text.length) return;
    if (cursor.text[cursor.at] === close) return;
    const before = cursor.at;
    item(index);
    skipVoid(cursor);
    if (cursor.text[cursor.at] === ',') cursor.at += 1;
    if (cursor.at === before) cursor.at += 1;
  }
}

function dottedKey(cursor: Cursor): string[] {
  const parts: string[] = [];
  for (;;) {
    skipBlanks(cursor);
    parts.push(simpleKey(cursor));
    skipBlanks(cursor);
    if (cursor.text[cursor.at] !== '.') return parts;
    cursor.at += 1;
  }
}

const bareKey = /[\w-]*/y;

function simpleKey(cursor: Cursor): string {
  const start = cursor.at;
  const quote = cursor.text[start];
  if (quote === '"' || quote === "'") {
    skipString(cursor);
    const inner = cursor.text.slice(start + 1, cursor.at - 1);
    return quote === '"' ? unescaped(inner) : inner;
  }
  bareKey.lastIndex = start;
  const key = bareKey.exec(cursor.text)?.[0] ?? '';
  cursor.at += key.length;
  return key;
}

const untilEndOfKey = /[^="'\n]*/y;

function skipPair(cursor: Cursor): void {
  for (skipAll(cursor, untilEndOfKey); isQuote(cursor); skipAll(cursor, untilEndOfKey)) skipString(cursor);
  if (cursor.text[cursor.at] === '=') cursor.at += 1;
  skipBlanks(cursor);
  skipValue(cursor);
}

const untilStructure = /[^"'#[\]{},\n]*/y;

/** To what ends a value: a comma, a comment, the end of the line, or the bracket of what it stands in. */
function skipValue(cursor: Cursor): void {
  for (let depth = 0; ;) {
    skipAll(cursor, untilStructure);
    const character = cursor.text[cursor.at];
    if (isQuote(cursor)) {
      skipString(cursor);
      continue;
    }
    if (character === '[' || character === '{') depth += 1;
    else if (depth === 0 || character === undefined) return;
    else if (character === ']' || character === '}') depth -= 1;
    if (character === '#') skipVoid(cursor);
    else cursor.at += 1;
  }
}

function isQuote({text, at}: Cursor): boolean {
  return text[at] === '"' || text[at] === "'";
}

/** Over all that a sticky expression takes. */
function skipAll(cursor: Cursor, expression: RegExp): void {
  expression.lastIndex = cursor.at;
  // Behind the end it fails, and would begin again at 0.
  if (expression.test(cursor.text)) cursor.at = expression.lastIndex;
}

function skipString(cursor: Cursor): void {
  const {text} = cursor;
  const quote = text[cursor.at]!;
  const close = text.startsWith(quote.repeat(3), cursor.at) ? quote.repeat(3) : quote;
  cursor.at += close.length;
  const end = text.indexOf(close, cursor.at);
  if (end !== -1 && (quote === "'" || !text.slice(cursor.at, end).includes('\\'))) cursor.at = end;
  else skipEscaped(cursor, close);
  cursor.at += close.length;
  // One or two more quotes before the closing three belong to the string.
  if (close.length === 3) while (text[cursor.at] === quote) cursor.at += 1;
}

/** To the first `close` that no backslash takes away. */
function skipEscaped(cursor: Cursor, close: string): void {
  const {text} = cursor;
  while (cursor.at < text.length && !text.startsWith(close, cursor.at)) {
    cursor.at += text[cursor.at] === '\\' ? 2 : 1;
  }
}

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
};

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g,
    (all, x: string | undefined, u: string | undefined, long: string | undefined, letter: string) => {
      const code = Number.parseInt(x ?? u ?? long ?? '', 16);
      if (Number.isNaN(code)) return escapes[letter] ?? letter;
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

function skipBlanks(cursor: Cursor): void {
  while (cursor.text[cursor.at] === ' ' || cursor.text[cursor.at] === '\t') cursor.at += 1;
}

/** Blanks, line ends and comments. */
function skipVoid(cursor: Cursor): void {
  for (;;) {
    const character = cursor.text[cursor.at];
    if (character === '#') {
      const end = cursor.text.indexOf('\n', cursor.at);
      cursor.at = end === -1 ? cursor.text.length : end;
    } else if (character === ' ' || character === '\t' || character === '\n' || character === '\r') {
      cursor.at += 1;
    } else return;
  }
}

function newlineOffsets(text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) offsets.push(at);
  return offsets;
}

/** How many of the ascending `offsets` are below `limit`. */
function countBelow(offsets: readonly number[], limit: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
