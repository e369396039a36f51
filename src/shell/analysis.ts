/** The result of `analyze`, as plain data: what a bash command would run. */

/** A half-open range of UTF-16 code units in the analysed text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Word {
  /** The word after quote removal if it is literal; otherwise its source text. */
  readonly text: string;
  /** The word as written. */
  readonly raw: string;
  /** False when bash may change the word: expansion, substitution, glob, brace, tilde. */
  readonly literal: boolean;
  readonly span: Span;
  /** Set only for a word that is not literal: its parts in order. null is a part that is known only at run time. */
  readonly pieces?: readonly (string | null)[];
  /** Set only for a word that is not literal: the expansions in it. */
  readonly expansions?: readonly Expansion[];
  /** True when the analysis expanded braces to get this word: `{git,push}` gives two words. */
  readonly fromBraces?: boolean;
  /** bash may split the word into several words or drop it: an unquoted expansion, or `"$@"`. Globs do not count. */
  readonly splits?: boolean;
  /** The analysis replaced the variables in this word by their known values. */
  readonly withValues?: boolean;
  /** Set only for a word that is not literal: its unknown parts are integers. */
  readonly numbers?: boolean;
}

export type Expansion =
  | 'parameter'
  | 'command'
  | 'arithmetic'
  | 'process'
  | 'glob'
  | 'brace'
  | 'tilde'
  /** An argument that a wrapper inserts: a line that `xargs -I{}` reads, or a path that `find -exec` found. */
  | 'argument'
  | 'found';

/** How bash reaches a segment, outermost first. */
export type Reach =
  | 'list'
  | 'pipeline'
  | 'background'
  | 'subshell'
  | 'group'
  | 'control-flow'
  | 'function'
  | 'substitution'
  | 'process-substitution'
  | 'here-document'
  | 'wrapper'
  | 'remote';

export interface Redirection {
  readonly operator: string;
  /** The descriptor that it redirects, if the command names one. */
  readonly descriptor?: number;
  /** The variable that gets the descriptor: `{fd}<file`. */
  readonly variable?: string;
  readonly target?: Word;
  readonly writes: boolean;
  readonly span: Span;
}

/** One simple command that bash would run, anywhere in the text. */
export interface Segment {
  readonly argv: readonly Word[];
  /** Leading assignments (`FOO=1`), without quotes. */
  readonly assignments: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly reach: readonly Reach[];
  /** The names of the wrapper programs around it, outermost first (`sudo`, `xargs`, `bash -c`). */
  readonly wrappers: readonly string[];
  readonly span: Span;
  readonly raw: string;
  /** True when unknown arguments follow: `xargs rm`, `find -exec rm {} +`. */
  readonly open?: boolean;
  /** True when the unknown arguments are paths that find found. Each begins with one of find's start points. */
  readonly openFound?: boolean;
  /** If the segment is only a guess: the place where it was found. Guesses count for denials only. */
  readonly guessed?: boolean;
}

export interface Assigned {
  readonly name: string;
  readonly span: Span;
}

export interface ParseProblem {
  readonly message: string;
  readonly span: Span;
  /** True when the analysis reached a bound and did not read the command to its end. */
  readonly limit?: boolean;
}

/** Constructs of the shell grammar. Some rules accept only commands without them. */
export type Construct =
  | Reach
  | 'assignment'
  | 'redirection'
  | 'expansion'
  | 'glob'
  | 'brace'
  | 'tilde'
  | 'arithmetic'
  | 'test'
  | 'negation'
  | 'loop'
  | 'time'
  | 'coprocess'
  | 'here-document-expansion'
  | 'script-file';

export interface Analysis {
  readonly text: string;
  readonly segments: readonly Segment[];
  /** All constructs that occur in the command. */
  readonly constructs: ReadonlySet<Construct>;
  /** Redirections of compound commands: `{ …; } > file`. Redirections of simple commands are in their segments. */
  readonly redirections: readonly Redirection[];
  /** If there are any, the analysis is incomplete, and a decision that depends on it is a denial. */
  readonly problems: readonly ParseProblem[];
  /** True when a part is known only at run time: a variable as the program, `eval "$x"`, a script on stdin. */
  readonly opaque: boolean;
  /** The parts that make it opaque. */
  readonly unknown: readonly ParseProblem[];
  /** Variables that the grammar sets, besides assignments before a command: `for x`, `${x:=y}`, `{x}<f`. */
  readonly assigned: readonly Assigned[];
  /**
   * Parts that bash evaluates a second time, or that only bash can read correctly. A rule that allows by text refuses
   * these.
   */
  readonly evaluated: readonly ParseProblem[];
  /**
   * The same command with known variables replaced by their values. Denials do not use it, because they must hold even
   * if such a value is wrong.
   */
  readonly withValues?: Analysis;
}
