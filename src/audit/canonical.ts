import {replaceUnsafe} from '../errors.ts';

/**
 * Canonical JSON (the part of RFC 8785 that matters here): keys in code-unit order, no blanks, one line. Equal values
 * give equal bytes, so a hash of the bytes identifies the value. Control characters, line separators and lone
 * surrogates are escaped. So a record cannot end its line early or send control sequences to a terminal that shows
 * the file.
 */
export function canonicalJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(value, sortKeys));
}

/**
 * JSON escapes the C0 controls. This escapes every other character that moves a cursor, hides text or ends a line.
 */
export function escapeUnsafe(json: string): string {
  // Most records are plain ASCII. Compiling the Unicode pattern adds a millisecond to a start.
  if (/^[\n -~]*$/.test(json)) return json;
  return replaceUnsafe(json, (character) =>
    character === '\n' ? character : character.split('').map(unicode).join(''),
  );
}

function unicode(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
