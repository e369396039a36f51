import {replaceUnsafe, shortened} from '../../errors.ts';

/** A value in TOML's own form, on one line. Characters that move a cursor or hide text are escaped. */
export function renderToml(value: unknown, maxLength = 200): string {
  return shortened(render(value), maxLength);
}

function render(value: unknown): string {
  if (typeof value === 'string') return tomlString(value);
  if (Array.isArray(value)) return `[${value.map(render).join(', ')}]`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, inner]) => `${tomlKey(key)} = ${render(inner)}`);
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  }
  return String(value);
}

export function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlString(key);
}

export function tomlString(text: string): string {
  const escaped = replaceUnsafe(text.replaceAll(/["\\]/g, '\\$&'), (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    const code = character.codePointAt(0)!;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
  return `"${escaped}"`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
