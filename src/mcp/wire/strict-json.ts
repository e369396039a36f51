/** Deeper values overflow the stack of programs that walk them. */
const maxDepth = 200;

export type Json = null | boolean | number | string | readonly Json[] | {readonly [name: string]: Json};

/** Why a line is not acceptable JSON. */
export class NotJson extends Error {}

/**
 * Parses one line strictly: UTF-8 without a byte order mark, one JSON value, no name twice in an object, no number that is not
 * finite, at most `maxDepth` levels. Throws a `NotJson`. Two parsers can read any other line in two ways. Then the receiver would
 * see another message than the one that ion judged.
 */
export function parseStrictly(line: Uint8Array): Json {
  let text: string;
  try {
    text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(line);
  } catch {
    throw new NotJson('the line is not UTF-8');
  }
  const written = namesWritten(text);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new NotJson('the line is not one JSON value');
  }
  // If an object has a name twice, JSON.parse keeps only the last value.
  if (namesKept(value) !== written) throw new NotJson('an object has the same name twice');
  return value;
}

/** Counts the names of all objects in the text, which may still be wrong JSON. Throws if it is nested too deep. */
function namesWritten(text: string): number {
  let [names, depth] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      if (isBeforeColon(text, at + 1)) names++;
    } else if (code === openBrace || code === openBracket) {
      if (++depth > maxDepth) throw new NotJson(`the value is nested deeper than ${maxDepth} levels`);
    } else if (code === closeBrace || code === closeBracket) depth--;
  }
  return names;
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The index of the quote that ends the string. For a string without an end, the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at]!)) at++;
  return text.charCodeAt(at) === colon;
}

function namesKept(value: Json): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotJson('a number is too large');
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value))
    return (value as readonly Json[]).reduce<number>((sum, one) => sum + namesKept(one), 0);
  return Object.values(value).reduce<number>((sum, one) => sum + 1 + namesKept(one), 0);
}
