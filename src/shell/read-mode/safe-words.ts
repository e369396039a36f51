import type {Expansion, Span, Word} from '../analysis.ts';
import type {SafeRow} from './safe-options.ts';

export interface Unsafe {
  readonly why: string;
  readonly span?: Span;
}

/**
 * Expansions that a word may contain. Bash runs nothing unchecked for them, because each command substitution is checked as a
 * segment of its own.
 */
const puttable = new Set<Expansion>([
  'parameter',
  'command',
  'arithmetic',
  'process',
  'glob',
  'tilde',
  'argument',
  'found',
]);

/** Refuses a word that is not literal and may become an option. */
export function checkWord(
  word: Word,
  args: readonly Word[],
  index: number,
  row: SafeRow,
): Unsafe | undefined {
  const {span} = word;
  if (word.literal) return isOption(word) ? {why: 'an option that is not written plainly', span} : undefined;
  const kinds = word.expansions ?? [];
  if (kinds.some((kind) => !puttable.has(kind))) return {why: 'a word that is known only when it runs', span};
  if (row.harmless) return undefined;
  // test has no options that `--` could end.
  const guarded =
    !row.quotedVariables && args.slice(0, index).some(({text, literal}) => literal && text === '--');
  if (guarded || (row.optionsEnd && index > row.optionsEnd(args))) return undefined;
  if (word.splits) return {why: 'without quotes it may become options', span};
  if (row.quotedVariables && !kinds.includes('glob')) return undefined;
  // `--format="%h $x"`: the option is literal, and the expansion is part of its value.
  if (/^--[a-z][\w-]*=/.test(word.pieces?.[0] ?? '') && !kinds.includes('glob')) return undefined;
  if (row.numbersInFront && word.numbers && word.pieces?.[0] === null) return undefined;
  return startsPlainly(word)
    ? undefined
    : {why: 'a word that may become an option: put "--" or "./" before it', span};
}

/** Reports whether the word certainly begins with a character that does not start an option. */
export function startsPlainly({expansions = [], pieces = [null]}: Word): boolean {
  const unknown = pieces.indexOf(null);
  const start = pieces.slice(0, unknown).join('');
  // A path from find begins with a start point of find. A process substitution becomes /dev/fd/63.
  if (start === '') return ['tilde', 'found', 'process'].includes(expansions[0] ?? '');
  return !/^[-+]/.test(start);
}

const isOption = ({text, raw, fromBraces}: Word): boolean =>
  text.startsWith('-') && (fromBraces === true || /\\|\$'/.test(raw));

/** Checks the unknown words that follow: lines that xargs reads, or paths that find found. */
export function openWords({
  open,
  openFound,
  argv,
}: {
  open?: boolean;
  openFound?: boolean;
  argv: readonly Word[];
}): Word[] {
  if (!open) return [];
  const last = argv.at(-1)!;
  const word: Word = {
    text: '',
    raw: '',
    literal: false,
    span: last.span,
    pieces: [null],
    expansions: [openFound ? 'found' : 'argument'],
  };
  return [word, word];
}
