import {quoted} from '../errors.ts';
import {nearest} from '../system/nearest.ts';
import {list, record, shapeOf} from './parsers.ts';
import {refusal, shaped, within, type Parse, type Raw} from './raw.ts';
import type {SandboxSetting} from './settings.ts';

/** Parsers of single values. They refuse values that cannot be intended or could never match. */

/** One of the given words. */
export function oneOf<const W extends string>(...words: readonly W[]): Parse<W> {
  return shaped({enum: words}, (raw) => {
    const found = words.find((word) => word === raw.value);
    if (found === undefined)
      throw notOneOf(
        raw,
        words.map((word) => quoted(word)),
      );
    return found;
  });
}

function notOneOf(raw: Raw, choices: readonly string[]) {
  const meant = typeof raw.value === 'string' ? nearest(quoted(raw.value), choices) : undefined;
  const all = [choices.slice(0, -1).join(', '), choices.at(-1)].filter(Boolean).join(' or ');
  return refusal(raw, `must be ${all}`, meant && `did you mean ${meant}?`);
}

/** `true`, `false` or one of the given words. */
export function flagOr<const W extends string>(...words: readonly W[]): Parse<boolean | W> {
  return shaped(words.length === 0 ? {type: 'boolean'} : {enum: [true, false, ...words]}, (raw) => {
    const {value} = raw;
    if (typeof value === 'boolean') return value;
    const found = words.find((word) => word === value);
    if (found === undefined) throw notOneOf(raw, ['true', 'false', ...words.map((word) => quoted(word))]);
    return found;
  });
}

export const flag: Parse<boolean> = flagOr<never>();

/** Text without NUL: arguments, paths and variables cannot hold one, so it could never match. */
export const text = shaped({type: 'string'}, (raw): string => {
  if (typeof raw.value !== 'string') throw refusal(raw, 'must be a string');
  if (raw.value.includes('\0')) throw refusal(raw, 'must not contain a NUL byte');
  return raw.value;
});

/** Text that is compared with something. Empty text, or text with blanks at its ends, would never match. */
export const pattern = shaped({type: 'string'}, (raw): string => {
  const value = text(raw);
  if (value.trim() === '') throw refusal(raw, 'must not be empty', 'an empty pattern matches nothing');
  if (value !== value.trim()) throw refusal(raw, 'must not begin or end with blanks');
  if (value.length > 4096) throw refusal(raw, 'must not be longer than 4096 characters');
  return value;
});

/** The name of an environment variable, or a glob over names. */
export const variableGlob = shaped({type: 'string'}, (raw): string => {
  const value = pattern(raw);
  if (value.includes('=')) throw refusal(raw, 'must be the name of a variable', 'write the name alone');
  return value;
});

export const variableName = shaped({type: 'string'}, (raw): string => {
  const value = text(raw);
  if (!/^[A-Za-z_]\w*$/.test(value)) throw refusal(raw, 'must be the name of a variable');
  return value;
});

/** A regular expression over tool names. `*` means every tool, as in Claude Code's hooks. */
export const toolRegex = shaped({type: 'string'}, (raw): string => {
  const value = text(raw);
  if (value === '' || value === '*') return '';
  try {
    new RegExp(value);
  } catch {
    throw refusal(raw, 'must be a regular expression');
  }
  return value;
});

export const toolchains = shaped(
  {anyOf: [{enum: ['auto']}, {type: 'array', items: {type: 'string'}}]},
  (raw): 'auto' | readonly string[] => {
    const {value} = raw;
    if (value === 'auto') return 'auto';
    if (!Array.isArray(value)) throw refusal(raw, 'must be "auto" or a list of names');
    return value.map((name: unknown, index) => {
      if (typeof name === 'string' && /^[a-z0-9][a-z0-9._-]*$/.test(name)) return name;
      throw refusal(within(raw, index, name), 'must be the name of a toolchain');
    });
  },
);

