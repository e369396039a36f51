import type {Word} from './analysis.ts';

/** The options of a program, as its table row lists them: short ones without a dash, long ones with two. */
export interface OptionSpec {
  /** Options without a value: `'i 0 --null'`. */
  readonly flags?: string;
  /** Options that take a value: `'u C --chdir'`. */
  readonly values?: string;
  /** A special word before or between the options: `env -`, `setarch x86_64`, `cargo +nightly`. */
  readonly word?: RegExp;
  /** Short options with an optional value, which must be in the same word: `xargs -i{}`. */
  readonly optional?: string;
  /** Options that no operand follows: `sh -c code`. */
  readonly ends?: string;
  /** For shells: `-` alone ends the options, and a word that begins with a plus is an option. */
  readonly plus?: true;
}

export interface Option {
  readonly name: string;
  readonly value?: Word;
  /** The index of the option, and that of its value. */
  readonly at: number;
}

export interface Scan {
  readonly options: readonly Option[];
  /** The index of the first operand. */
  readonly next: number;
  /** False when the table lacks an option, or an option is not literal. Then `next` is a guess. */
  readonly certain: boolean;
  readonly endedByDashes: boolean;
}

/** Reads options from `argv[from]` up to the first operand, as a wrapper does: the command follows. */
export function scanOptions(argv: readonly Word[], from: number, spec: OptionSpec): Scan {
  const names = namesOf(spec);
  const options: Option[] = [];
  let certain = true;
  let at = from;
  for (; at < argv.length; at++) {
    const word = argv[at]!;
    const text = word.text;
    if (text === '--' && word.literal) return {options, next: at + 1, certain, endedByDashes: true};
    if (!text.startsWith('-') || text === '-') {
      if (spec.word?.test(text)) continue;
      if (!word.literal && word.pieces?.[0] === null) certain = false;
      break;
    }
    if (!word.literal) certain = false;
    const found = readOption(argv, at, names);
    if (!found.known) certain = false;
    options.push(...found.options);
    at += found.used;
  }
  return {options, next: at, certain, endedByDashes: false};
}

/**
 * The indices where the first operand may be, because an option that the table lacks may take a value or not: `npm --x a
 * publish` may be `npm a publish` and `npm publish`.
 */
export function possibleOperands(argv: readonly Word[], from: number, spec: OptionSpec): number[] {
  const names = namesOf(spec);
  const ends = new Set(spec.ends?.split(' '));
  const reached = new Set([from]);
  const operands = new Set<number>();
  // The loop adds only larger indices.
  for (const at of reached) {
    const text = argv[at]?.text;
    if (text === undefined) continue;
    if (text === '--' || (spec.plus && text === '-')) operands.add(at + 1);
    else if (spec.plus && /^\+./.test(text)) reached.add(at + 1).add(at + 2);
    else if (spec.word?.test(text)) reached.add(at + 1);
    else if (!text.startsWith('-') || text === '-') operands.add(at);
    else {
      const {options, known, used} = readOption(argv, at, names);
      if (options.some(({name}) => ends.has(name))) continue;
      reached.add(at + 1 + used);
      if (!known && !text.includes('=')) reached.add(at + 2);
    }
  }
  return [...operands];
}

interface Found {
  readonly options: readonly Option[];
  readonly known: boolean;
  /** How many of the following words belong to the option. */
  readonly used: number;
}

interface Names {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
}

function namesOf({flags, values, optional}: OptionSpec): Names {
  const setOf = (names: string | undefined): ReadonlySet<string> => new Set(names?.split(' '));
  return {flags: setOf(flags), values: setOf(values), optional: setOf(optional)};
}

/** Reads the option at `argv[at]`. */
function readOption(argv: readonly Word[], at: number, names: Names): Found {
  if (!argv[at]!.text.startsWith('--')) return readShort(argv, at, names);
  return readLong(argv, at, [...names.flags], [...names.values]);
}

/** A long option may be shortened to an unambiguous prefix, as in getopt_long. */
function readLong(argv: readonly Word[], at: number, flags: string[], values: string[]): Found {
  const word = argv[at]!;
  const equals = word.text.indexOf('=');
  const given = equals === -1 ? word.text : word.text.slice(0, equals);
  const name =
    [...flags, ...values].find((long) => long === given) ?? completed(given, [...flags, ...values]);
  if (name === undefined) return {options: [{name: given, at}], known: false, used: 0};
  if (equals !== -1) {
    return {options: [{name, at, value: rest(word, equals + 1)}], known: true, used: 0};
  }
  if (!values.includes(name)) return {options: [{name, at}], known: true, used: 0};
  return {options: [withValue(name, at, argv[at + 1])], known: true, used: 1};
}

function completed(given: string, known: readonly string[]): string | undefined {
  const longer = known.filter((long) => long.startsWith(given));
  return longer.length === 1 ? longer[0] : undefined;
}

function readShort(argv: readonly Word[], at: number, {flags, values, optional}: Names): Found {
  const word = argv[at]!;
  const whole = word.text.slice(1);
  if (whole.length > 1 && flags.has(`-${whole}`))
    return {options: [{name: `-${whole}`, at}], known: true, used: 0};
  if (whole.length > 1 && values.has(`-${whole}`)) {
    return {options: [withValue(`-${whole}`, at, argv[at + 1])], known: true, used: 1};
  }
  const options: Option[] = [];
  let known = true;
  for (let i = 1; i < word.text.length; i++) {
    const name = word.text[i]!;
    if (values.has(name)) {
      const attached = i + 1 < word.text.length;
      options.push(attached ? {name, at, value: rest(word, i + 1)} : withValue(name, at, argv[at + 1]));
      return {options, known, used: attached ? 0 : 1};
    }
    if (optional.has(name)) {
      options.push(i + 1 < word.text.length ? {name, at, value: rest(word, i + 1)} : {name, at});
      return {options, known, used: 0};
    }
    options.push({name, at});
    if (!flags.has(name)) known = false;
  }
  return {options, known, used: 0};
}

const withValue = (name: string, at: number, value: Word | undefined): Option =>
  value ? {name, at, value} : {name, at};

/** The rest of a word, as a word: the value in `--name=value`. */
export function rest(word: Word, from: number): Word {
  const text = word.text.slice(from);
  const exact = word.raw.length === word.span.end - word.span.start && word.raw.endsWith(text);
  const span = exact ? {start: word.span.end - text.length, end: word.span.end} : word.span;
  const raw = exact ? text : word.raw;
  if (word.literal) return {...word, text, raw, span};
  return {...word, text, raw, span, pieces: dropped(word.pieces ?? [null], from)};
}

function dropped(pieces: readonly (string | null)[], count: number): (string | null)[] {
  const [first, ...others] = pieces;
  if (typeof first === 'string' && first.length >= count) return [first.slice(count), ...others];
  return [null];
}
