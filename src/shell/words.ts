import {parse} from 'unbash';
import type {Assignment, Word as ParsedWord, WordPart} from 'unbash';
import type {Expansion, Word} from './analysis.ts';
import {expandBraces} from './braces.ts';
import {hiddenSubstitution} from './quoted.ts';
import {spanIn, type Source} from './source.ts';

/** What brace expansion may cost in one command: `{a,b}{a,b}{a,b}…` doubles with each pair. */
export interface BraceBudget {
  words: number;
  steps: number;
}

export const newBraceBudget = (): BraceBudget => ({words: 2000, steps: 8_000_000});

/**
 * The words that bash makes of one: braces are expanded, quotes removed. Undefined when the braces give more
 * words than the budget has.
 */
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

/** A word without its braces expanded: that of an assignment, a redirection, a pattern. */
export function plainWord(parsed: ParsedWord, source: Source): Word {
  const span = spanIn(source, parsed.pos, parsed.end);
  const {text: raw, value} = parsed;
  // Most words are plain: no quotes, nothing to expand.
  if (!parsed.parts && !raw.startsWith('~') && hiddenSubstitution(raw) === undefined)
    return {text: value, raw, literal: true, span};
  return makeWord(raw, piecesOf(parsed), value, span);
}

/** `NAME=value` as a word: where it leads a command it is an assignment, behind the program an argument. */
export function assignmentWord(assignment: Assignment, source: Source): Word {
  const {text, name, value, append, index} = assignment;
  const span = spanIn(source, assignment.pos, assignment.end);
  const left = `${name}${index ? `[${index.text}]` : ''}${append ? '+=' : '='}`;
  if (value.type === 'ArrayValue') {
    return {text, raw: text, literal: false, span, pieces: [left, null], expansions: ['parameter']};
  }
  const read = piecesOf(value);
  const pieces = [left, ...read.pieces];
  const expansions =
    index && !/^\w+$/.test(index.text) ? [...read.expansions, 'arithmetic' as const] : read.expansions;
  return makeWord(text, {pieces, expansions}, left + value.value, span);
}

interface Read {
  readonly pieces: readonly (string | null)[];
  readonly expansions: readonly Expansion[];
}

function makeWord(raw: string, {pieces, expansions}: Read, value: string, span: Word['span']): Word {
  if (expansions.length === 0) return {text: pieces.join(''), raw, literal: true, span};
  return {text: value, raw, literal: false, span, pieces, expansions};
}

function piecesOf(parsed: ParsedWord): Read {
  const pieces: (string | null)[] = [];
  const expansions: Expansion[] = [];
  const hidden = hiddenSubstitution(parsed.text);
  if (hidden !== undefined) {
    pieces.push(parsed.text.slice(0, -hidden.length), null);
    expansions.push('process');
  } else if (parsed.text.startsWith('~')) addTilde(parsed, pieces, expansions);
  else if (!parsed.parts) pieces.push(parsed.value);
  else for (const part of parsed.parts) addPart(part, pieces, expansions);
  return {pieces, expansions};
}

function addTilde(parsed: ParsedWord, pieces: (string | null)[], expansions: Expansion[]): void {
  const user = /^~[A-Za-z0-9_.+-]*/.exec(parsed.text)![0];
  const parts = parsed.parts ?? [{type: 'Literal', value: parsed.value, text: parsed.text} as const];
  const [first, ...rest] = parts;
  if (first?.type !== 'Literal' || !/^(\/|$)/.test(first.value.slice(user.length))) {
    // `~"x"` and `~$x` are no tilde expansions.
    for (const part of parts) addPart(part as WordPart, pieces, expansions);
    return;
  }
  pieces.push(null, first.value.slice(user.length));
  expansions.push('tilde');
  for (const part of rest) addPart(part as WordPart, pieces, expansions);
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

function addPart(part: WordPart, pieces: (string | null)[], expansions: Expansion[]): void {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') {
    pieces.push(part.value);
  } else if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
    for (const child of part.parts) addPart(child, pieces, expansions);
  } else {
    pieces.push(null);
    expansions.push(expansionOf[part.type] ?? 'parameter');
  }
}
