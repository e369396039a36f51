import type {Span} from '../analysis.ts';

/**
 * A text to analyse, and its place in the command. A script inside a word (`bash -c "…"`) is analysed on its own; its spans
 * refer to the whole command.
 */
export interface Source {
  readonly text: string;
  /** Where the text begins in the command, if the command contains it unchanged. */
  readonly start?: number;
  /** The part of the command that the text comes from. */
  readonly whole: Span;
}

export function spanIn(source: Source, start: number, end: number): Span {
  if (source.start === undefined) return source.whole;
  // A span may end behind the text: the parser reads past the end of "`\\".
  const last = source.text.length;
  return {start: source.start + Math.min(start, last), end: source.start + Math.min(end, last)};
}

/** The source for the value of a word. It is exact when the quotes contain the value unchanged. */
export function sourceOfWord(value: string, raw: string, span: Span): Source {
  const exact = raw.length === span.end - span.start;
  const at = exact ? raw.indexOf(value) : -1;
  if (at === -1 || value === '') return {text: value, whole: span};
  return {text: value, start: span.start + at, whole: span};
}
