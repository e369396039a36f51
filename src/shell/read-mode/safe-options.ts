import type {Span, Word} from '../analysis.ts';

/** The arguments that a safe program may get. Options are exact: no abbreviations, and only listed ones. */
export interface SafeRow {
  /** Options without a value, or with an optional value after `=`. */
  readonly flags?: string;
  /** Options that take a value. */
  readonly values?: string;
  /** Letters with an optional value, which must be in the same word: `-U5`. */
  readonly optional?: string;
  /**
   * Where a letter of `values` may be in a word, for programs that do not read combined letters as getopt does. `tree -Po a
   * OUT` gives `a` to `-P` and `OUT` to `-o`; `xxd -ac` is `-a`. 'first': only as the first letter. 'alone': only as the
   * only letter.
   */
  readonly valueLetters?: 'first' | 'alone';
  /** Some versions read every word after the first operand as an operand, and write to the second operand. */
  readonly optionsFirst?: boolean;
  /** No option of the program writes or runs anything, so expansions may occur anywhere. */
  readonly harmless?: boolean;
  /** A quoted variable is never an option, wherever it is: `[ "$x" = y ]`. */
  readonly quotedVariables?: boolean;
  /** bash itself runs it. */
  readonly builtin?: boolean;
  /** Names of the real file, if they differ from the program's name. Without machine and version. */
  readonly files?: readonly string[];
  /** Numbers are options: `-5` and `+5`. If `harmless` is set, letters may follow, as in `tail -5f`. */
  readonly numbers?: boolean;
  /** A word that begins with a number is not an option, even a negative one. */
  readonly numbersInFront?: boolean;
  /** The maximum number of operands. */
  readonly operands?: number;
  /** Returns why an operand does more than read. */
  readonly refusesOperand?: (word: Word) => string | undefined;
  /** Operands are not paths: patterns, texts, names. */
  readonly texts?: boolean;
  /** How many of the first operands are not paths: the pattern of grep. */
  readonly leadingTexts?: number;
  /** The index of the first word that cannot be an option. */
  readonly optionsEnd?: (words: readonly Word[]) => number;
  /** True if no word is an option: `echo`, `test`. */
  readonly free?: boolean;
  /** A check that the other fields cannot express. */
  readonly check?: (words: readonly Word[]) => string | undefined;
}

interface Refusal {
  readonly why: string;
  readonly span?: Span;
}

export function checkOptions(
  name: string,
  args: readonly Word[],
  row: SafeRow,
  readable?: (path: string) => boolean,
): Refusal | undefined {
  const special = row.check?.(args);
  if (special) return {why: special};
  if (row.free) return undefined;
  const scan = scanStrictly(name, args, row);
  if ('why' in scan) return scan;
  const {operands} = scan;
  const several = ({splits, expansions}: Word): boolean =>
    splits === true || expansions?.includes('glob') === true;
  const loose = row.operands === undefined ? undefined : operands.find(several);
  if (loose) return {why: `${name} with a word that may become several`, span: loose.span};
  if (row.operands !== undefined && operands.length > row.operands) {
    return {
      why: `${name} with more than ${row.operands} operands may write`,
      span: operands[row.operands]!.span,
    };
  }
  for (const word of operands) {
    const why = row.refusesOperand?.(word);
    if (why) return {why, span: word.span};
  }
  if (!readable || row.texts) return undefined;
  const secret = operands.slice(row.leadingTexts ?? 0).find((word) => !readable(word.text));
  return secret && {why: `${JSON.stringify(secret.text)} is not readable`, span: secret.span};
}

export interface StrictScan {
  readonly operands: readonly Word[];
  /** The options as written, without their values. */
  readonly options: readonly string[];
}

/** Options and operands, or why an option is refused. Options may be anywhere before `--`, as getopt reads them. */
export function scanStrictly(name: string, args: readonly Word[], row: SafeRow): StrictScan | Refusal {
  const known = lettersAndNames(row);
  const number = row.harmless ? /^-\d+[bkmclqv]*$/ : /^-\d+$/;
  const operands: Word[] = [];
  const options: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const {text} = word;
    if (row.optionsFirst && operands.length > 0 && /^-./.test(text)) {
      return {why: `${name} with ${text} after an operand may write`, span: word.span};
    }
    if (text === '--') return {operands: [...operands, ...args.slice(at + 1)], options};
    if (!text.startsWith('-') || text === '-') {
      if (!(row.numbers && /^\+\d+$/.test(text))) operands.push(word);
      continue;
    }
    options.push(text.startsWith('--') ? text.replace(/=.*$/s, '') : text);
    if (row.numbers && number.test(text)) continue;
    const used = text.startsWith('--') ? longOption(text, known) : shortOptions(text, known);
    if (used === undefined)
      return {why: `${name} ${text} is not among the options known to be safe`, span: word.span};
    at += used;
    // `git grep -e -- *`: here `--` does not end the options, and file names may look like options.
    if (args[at]?.text === '--' && !row.harmless && args.some(({literal}) => !literal))
      return {why: `${name} ${text} with "--" for its value`, span: word.span};
  }
  return {operands, options};
}

interface Known {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
  readonly valueLetters: 'anywhere' | 'first' | 'alone';
}

function lettersAndNames({flags, values, optional, valueLetters}: SafeRow): Known {
  return {
    flags: new Set(flags?.split(' ')),
    values: new Set(values?.split(' ')),
    optional: new Set(optional?.split(' ')),
    valueLetters: valueLetters ?? 'anywhere',
  };
}

/** How many of the following words belong to the option; undefined when the option is unknown. */
function longOption(text: string, {flags, values}: Known): number | undefined {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (values.has(name)) return equals === -1 ? 1 : 0;
  return flags.has(name) ? 0 : undefined;
}

function shortOptions(text: string, {flags, values, optional, valueLetters}: Known): number | undefined {
  if (flags.has(text)) return 0;
  if (values.has(text)) return 1;
  for (let i = 1; i < text.length; i++) {
    const letter = text[i]!;
    if (values.has(letter)) {
      if (valueLetters !== 'anywhere' && i > 1) return undefined;
      if (valueLetters === 'alone' && text.length > 2) return undefined;
      return i + 1 < text.length ? 0 : 1;
    }
    if (optional.has(letter)) return 0;
    if (!flags.has(letter)) return undefined;
  }
  return 0;
}
