/** What a bash command says, as plain data: the result of `analyze`. */

/** Half-open range of UTF-16 code units in the text that was analysed. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Word {
  /** The word after quote removal, where it is literal; what stands in the source otherwise. */
  readonly text: string;
  /** The word as written. */
  readonly raw: string;
  /** False when bash may turn it into something else: expansion, substitution, glob, brace, tilde. */
  readonly literal: boolean;
  readonly span: Span;
  /** Of a word that is not literal: its text in order, null for what only bash can know when it runs. */
  readonly pieces?: readonly (string | null)[];
  /** Of a word that is not literal: what bash does with it. */
  readonly expansions?: readonly Expansion[];
  /** True when the word came out of a brace expansion that was done here: `{git,push}` gives two words. */
  readonly fromBraces?: boolean;
  /** Bash may make several words of it, or none: an expansion without quotes, or `"$@"`. Globs are not counted. */
  readonly splits?: boolean;
  /** An expansion of variables that hold what the text says: their values have been put in. */
  readonly settled?: boolean;
  /** Of a word that is not literal: what is not known in it is integers, and nothing else. */
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
  /** What a wrapper puts in: a line that `xargs -I{}` reads; a path that `find -exec` found. */
  | 'argument'
  | 'found';

/** How bash gets to a segment, outermost first. */
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
  /** The descriptor it changes, where it is written. */
  readonly descriptor?: number;
  /** The variable that gets the descriptor: `{fd}<file`. */
  readonly variable?: string;
  readonly target?: Word;
  readonly writes: boolean;
  readonly span: Span;
}

/** One simple command that bash would run, wherever it stands. */
export interface Segment {
  readonly argv: readonly Word[];
  /** Leading assignments (`FOO=1`), quotes removed. */
  readonly assignments: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly reach: readonly Reach[];
  /** Names of the wrapper programs around it, outermost first (`sudo`, `xargs`, `bash -c`). */
  readonly wrappers: readonly string[];
  readonly span: Span;
  readonly raw: string;
  /** True when more arguments follow that can't be known here: `xargs rm`, `find -exec rm {} +`. */
  readonly open?: boolean;
  /** True when these are paths that find found: they begin as its start points do. */
  readonly openFound?: boolean;
  /** Where the segment was found when it is not a plain command of the text: a guess, used for denials only. */
  readonly guessed?: boolean;
}

export interface Assigned {
  readonly name: string;
  readonly span: Span;
}

export interface ParseProblem {
  readonly message: string;
  readonly span: Span;
  /** A bound was reached: the command was not looked through to its end. */
  readonly limit?: boolean;
}

/** Names of what stands somewhere in a command, for rules that ask for plain ones. */
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
  /** Names of the constructs that stand somewhere in the command. */
  readonly constructs: ReadonlySet<Construct>;
  /** Redirections of compound commands: `{ …; } > file`. Those of simple commands stand in their segments. */
  readonly redirections: readonly Redirection[];
  /** Not empty: what is known is not the whole truth; a decision that depends on it is a denial. */
  readonly problems: readonly ParseProblem[];
  /** True when a part can be known only when it runs: a variable as program, `eval "$x"`, a script on stdin. */
  readonly opaque: boolean;
  /** The parts that make it opaque. */
  readonly unknown: readonly ParseProblem[];
  /** Variables that the grammar sets, beside assignments before a command: `for x`, `${x:=y}`, `{x}<f`. */
  readonly assigned: readonly Assigned[];
  /** Parts that bash evaluates beyond the text, or reads in a way that only bash knows. Who allows by the text refuses these. */
  readonly evaluated: readonly ParseProblem[];
  /** The same command with the values put in that its variables certainly have. Not for denials: who runs it may know better. */
  readonly settled?: Analysis;
}
