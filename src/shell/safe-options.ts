import type {Span, Word} from './analysis.ts';

/** What a safe program may be given. Options are exact: no abbreviations, nothing that is not listed. */
export interface SafeRow {
  /** Options that stand alone, or with an optional value behind `=`. */
  readonly flags?: string;
  /** Options that take a value. */
  readonly values?: string;
  /** No option of the program writes or runs anything: expansions may stand anywhere. */
  readonly harmless?: boolean;
  /** A variable in quotes is no option, wherever it stands: `[ "$x" = y ]`. */
  readonly quotedVariables?: boolean;
  /** bash runs it itself. */
  readonly builtin?: boolean;
  /** Names of the real file, where that is not the program's own. */
  readonly files?: readonly string[];
  /** `-5`, `+5`. */
  readonly numbers?: boolean;
  /** The most operands that it may have. */
  readonly operands?: number;
  /** Operands are not paths: patterns, texts, names. */
  readonly texts?: boolean;
  /** How many operands in front are no paths: the pattern of grep. */
  readonly leadingTexts?: number;
  /** Words are not options at all: `echo`, `test`. */
  readonly free?: boolean;
  /** What the table can't say. */
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
  if (!Array.isArray(scan)) return scan;
  const loose = row.operands === undefined ? undefined : scan.find(({literal}) => !literal);
  if (loose) return {why: `${name} with a word that may become several`, span: loose.span};
  if (row.operands !== undefined && scan.length > row.operands) {
    return {why: `${name} with more than ${row.operands} operands may write`, span: scan[row.operands]!.span};
  }
  if (!readable || row.texts) return undefined;
  const secret = scan.slice(row.leadingTexts ?? 0).find((word) => !readable(word.text));
  return secret && {why: `${JSON.stringify(secret.text)} is not readable`, span: secret.span};
}

/** The operands, or why an option is refused. Options may stand anywhere before `--`, as getopt reads them. */
export function scanStrictly(name: string, args: readonly Word[], row: SafeRow): Word[] | Refusal {
  const flags = new Set(row.flags?.split(' '));
  const values = new Set(row.values?.split(' '));
  const operands: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    const {text} = word;
    if (text === '--') return [...operands, ...args.slice(at + 1)];
    if (!text.startsWith('-') || text === '-') {
      if (!(row.numbers && /^\+\d+$/.test(text))) operands.push(word);
      continue;
    }
    if (row.numbers && /^-\d+[bkmclqv]*$/.test(text)) continue;
    const used = text.startsWith('--') ? longOption(text, flags, values) : shortOptions(text, flags, values);
    if (used === undefined)
      return {why: `${name} ${text} is not among the options known to be safe`, span: word.span};
    at += used;
  }
  return operands;
}

/** How many words behind it an option takes; undefined when it is not listed. */
function longOption(
  text: string,
  flags: ReadonlySet<string>,
  values: ReadonlySet<string>,
): number | undefined {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  if (values.has(name)) return equals === -1 ? 1 : 0;
  return flags.has(name) ? 0 : undefined;
}

function shortOptions(
  text: string,
  flags: ReadonlySet<string>,
  values: ReadonlySet<string>,
): number | undefined {
  if (flags.has(text)) return 0;
  if (values.has(text)) return 1;
  for (let i = 1; i < text.length; i++) {
    const letter = text[i]!;
    if (values.has(letter)) return i + 1 < text.length ? 0 : 1;
    if (!flags.has(letter)) return undefined;
  }
  return 0;
}
