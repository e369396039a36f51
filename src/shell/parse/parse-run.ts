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
import type {Changes, Settled, Values} from './settled.ts';
import type {Source} from './source.ts';

/** What `analyze` gathers while it walks; it lives as long as one call. */
export interface Run {
  /** The whole command, which the spans are about. */
  readonly text: string;
  readonly segments: Segment[];
  readonly redirections: Redirection[];
  readonly constructs: Set<Construct>;
  readonly problems: ParseProblem[];
  readonly unknown: ParseProblem[];
  readonly assigned: Assigned[];
  readonly evaluated: ParseProblem[];
  readonly braces: BraceBudget;
  /** Characters that may still be parsed: scripts in words are parsed again. */
  characters: number;
  /** Words that may still be read. */
  words: number;
  /** A bound was reached: nothing more is looked at. */
  stopped: boolean;
  /** Name → literal values that the command gives it, anywhere: for guesses only. */
  readonly variables: Map<string, string[]>;
  /** Values of variables with substitutions in them: they run if the command evaluates variables (`$((x))`, `${x@P}`). */
  readonly dormant: {readonly source: Source; readonly place: Position}[];
  evaluates: boolean;
  /** Name → what the command does to that variable, anywhere. */
  readonly changes: Map<string, Changes>;
  /** Of the second look: the variables that hold what the text says. */
  readonly settled?: Settled;
  /** Parse and walk a script that was found in a word; a field, because wrappers and scripts nest in each other. */
  readonly walkText: (place: Position) => void;
  readonly walkScript: (script: Script, place: Position) => void;
}

/** Where in the command the walk stands. */
export interface Position {
  readonly source: Source;
  readonly reach: readonly Reach[];
  readonly wrappers: readonly string[];
  readonly depth: number;
  /** What stands on stdin: literal text, null when it is not known, absent when it is that of ion itself. */
  readonly input?: Source | null;
  /** `$0 $1 …` of a script in a word. */
  readonly parameters?: readonly Word[];
  readonly guessed?: boolean;
  /** Variables that certainly have been assigned here, in this shell. */
  readonly values?: Values;
  /** The text is read as a shell without bash's own quotes reads it. */
  readonly posix?: boolean;
}

/**
 * Bounds of one analysis. Nobody types what reaches one; what does is denied wherever a decision depends on it. The
 * kernel takes 128 KiB in one argument (`MAX_ARG_STRLEN`), so no bash can be given many more commands than these.
 */
export const maxDepth = 20;
const maxSegments = 10_000;
const maxWords = 150_000;
/** One problem is enough to decide; some more help to see. */
const maxNotes = 50;

interface Walk {
  readonly text: (run: Run, place: Position) => void;
  readonly script: (run: Run, script: Script, place: Position) => void;
}

export function newRun(text: string, walk: Walk, settled?: Settled): Run {
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
    ...(settled ? {settled} : {}),
    walkText: (place) => walk.text(run, place),
    walkScript: (script, place) => walk.script(run, script, place),
  };
  return run;
}

export function addProblem(run: Run, message: string, span: Span): void {
  if (run.problems.length < maxNotes) run.problems.push({message, span});
}

/** A bound is reached: the analysis ends here, and says so. */
export function stop(run: Run, message: string, span: Span): void {
  if (!run.stopped) run.problems.unshift({message, span, limit: true});
  run.stopped = true;
}

/** Is there room for one more segment with so many words? They are charged. */
export function hasRoom(run: Run, words: number, span: Span): boolean {
  const room = fits(run, words, span);
  run.words -= words;
  return room;
}

/** The same, before they are read. */
export function fits(run: Run, words: number, span: Span): boolean {
  if (run.segments.length >= maxSegments) stop(run, `more than ${maxSegments} commands`, span);
  else if (words > run.words) stop(run, `more than ${maxWords} words`, span);
  return !run.stopped;
}

/** Text is about to be read once more: the bound is on the whole, not on the depth. */
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

/** The command changes a variable: by a plain assignment of a value, to a number, or in another way. */
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
