import {replaceUnsafe} from '../errors.ts';

/**
 * Canonical JSON (the part of RFC 8785 that matters here): keys in code-unit order, no blanks, one line. Equal values
 * give equal bytes, so a hash of the bytes identifies the value. Control characters, line separators and lone
 * surrogates are escaped. So a record cannot end its line early or send control sequences to a terminal that shows
 * the file.
 */
export function canonicalJson(value: unknown): string {
  const fields = typeof value === 'object' && value !== null ? Object.entries(value as object) : [];
  if (!fields.some(([, field]) => isFixed(field))) return escapeUnsafe(JSON.stringify(sorted(value)));
  const texts = fields
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([key, field]) => `${canonicalJson(key)}:${fixedTexts.get(field as object) ?? canonicalJson(field)}`,
    );
  return `{${texts.join(',')}}`;
}

const fixedTexts = new WeakMap<object, string>();

/**
 * Makes the text once, for a part of events that all runs of a session share and that has no secrets. A later change of the
 * object does not reach an event.
 */
export function fixed<T extends object>(part: T): T {
  fixedTexts.set(part, canonicalJson(part));
  return part;
}

export function isFixed(part: unknown): boolean {
  return typeof part === 'object' && part !== null && fixedTexts.has(part);
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

/** A copy with sorted keys. JSON.stringify takes twice as long if it calls a function that sorts them. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = value as Readonly<Record<string, unknown>>;
  // Without a prototype: "__proto__" is a key like any other.
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(fields).sort()) copy[key] = sorted(fields[key]);
  return copy;
}
