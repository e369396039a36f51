import type {WordPart, Word as ParsedWord} from 'unbash';
import type {Word} from '../analysis.ts';

/** Everything that a command does to one variable. */
export interface Changes {
  /** Values from plain assignments: `x=f`. */
  readonly values: string[];
  /** The variable gets a number: from arithmetic, or from a `for` loop over numbers. */
  counts: boolean;
  /** Another construct sets it: `read x`, `x+=1`, `x=$(cmd)`, `x=1 cmd`. */
  other: boolean;
}

/** Variables whose values are known from the text, once they are assigned. */
export interface KnownVariables {
  /** Assigned once, to a plain word: `x=f`. */
  readonly words: ReadonlySet<string>;
  /** Always an integer: arithmetic with them cannot run a command. */
  readonly numbers: ReadonlySet<string>;
}

/** Maps a variable to its certain value at this point; null for an unknown number. */
export type Values = ReadonlyMap<string, string | null>;

/** A value that bash does not split, expand or evaluate. */
const plainValue = /^[\w./:,@%+=-]+$/;
const integer = /^-?(?:0|[1-9]\d{0,14})$/;

export const isInteger = (text: string): boolean => integer.test(text);

/** Variables that change how bash splits words, or that bash sets by itself. */
const notTracked = new Set(['IFS', 'REPLY', 'PWD', 'OLDPWD']);

export function knownVariables(changes: ReadonlyMap<string, Changes>): KnownVariables | undefined {
  if (changes.has('IFS') || changes.has('*')) return undefined;
  const names = [...changes].filter(([name, {other}]) => !other && !notTracked.has(name));
  const words = names.filter(
    ([, {values, counts}]) => !counts && values.length === 1 && plainValue.test(values[0]!),
  );
  const numbers = names.filter(([, {values}]) => values.every(isInteger));
  if (words.length + numbers.length === 0) return undefined;
  return {words: namesOf(words), numbers: namesOf(numbers)};
}

const namesOf = (list: readonly (readonly [string, Changes])[]): Set<string> =>
  new Set(list.map(([name]) => name));

/** Builtins that set the variables that their words name. The result `*` means an unknown variable. */
const setters = new Set(
  'read mapfile readarray unset export printf wait getopts let declare typeset local readonly'.split(' '),
);

export function setByBuiltin(argv: readonly Word[], open: boolean): readonly string[] {
  const [program, ...args] = argv;
  if (!program || !setters.has(program.text)) return [];
  const known = args.flatMap(({literal, text}) => (literal ? (text.match(/[A-Za-z_]\w*/g) ?? []) : ['*']));
  return open ? [...known, '*'] : known;
}

/** The names in arithmetic, if it may set one of them. */
export function setByArithmetic(text: string): readonly string[] {
  return /(?<![=<>!])=(?!=)|<<=|>>=|\+\+|--/.test(text) ? (text.match(/[A-Za-z_]\w*/g) ?? []) : [];
}

/** Texts; null for an unknown number. */
type Pieces = readonly (string | null)[];

/**
 * The parts of the word, with known values inserted. Undefined when a value is unknown or the word has another expansion.
 */
export function knownPieces(parsed: ParsedWord, values: Values): Pieces | undefined {
  if (!parsed.parts || parsed.text.startsWith('~') || !parsed.parts.some(hasVariable)) return undefined;
  return joined(parsed.parts, values);
}

function joined(parts: readonly WordPart[], values: Values): Pieces | undefined {
  const pieces: (string | null)[] = [];
  for (const part of parts) {
    const found = piecesOf(part, values);
    if (found === undefined) return undefined;
    pieces.push(...found);
  }
  return pieces;
}

function piecesOf(part: WordPart, values: Values): Pieces | undefined {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted')
    return [part.value];
  if (part.type === 'DoubleQuoted') return joined(part.parts, values);
  if (part.type === 'SimpleExpansion') return valueOf(part.text.slice(1), values);
  if (part.type === 'ParameterExpansion' && isPlain(part)) return valueOf(part.parameter, values);
  return undefined;
}

function valueOf(name: string, values: Values): Pieces | undefined {
  const value = values.get(name);
  return value === undefined ? undefined : [value];
}

const isPlain = ({text, parameter}: {readonly text: string; readonly parameter: string}): boolean =>
  text === `\${${parameter}}`;

const hasVariable = (part: WordPart): boolean =>
  part.type === 'SimpleExpansion' ||
  part.type === 'ParameterExpansion' ||
  (part.type === 'DoubleQuoted' && part.parts.some(hasVariable));
