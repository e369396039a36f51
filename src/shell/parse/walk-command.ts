import type {Assignment, Command, Redirection as ParsedRedirection, Word as ParsedWord} from 'unbash';
import type {Redirection, Segment, Span, Word} from '../analysis.ts';
import {baseName, type Inner} from '../nested/nested-call.ts';
import {
  addChange,
  addUnknown,
  fits,
  hasRoom,
  maxDepth,
  stop,
  within,
  type Position,
  type Run,
} from './parse-run.ts';
import {spanIn} from './source.ts';
import {asPosix} from './posix.ts';
import {readRedirection} from './redirections.ts';
import {setByBuiltin, settledPieces} from './settled.ts';
import {unfold} from '../nested/unfold.ts';
import {unfoldVariable} from '../nested/unfold-variables.ts';
import {assigned, substituted} from './variables.ts';
import {assignmentWord, plainWord, readWord} from './words.ts';

/** One simple command: a segment, and what its program runs in turn. */
export function walkCommand(run: Run, node: Command, place: Position): void {
  if (!fits(run, node.prefix.length + node.suffix.length, place.source.whole)) return;
  const assignments: Word[] = [];
  const redirections: Redirection[] = [];
  const parsed: (ParsedWord | Assignment)[] = node.name ? [node.name] : [];
  let input = place.input;
  const take = (part: ParsedRedirection): void => {
    const read = readRedirection(run, part, place);
    redirections.push(read.redirection);
    if (read.input !== undefined) input = read.input;
  };
  for (const part of node.prefix) {
    if (part.type === 'Assignment') assignments.push(noteAssignment(run, part, place, !node.name));
    else take(part);
  }
  for (const part of node.suffix) {
    if (part.type === 'Word' || part.type === 'Assignment') parsed.push(part);
    else take(part);
  }
  const argv = readWords(run, parsed, place);
  const {reach, wrappers} = place;
  const raw = place.source.text.slice(node.pos, node.end);
  const span = spanIn(place.source, node.pos, node.end);
  const found = {argv, assignments, redirections, reach, wrappers, span, raw};
  const segment: Segment = place.guessed ? {...found, guessed: true} : found;
  const at = input === place.input || input === undefined ? place : {...place, input};
  addSegment(run, segment, at);
  for (const word of assignments) addInner(run, unfoldVariable(word), segment, at);
  addGuesses(run, parsed, segment, at);
}

function noteAssignment(run: Run, node: Assignment, place: Position, alone: boolean): Word {
  run.constructs.add('assignment');
  const value = alone ? plainValueOf(node, place) : undefined;
  const other = alone && isCounted(node) ? 'counts' : 'other';
  addChange(run, node.name, value === undefined ? other : {value});
  if (node.value.type === 'Word') assigned(run, node.name, node.value, place);
  return assignmentWord(node, place.source);
}

/** `x=$((x+1))`: where the arithmetic is let through, the result is an integer. */
const isCounted = ({append, index, value}: Assignment): boolean =>
  !append &&
  !index &&
  value.type === 'Word' &&
  value.parts?.length === 1 &&
  value.parts[0]!.type === 'ArithmeticExpansion';

/** What `x=value` gives, where that is written out. */
export function plainValueOf({append, index, value}: Assignment, {source}: Position): string | undefined {
  if (append || index || value.type !== 'Word') return undefined;
  const {literal, text} = plainWord(value, source);
  return literal ? text : undefined;
}

function readWords(run: Run, parsed: readonly (ParsedWord | Assignment)[], place: Position): Word[] {
  const argv: Word[] = [];
  for (const part of parsed) {
    if (part.type === 'Assignment') {
      // `export X=1`, `env X=1 cmd`: an argument, but the shell's own builtins make it a variable.
      if (part.value.type === 'Word') assigned(run, part.name, part.value, place);
      addChange(run, part.name, 'other');
      argv.push(assignmentWord(part, place.source));
      continue;
    }
    if (!part.parts) {
      const word = plainWord(part, place.source);
      if (!word.literal) run.constructs.add('tilde');
      argv.push(word);
      continue;
    }
    const settled = place.values && settledPieces(part, place.values);
    if (settled !== undefined) {
      argv.push(settledWord(part, settled, spanIn(place.source, part.pos, part.end)));
      continue;
    }
    const words = readWord(part, place.source, run.braces);
    if (words) argv.push(...words);
    else stop(run, 'a brace expansion gives too many words', spanIn(place.source, part.pos, part.end));
  }
  return argv;
}

