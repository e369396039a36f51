import {parse} from 'unbash';
import type {Assignment, Word as ParsedWord, WordPart} from 'unbash';
import type {Expansion, Word} from '../analysis.ts';
import {expandBraces} from './braces.ts';
import {hiddenSubstitution} from './quoted.ts';
import {spanIn, type Source} from './source.ts';

/** The budget for brace expansion in one command: `{a,b}{a,b}{a,b}…` doubles with each pair. */
export interface BraceBudget {
  words: number;
  steps: number;
}

export const newBraceBudget = (): BraceBudget => ({words: 2000, steps: 8_000_000});

/** The words that bash makes of one word: braces expanded, quotes removed. Undefined when the braces exceed the budget. */
export function readWord(parsed: ParsedWord, source: Source, budget: BraceBudget): Word[] | undefined {
  if (!parsed.parts?.some((part) => part.type === 'BraceExpansion')) return [plainWord(parsed, source)];
  budget.steps -= parsed.text.length ** 2;
  if (budget.steps < 0) return undefined;
  const texts = expandBraces(parsed.text, budget.words);
  if (!texts) return undefined;
  budget.words -= texts.length;
  return texts.filter((text) => text !== '').map((text) => bracedWord(text, parsed, source));
}

function bracedWord(text: string, parsed: ParsedWord, source: Source): Word {
  const again = oneWord(text);
  const span = spanIn(source, parsed.pos, parsed.end);
  if (!again) return {text, raw: parsed.text, literal: false, span, pieces: [null], expansions: ['brace']};
  return {...plainWord(again, source), raw: parsed.text, span, fromBraces: true};
}

function oneWord(text: string): ParsedWord | undefined {
  const command = parse(`: ${text}`).commands[0]?.command;
  const first = command?.type === 'Command' ? command.suffix[0] : undefined;
  return first?.type === 'Word' ? first : undefined;
}

/** A word whose braces are not expanded: in an assignment, a redirection or a pattern. */
export function plainWord(parsed: ParsedWord, source: Source): Word {
  const span = spanIn(source, parsed.pos, parsed.end);
  const {text: raw, value} = parsed;
  // Most words are plain: no quotes, no expansions.
  if (!parsed.parts && !raw.startsWith('~') && hiddenSubstitution(raw) === undefined)
    return {text: value, raw, literal: true, span};
  return makeWord(raw, piecesOf(parsed), value, span);
}

/** `NAME=value` as a word. It is an assignment before the program, and an argument after it. */
export function assignmentWord(assignment: Assignment, source: Source): Word {
  const {text, name, value, append, index} = assignment;
  const span = spanIn(source, assignment.pos, assignment.end);
  const left = `${name}${index ? `[${index.text}]` : ''}${append ? '+=' : '='}`;
  if (value.type === 'ArrayValue') {
    return {
      text,
      raw: text,
      literal: false,
      span,
      pieces: [left, null],
      expansions: ['parameter'],
      splits: true,
    };
  }
  const {pieces, expansions, splits} = piecesOf(value);
  const indexed: Expansion[] = index && !/^\w+$/.test(index.text) ? ['arithmetic'] : [];
  const read = {pieces: [left, ...pieces], expansions: [...expansions, ...indexed], splits};
  return makeWord(text, read, left + value.value, span);
}

interface Read {
  readonly pieces: (string | null)[];
  readonly expansions: Expansion[];
  splits: boolean;
}

function makeWord(raw: string, read: Read, value: string, span: Word['span']): Word {
  const {pieces, expansions, splits} = read;
  if (expansions.length === 0) return {text: pieces.join(''), raw, literal: true, span};
  return {text: value, raw, literal: false, span, pieces, expansions, ...(splits ? {splits} : {})};
}

function piecesOf(parsed: ParsedWord): Read {
  const read: Read = {pieces: [], expansions: [], splits: false};
  const hidden = hiddenSubstitution(parsed.text);
  if (hidden !== undefined) {
    read.pieces.push(parsed.text.slice(0, -hidden.length), null);
    read.expansions.push('process');
  } else if (parsed.text.startsWith('~')) addTilde(parsed, read);
  else if (!parsed.parts) read.pieces.push(parsed.value);
  else for (const part of parsed.parts) addPart(part, read);
  return read;
}

function addTilde(parsed: ParsedWord, read: Read): void {
  const user = /^~[A-Za-z0-9_.+-]*/.exec(parsed.text)![0];
  const parts = parsed.parts ?? [{type: 'Literal', value: parsed.value, text: parsed.text} as const];
  const [first, ...rest] = parts;
  if (first?.type !== 'Literal' || !/^(\/|$)/.test(first.value.slice(user.length))) {
    // `~"x"` and `~$x` are not tilde expansions.
    for (const part of parts) addPart(part as WordPart, read);
    return;
  }
  read.pieces.push(null, first.value.slice(user.length));
  read.expansions.push('tilde');
  for (const part of rest) addPart(part as WordPart, read);
}

const expansionOf: Partial<Record<WordPart['type'], Expansion>> = {
  SimpleExpansion: 'parameter',
  ParameterExpansion: 'parameter',
  CommandExpansion: 'command',
  ArithmeticExpansion: 'arithmetic',
  ProcessSubstitution: 'process',
  Glob: 'glob',
  ExtendedGlob: 'glob',
  BraceExpansion: 'brace',
};

function addPart(part: WordPart, read: Read, quoted = false): void {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') {
    read.pieces.push(part.value);
  } else if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
    for (const child of part.parts) addPart(child, read, true);
  } else {
    read.pieces.push(null);
    read.expansions.push(expansionOf[part.type] ?? 'parameter');
    if (quoted ? isList(part) : !unsplit.has(part.type)) read.splits = true;
  }
}

/** Expansions that bash does not split, even without quotes. A glob gives several words, but never splits a file name. */
const unsplit = new Set<WordPart['type']>(['ProcessSubstitution', 'Glob', 'ExtendedGlob', 'BraceExpansion']);

/**
 * `"$@"`, `"${a[@]}"`, `"${!x@}"` give several words despite their quotes. Any expansion that contains an `@` may do so.
 */
const isList = ({type, text}: WordPart): boolean => type.endsWith('Expansion') && text.includes('@');
