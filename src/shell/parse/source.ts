import type {Span} from '../analysis.ts';

/**
 * A text that is analysed, and where it lies in the command: scripts inside words (`bash -c "…"`) are analysed
 * on their own, and what they say is shown at its place in the whole.
 */
export interface Source {
  readonly text: string;
  /** Where the text begins in the command, when it stands there letter by letter. */
  readonly start?: number;
  /** The part of the command that it comes from. */
  readonly whole: Span;
}

export function spanIn(source: Source, start: number, end: number): Span {
  if (source.start === undefined) return source.whole;
  // The parser looks past the end of what has none: "`\\".
  const last = source.text.length;
  return {start: source.start + Math.min(start, last), end: source.start + Math.min(end, last)};
}

/** The source for the value of a word: exact when the value stands unchanged between its quotes. */
export function sourceOfWord(value: string, raw: string, span: Span): Source {
  const exact = raw.length === span.end - span.start;
  const at = exact ? raw.indexOf(value) : -1;
  if (at === -1 || value === '') return {text: value, whole: span};
  return {text: value, start: span.start + at, whole: span};
}