function settledWord({text: raw, value}: ParsedWord, pieces: readonly (string | null)[], span: Span): Word {
  if (!pieces.includes(null)) return {text: pieces.join(''), raw, literal: true, span, settled: true};
  return {text: value, raw, literal: false, span, pieces, expansions: ['parameter'], numbers: true};
}

/** `c=rm; $c -rf x`, `bash -c '$0 push' git`: the same segment with what the variables may hold. */
function addGuesses(
  run: Run,
  parsed: readonly (ParsedWord | Assignment)[],
  segment: Segment,
  place: Position,
): void {
  for (const argv of substituted(run, parsed, place)) {
    addSegment(run, {...segment, argv, guessed: true}, {...place, guessed: true});
  }
  if (!segment.argv[0]?.pieces) return;
  // A program in a variable that is empty or a wrapper: `$SUDO git push`.
  const first = segment.argv.findIndex((word) => word.pieces?.[0] !== null || word.pieces.length > 1);
  if (first > 0)
    addSegment(run, {...segment, argv: segment.argv.slice(first), guessed: true}, {...place, guessed: true});
}

export function addSegment(run: Run, segment: Segment, place: Position): void {
  if (!hasRoom(run, segment.argv.length, segment.span)) return;
  run.segments.push(segment);
  for (const name of setByBuiltin(segment.argv, segment.open === true)) addChange(run, name, 'other');
  const [program] = segment.argv;
  if (!program) return;
  if (place.depth > maxDepth) return stop(run, 'wrappers are nested too deeply', program.span);
  if (!program.literal && !place.guessed) {
    addUnknown(run, 'the program is known only when it runs', program.span);
  }
  const name = baseName(program.text);
  const input = place.input === undefined ? {} : {input: place.input};
  addInner(run, unfold({segment, argv: segment.argv, name, ...input}), segment, place);
}

function addInner(run: Run, found: readonly Inner[], segment: Segment, place: Position): void {
  for (const inner of found) {
    if (inner.kind === 'unknown') {
      if (!place.guessed) addUnknown(run, inner.message, inner.span);
      continue;
    }
    if (inner.kind === 'file') {
      run.constructs.add('script-file');
      continue;
    }
    const remote = inner.remote ? within(run, place, 'remote') : within(run, place, 'wrapper');
    const deeper: Position = {
      ...remote,
      wrappers: [...place.wrappers, inner.wrapper],
      depth: place.depth + 1,
      guessed: (place.guessed || inner.guessed) ?? false,
    };
    if (inner.kind === 'script') walkInner(run, inner, deeper);
    else addCommand(run, inner, segment, deeper);
  }
}

function walkInner(run: Run, inner: Extract<Inner, {kind: 'script'}>, place: Position): void {
  // Another shell has the variables that are exported, and no others.
  const {parameters: _, values: __, ...rest} = place;
  const {source, parameters, input} = inner;
  const at = {...rest, ...(parameters ? {parameters} : {}), ...(input === null ? {input} : {})};
  const posix = inner.reader === undefined || (inner.reader === 'same' && place.posix === true);
  const text = posix ? asPosix(source.text) : source.text;
  // Where both shells read this text alike, what is evaluated in it may still be read in two ways.
  run.walkText({...at, source, posix: posix && text === source.text});
  if (text === source.text) return;
  run.walkText({...at, source: {text, whole: source.whole}, guessed: true, posix: true});
}

function addCommand(
  run: Run,
  inner: Extract<Inner, {kind: 'command'}>,
  outer: Segment,
  place: Position,
): void {
  const [first] = inner.argv;
  if (!first) return;
  const span: Span = {start: first.span.start, end: Math.max(first.span.end, inner.argv.at(-1)!.span.end)};
  // What xargs adds in `find -exec xargs x {} +` may be anything.
  const openFound = inner.openFound ?? (outer.openFound === true && !inner.open);
  const segment: Segment = {
    argv: inner.argv,
    assignments: [],
    redirections: outer.redirections,
    reach: place.reach,
    wrappers: place.wrappers,
    span,
    raw: run.text.slice(span.start, span.end),
    ...(inner.open || outer.open ? {open: true} : {}),
    ...(openFound ? {openFound} : {}),
    ...(place.guessed ? {guessed: true} : {}),
  };
  addSegment(run, segment, place);
}
