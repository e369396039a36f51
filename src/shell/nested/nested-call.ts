import type {Segment, Span, Word} from '../analysis.ts';
import type {Source} from '../parse/source.ts';
import {sourceOfWord} from '../parse/source.ts';

/** What a wrapper runs: a command given as words, or a script given as text; or nobody can know. */
export type Inner = InnerCommand | InnerScript | InnerFile | InnerUnknown;

interface InnerCommand {
  readonly kind: 'command';
  readonly argv: readonly Word[];
  readonly wrapper: string;
  /** More arguments follow that are not known: `xargs rm`. */
  readonly open?: boolean;
  /** They are paths that find found. */
  readonly openFound?: boolean;
  /** Runs on another machine or in a container. */
  readonly remote?: boolean;
  /** The command may begin elsewhere: an option was not in the table. */
  readonly guessed?: boolean;
}

interface InnerScript {
  readonly kind: 'script';
  readonly source: Source;
  readonly wrapper: string;
  readonly parameters?: readonly Word[];
  readonly remote?: boolean;
  readonly guessed?: boolean;
  /** Who reads it: bash, or the shell that runs the wrapper; absent: some other shell, which may see more in it. */
  readonly reader?: 'bash' | 'same';
  /** What the script reads on stdin; absent when that is the wrapper's own. */
  readonly input?: null;
}

/** A shell runs a file: its text is not here. */
interface InnerFile {
  readonly kind: 'file';
}

interface InnerUnknown {
  readonly kind: 'unknown';
  readonly message: string;
  readonly span: Span;
}

/** A segment as wrappers see it. */
export interface Call {
  readonly segment: Segment;
  readonly argv: readonly Word[];
  /** The basename of the program. */
  readonly name: string;
  /** As in Place: literal text, null for not known, absent for ion's own stdin. */
  readonly input?: Source | null;
}

export function unknown(message: string, span: Span): Inner {
  return {kind: 'unknown', message, span};
}

/**
 * A script in one word or joined from several, as `eval` does it. Words that are not literal make it unknown;
 * what stands there is still looked through.
 */
export function scriptOf(words: readonly Word[], wrapper: string, more: Partial<InnerScript> = {}): Inner[] {
  const [first] = words;
  const last = words.at(-1);
  if (!first || !last) return [];
  const span = {start: first.span.start, end: last.span.end};
  const literal = words.every((word) => word.literal);
  const source: Source =
    words.length === 1
      ? sourceOfWord(first.text, first.raw, first.span)
      : {text: words.map((word) => word.text).join(' '), whole: span};
  const script: Inner = {...more, kind: 'script', source, wrapper, ...(literal ? {} : {guessed: true})};
  if (literal) return [script];
  return [script, unknown(`${wrapper} runs text that is known only when it runs`, span)];
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