const requirable = shaped({type: 'string'}, (raw): string => {
  const {value} = raw;
  if (typeof value === 'string' && /^[a-z][a-z-]*$/.test(value)) return value;
  throw refusal(raw, 'must be the id of a protection', '"ion doctor" prints the ids');
});

const trueOrRequire = flagOr('require');
const requireList = record({require: list(requirable)}, ['require']);

/** `true`, `false`, `"require"` or `{require = [...]}`. Which ids there are is checked with the machine (sandbox/require.ts). */
export const sandbox = shaped(
  {anyOf: [shapeOf(trueOrRequire), shapeOf(requireList)]},
  (raw): SandboxSetting =>
    typeof raw.value === 'object' && raw.value !== null ? requireList(raw) : trueOrRequire(raw),
);

const milliseconds: Readonly<Record<string, number>> = {
  '': 1000,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const amountShape = {anyOf: [{type: 'string'}, {type: 'number'}]} as const;

/** The longest time that a timer of Node supports. A longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** Strings and numbers as text. Any other value is not an amount, and gives empty text. */
function amount(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Converts `500ms`, `30s`, `10m`, `1.5h` or a number of seconds to milliseconds. Undefined for any other value. */
export function parseDuration(value: unknown): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,9})?) ?(ms|s|m|h|d|)$/.exec(amount(value));
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * milliseconds[match[2]!]!);
  return ms >= 1 && ms <= longestMs ? ms : undefined;
}

export const durationMs = shaped(amountShape, (raw): number => {
  const ms = parseDuration(raw.value);
  if (ms !== undefined) return ms;
  throw refusal(
    raw,
    'must be a duration above zero and below 25 days',
    'write "500ms", "30s", "10m" or a number of seconds',
  );
});

/** Processor time in seconds, rounded up, because the kernel counts whole seconds. */
export const durationSeconds = shaped(amountShape, (raw) => Math.ceil(durationMs(raw) / 1000));

const bytes: Readonly<Record<string, number>> = {'': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40};

/** Converts `4G`, `512M` (powers of 1024; `GiB` is the same) or a number of bytes to bytes. */
export const size = shaped(amountShape, (raw): number => {
  const match = /^(\d{1,15}(?:\.\d{1,9})?) ?([KMGT]?)(?:iB)?$/.exec(amount(raw.value));
  const count = match ? Math.floor(Number(match[1]) * bytes[match[2]!]!) : 0;
  if (count >= 1 && Number.isSafeInteger(count)) return count;
  throw refusal(raw, 'must be a size above zero', 'write "4G", "512M" or a number of bytes');
});

/** Writes a size in the form that `size` reads, to a tenth of the unit: `4G`, `1.5M`, `300 bytes`. */
export function shownSize(amount: number): string {
  const units = Object.entries(bytes).filter(([unit]) => unit !== '');
  const few = amount === 1 ? ' byte' : ' bytes';
  const [unit, factor] = units.findLast(([, size]) => amount >= size) ?? [few, 1];
  return `${Math.round((amount / factor) * 10) / 10}${unit}`;
}

/** Rounds a size up to a whole number of its largest unit: `4G`, `2M`, `300`. */
export function wholeSize(amount: number): string {
  const [unit, factor] = Object.entries(bytes).findLast(([, size]) => amount >= size) ?? ['', 1];
  return `${Math.ceil(amount / factor)}${unit}`;
}

/** Writes a duration in the form that `durationMs` reads, in the largest unit that divides it: `90s`, `10m`. */
export function shownDuration(ms: number): string {
  const units = Object.entries(milliseconds).filter(
    ([unit, factor]) => unit !== '' && ms >= factor && ms % factor === 0,
  );
  const [unit, factor] = units.at(-1) ?? ['ms', 1];
  return `${ms / factor}${unit}`;
}

export const count = shaped({type: 'integer', minimum: 1}, (raw): number => {
  const {value} = raw;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw refusal(raw, 'must be a whole number above zero');
});
