import type {Construct, ParseProblem, Reach, Redirection, Segment, Span, Word} from './analysis.ts';
import {newBraceBudget, type BraceBudget} from './words.ts';
import type {Source} from './source.ts';

/** What `analyze` gathers while it walks; it lives as long as one call. */
export interface Run {
  readonly segments: Segment[];
  readonly redirections: Redirection[];
  readonly constructs: Set<string>;
  readonly problems: ParseProblem[];
  readonly unknown: ParseProblem[];
  readonly braces: BraceBudget;
  /** Characters that may still be parsed: scripts in words are parsed again. */
  characters: number;
  /** Name → literal values that the command gives it, anywhere: for guesses only. */
  readonly variables: Map<string, string[]>;
  /** Values of variables with substitutions in them: they run if the command evaluates variables (`$((x))`, `${x@P}`). */
  readonly dormant: {readonly text: string; readonly place: Place}[];
  evaluates: boolean;
  /** Parse and walk a script that was found in a word; a field, because wrappers and scripts nest in each other. */
  readonly walkText: (place: Place) => void;
}

/** Where in the command the walk stands. */
export interface Place {
  readonly source: Source;
  readonly reach: readonly Reach[];
  readonly wrappers: readonly string[];
  readonly depth: number;
  /** What stands on stdin: literal text, null when it is not known, absent when it is that of ion itself. */
  readonly input?: Source | null;
  /** `$0 $1 …` of a script in a word. */
  readonly parameters?: readonly Word[];
  readonly guessed?: boolean;
  /** The text is read as a shell without bash's own quotes reads it. */
  readonly posix?: boolean;
}

export const maxDepth = 48;

export function newRun(text: string, walkText: (run: Run, place: Place) => void): Run {
  const run: Run = {
    segments: [],
    redirections: [],
    constructs: new Set(),
    problems: [],
    unknown: [],
    braces: newBraceBudget(),
    characters: text.length * 4 + 65_536,
    variables: new Map(),
    dormant: [],
    evaluates: false,
    walkText: (place) => walkText(run, place),
  };
  return run;
}

export function addProblem(run: Run, message: string, span: Span): void {
  run.problems.push({message, span});
}

export function addUnknown(run: Run, message: string, span: Span): void {
  run.unknown.push({message, span});
}

export function within(run: Run, place: Place, reach: Reach & Construct): Place {
  run.constructs.add(reach);
  return {...place, reach: [...place.reach, reach]};
}
