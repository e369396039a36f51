import type {WordPart, Word as ParsedWord} from 'unbash';
import type {Word} from '../analysis.ts';

/** What a command does to one variable, anywhere in it. */
export interface Changes {
  /** Values that plain assignments give it: `x=f`. */
  readonly values: string[];
  /** It gets a number: from arithmetic, or from a `for` over numbers. */
  counts: boolean;
  /** It is set in any other way: `read x`, `x+=1`, `x=$(cmd)`, `x=1 cmd`. */
  other: boolean;
}

/** Variables of a command that hold what its text says, once they have been assigned. */
export interface Settled {
  /** Assigned once, to a plain word: `x=f`. */
  readonly words: ReadonlySet<string>;
  /** Never anything but an integer: arithmetic with them evaluates no text. */
  readonly numbers: ReadonlySet<string>;
}

/** Variable → the value that it certainly has here; null for a number that is not known. */
export type Values = ReadonlyMap<string, string | null>;

/** Nothing that bash splits, expands or evaluates. */
const plainValue = /^[\w./:,@%+=-]+$/;
const integer = /^-?(?:0|[1-9]\d{0,14})$/;

export const isInteger = (text: string): boolean => integer.test(text);

/** bash splits by the one, and sets the other by itself. */
const never = new Set(['IFS', 'REPLY', 'PWD', 'OLDPWD']);

export function settledNames(changes: ReadonlyMap<string, Changes>): Settled | undefined {
  if (changes.has('IFS') || changes.has('*')) return undefined;
  const names = [...changes].filter(([name, {other}]) => !other && !never.has(name));
  const words = names.filter(
    ([, {values, counts}]) => !counts && values.length === 1 && plainValue.test(values[0]!),
  );
  const numbers = names.filter(([, {values}]) => values.every(isInteger));
  if (words.length + numbers.length === 0) return undefined;
  return {words: namesOf(words), numbers: namesOf(numbers)};
}

const namesOf = (list: readonly (readonly [string, Changes])[]): Set<string> =>
  new Set(list.map(([name]) => name));

/** Builtins that set the variables that their words name; `*` stands for one that only bash knows. */
const setters = new Set(
  'read mapfile readarray unset export printf wait getopts let declare typeset local readonly'.split(' '),
);

export function setByBuiltin(argv: readonly Word[], open: boolean): readonly string[] {
  const [program, ...args] = argv;
  if (!program || !setters.has(program.text)) return [];
  const known = args.flatMap(({literal, text}) => (literal ? (text.match(/[A-Za-z_]\w*/g) ?? []) : ['*']));
  return open ? [...known, '*'] : known;
}

/** Names in arithmetic that may set one of them. */
export function setByArithmetic(text: string): readonly string[] {
  return /(?<![=<>!])=(?!=)|<<=|>>=|\+\+|--/.test(text) ? (text.match(/[A-Za-z_]\w*/g) ?? []) : [];
}

/** Texts, and null for a number that is not known. */
type Pieces = readonly (string | null)[];

/** The word with the values put in; undefined when one may be anything, or the word has another expansion. */
export function settledPieces(parsed: ParsedWord, values: Values): Pieces | undefined {
  if (!parsed.parts || parsed.text.startsWith('~') || !parsed.parts.some(hasVariable)) return undefined;
  return joined(parsed.parts, values);
}

function joined(parts: readonly WordPart[], values: Values): Pieces | undefined {
  const pieces: (string | null)[] = [];
  for (const part of parts) {
    const more = piecesOf(part, values);
    if (more === undefined) return undefined;
    pieces.push(...more);
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
