/**
 * The line of every key and array element of a TOML document. smol-toml gives values without positions, and a message
 * needs the line.
 *
 * smol-toml has parsed the text before, so this scanner relies on its grammar. For any other text it only guarantees
 * to end.
 */
export interface Lines {
  /** The 1-based line of a key path. If the path is not in the document, the line of its deepest ancestor that is. */
  lineOf(path: readonly (string | number)[]): number;
}

/** A key, a table or an array element, with its first position. */
interface Spot {
  readonly offset: number;
  /** Where its value starts. `pairsAt`: where the pairs below its header start. Undefined once the value was read. */
  valueAt: number | undefined;
  pairsAt: number | undefined;
  /** Undefined until there is a part. */
  children: Map<string | number, Spot> | undefined;
  /** How many `[[…]]` headers it has had. */
  tables: number;
}

interface Cursor {
  readonly text: string;
  at: number;
}

/**
 * Reads all headers at once. The content of a table or a value is read when a part of it is asked for: a message is
 * about one line, and there may be 50,000.
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

/** In an array of tables, the last one: `[a.b]` after `[[a]]` means that one. */
function current(table: Spot): Spot {
  return table.tables === 0 ? table : table.children!.get(table.tables - 1)!;
}

/** Reads one level of a table or a value. */
function read(place: Spot, text: string): void {
  const {pairsAt, valueAt} = place;
  place.pairsAt = place.valueAt = undefined;
  if (pairsAt !== undefined) eachPair({text, at: pairsAt}, (cursor) => pair(cursor, place));
  if (valueAt === undefined) return;
  const cursor = {text, at: valueAt};
  if (text[valueAt] === '[') items(cursor, ']', (index) => value(cursor, child(place, index, cursor.at)));
  else if (text[valueAt] === '{') items(cursor, '}', () => pair(cursor, place));
}

/** Reads pairs up to the next header or the end of the text. */
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

/** Reads the elements of an array or an inline table, up to its closing bracket. */
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

/** Skips to the end of a value: a comma, a comment, the end of the line, or the bracket that encloses it. */
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

/** Skips everything that a sticky expression matches. */
function skipAll(cursor: Cursor, expression: RegExp): void {
  expression.lastIndex = cursor.at;
  // At the end of the text the match fails and would reset lastIndex to 0.
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
  // Up to two more quotes before the closing three belong to the string.
  if (close.length === 3) while (text[cursor.at] === quote) cursor.at += 1;
}

/** Skips to the first `close` that is not escaped. */
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

/** Skips blanks, line ends and comments. */
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
