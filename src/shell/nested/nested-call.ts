import type {Segment, Span, Word} from '../analysis.ts';
import type {Source} from '../parse/source.ts';
import {sourceOfWord} from '../parse/source.ts';

/** The command of a wrapper: words, the text of a script, or unknown. */
export type Nested = NestedCommand | NestedScript | NestedFile | NestedUnknown;

interface NestedCommand {
  readonly kind: 'command';
  readonly argv: readonly Word[];
  readonly wrapper: string;
  /** Unknown arguments follow: `xargs rm`. */
  readonly open?: boolean;
  /** The unknown arguments are paths that find found. */
  readonly openFound?: boolean;
  /** Runs on another machine or in a container. */
  readonly remote?: boolean;
  /** The command may begin at another word: the table lacks one of the options. */
  readonly guessed?: boolean;
}

interface NestedScript {
  readonly kind: 'script';
  readonly source: Source;
  readonly wrapper: string;
  readonly parameters?: readonly Word[];
  readonly remote?: boolean;
  readonly guessed?: boolean;
  /**
   * The shell that reads the script: bash, or the shell that runs the wrapper. Absent: another shell, which may read it
   * differently.
   */
  readonly reader?: 'bash' | 'same';
  /** null: the script's stdin is unknown. Absent: it is the wrapper's stdin. */
  readonly input?: null;
}

/** A shell runs a file. The analysis does not see its text. */
interface NestedFile {
  readonly kind: 'file';
}

interface NestedUnknown {
  readonly kind: 'unknown';
  readonly message: string;
  readonly span: Span;
}

/** A segment, as the wrapper functions get it. */
export interface Call {
  readonly segment: Segment;
  readonly argv: readonly Word[];
  /** The base name of the program. */
  readonly name: string;
  /** The same as in Position: literal text; null if unknown; absent for ion's own stdin. */
  readonly input?: Source | null;
}

export function unknown(message: string, span: Span): Nested {
  return {kind: 'unknown', message, span};
}

/**
 * A script in one word, or in several words that are joined as `eval` does. Words that are not literal make the result
 * unknown, but their text is analysed too.
 */
export function scriptOf(
  words: readonly Word[],
  wrapper: string,
  details: Partial<NestedScript> = {},
): Nested[] {
  const [first] = words;
  if (!first) return [];
  const span = spanOf(words);
  const literal = words.every((word) => word.literal);
  const source: Source =
    words.length === 1
      ? sourceOfWord(first.text, first.raw, first.span)
      : {text: words.map((word) => word.text).join(' '), whole: span};
  const script: Nested = {...details, kind: 'script', source, wrapper, ...(literal ? {} : {guessed: true})};
  if (literal) return [script];
  return [script, unknown(`${wrapper} runs text that is known only when it runs`, span)];
}

/** The words need not be in the order of the command: in `<<< b xargs eval a`, `b` is the last word of `eval`. */
function spanOf(words: readonly Word[]): Span {
  return words
    .map(({span}) => span)
    .reduce((all, {start, end}) => ({start: Math.min(all.start, start), end: Math.max(all.end, end)}));
}
