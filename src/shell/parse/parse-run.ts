import type {Script} from 'unbash';
import type {
  Assigned,
  Construct,
  ParseProblem,
  Reach,
  Redirection,
  Segment,
  Span,
  Word,
} from '../analysis.ts';
import {newBraceBudget, type BraceBudget} from './words.ts';
import type {Changes, KnownVariables, Values} from './known-variables.ts';
import type {Source} from './source.ts';

/** The state of one `analyze` call. */
export interface Run {
  /** The whole command, which the spans refer to. */
  readonly text: string;
  readonly segments: Segment[];
  readonly redirections: Redirection[];
  readonly constructs: Set<Construct>;
  readonly problems: ParseProblem[];
  readonly unknown: ParseProblem[];
  readonly assigned: Assigned[];
  readonly evaluated: ParseProblem[];
  readonly braces: BraceBudget;
  /**
   * How many more characters may be parsed. Scripts inside words are parsed again, so a character may count more than once.
   */
  characters: number;
  /** How many more words may be read. */
  words: number;
  /** A bound was reached; the analysis has stopped. */
  stopped: boolean;
  /** Maps a name to the literal values that the command assigns to it anywhere. For guesses only. */
  readonly variables: Map<string, string[]>;
  /** Values with substitutions in them. The substitutions run if the command evaluates variables (`$((x))`, `${x@P}`). */
  readonly dormant: {readonly source: Source; readonly place: Position}[];
  evaluates: boolean;
  /** Maps a name to everything that the command does to that variable. */
  readonly changes: Map<string, Changes>;
  /** Only in the second analysis: the variables with known values. */
  readonly knownVariables?: KnownVariables;
  /** Parses and walks a script found in a word. It is a field because wrappers and scripts call each other recursively. */
  readonly walkText: (place: Position) => void;
  readonly walkScript: (script: Script, place: Position) => void;
}

/** The position of the walk in the command. */
export interface Position {
  readonly source: Source;
  readonly reach: readonly Reach[];
  readonly wrappers: readonly string[];
  readonly depth: number;
  /** The text on stdin: literal; null if unknown; absent for ion's own stdin. */
  readonly input?: Source | null;
  /** `$0 $1 …` of a script in a word. */
  readonly parameters?: readonly Word[];
  readonly guessed?: boolean;
  /** Variables that were certainly assigned at this point, in this shell. */
  readonly values?: Values;
  /** True for text that a shell without bash's own quotes reads. */
  readonly posix?: boolean;
}

/**
 * Bounds of one analysis. Nobody types a command that reaches one. A command that does is denied wherever a decision
 * depends on it. The kernel allows 128 KiB per argument (`MAX_ARG_STRLEN`), so bash cannot get many more commands than
 * these.
 */
export const maxDepth = 20;
const maxSegments = 10_000;
const maxWords = 150_000;
/** One problem is enough for a decision; a few more help the user. */
const maxNotes = 50;

interface Walk {
  readonly text: (run: Run, place: Position) => void;
  readonly script: (run: Run, script: Script, place: Position) => void;
}

export function newRun(text: string, walk: Walk, knownVariables?: KnownVariables): Run {
  const run: Run = {
    text,
    segments: [],
    redirections: [],
    constructs: new Set(),
    problems: [],
    unknown: [],
    assigned: [],
    evaluated: [],
    braces: newBraceBudget(),
    characters: text.length * 2 + 262_144,
    words: maxWords,
    stopped: false,
    variables: new Map(),
    dormant: [],
    evaluates: false,
    changes: new Map(),
    ...(knownVariables ? {knownVariables} : {}),
    walkText: (place) => walk.text(run, place),
    walkScript: (script, place) => walk.script(run, script, place),
  };
  return run;
}

export function addProblem(run: Run, message: string, span: Span): void {
  if (run.problems.length < maxNotes) run.problems.push({message, span});
}

/** Ends the analysis at a bound, and notes a problem. */
export function stop(run: Run, message: string, span: Span): void {
  if (!run.stopped) run.problems.unshift({message, span, limit: true});
  run.stopped = true;
}

/** Charges the budget for one more segment with this many words. False when the budget is used up. */
export function hasRoom(run: Run, words: number, span: Span): boolean {
  const room = fits(run, words, span);
  run.words -= words;
  return room;
}

/** Charges the words before they are read. */
export function fits(run: Run, words: number, span: Span): boolean {
  if (run.segments.length >= maxSegments) stop(run, `more than ${maxSegments} commands`, span);
  else if (words > run.words) stop(run, `more than ${maxWords} words`, span);
  return !run.stopped;
}

/** Charges the budget before a text is parsed again. The bound applies to the total, not to the depth. */
export function charge(run: Run, characters: number, span: Span): boolean {
  run.characters -= characters;
  if (run.characters < 0) stop(run, 'too much text is nested', span);
  return !run.stopped;
}

export function addUnknown(run: Run, message: string, span: Span): void {
  if (run.unknown.length < maxNotes) run.unknown.push({message, span});
}

export function addEvaluated(run: Run, message: string, span: Span): void {
  if (run.evaluated.length < maxNotes) run.evaluated.push({message, span});
}

export function addAssigned(run: Run, name: string, span: Span, numbers = false): void {
  run.assigned.push({name, span});
  addChange(run, name, numbers ? 'counts' : 'other');
}

/** Notes that the command changes a variable: by a plain assignment, to a number, or in another way. */
export function addChange(
  run: Run,
  name: string,
  change: 'counts' | 'other' | {readonly value: string},
): void {
  const changes = run.changes.get(name) ?? {values: [], counts: false, other: false};
  if (change === 'counts' || change === 'other') changes[change] = true;
  else changes.values.push(change.value);
  run.changes.set(name, changes);
}

export function within(run: Run, place: Position, reach: Reach & Construct): Position {
  run.constructs.add(reach);
  return {...place, reach: [...place.reach, reach]};
}
