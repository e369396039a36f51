import type {Assignment, Command, Redirection as ParsedRedirection, Word as ParsedWord} from 'unbash';
import type {Redirection, Segment, Span, Word} from '../analysis.ts';
import type {Nested} from '../nested/nested-call.ts';
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
import {setByBuiltin, knownPieces} from './known-variables.ts';
import {unfold} from '../nested/unfold.ts';
import {unfoldVariable} from '../nested/unfold-variables.ts';
import {assigned, substituted} from './variables.ts';
import {assignmentWord, plainWord, readWord} from './words.ts';
import {baseName} from '../../system/base-name.ts';

/** Adds one simple command: a segment, and everything its program runs in turn. */
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

/** `x=$((x+1))`: if the analysis accepts the arithmetic, its result is an integer. */
const isCounted = ({append, index, value}: Assignment): boolean =>
  !append &&
  !index &&
  value.type === 'Word' &&
  value.parts?.length === 1 &&
  value.parts[0]!.type === 'ArithmeticExpansion';

/** The value that `x=value` assigns, if it is literal. */
export function plainValueOf({append, index, value}: Assignment, {source}: Position): string | undefined {
  if (append || index || value.type !== 'Word') return undefined;
  const {literal, text} = plainWord(value, source);
  return literal ? text : undefined;
}

function readWords(run: Run, parsed: readonly (ParsedWord | Assignment)[], place: Position): Word[] {
  const argv: Word[] = [];
  for (const part of parsed) {
    if (part.type === 'Assignment') {
      // `export X=1`, `env X=1 cmd`: an argument for most programs, but the shell's builtins assign a variable.
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
    const pieces = place.values && knownPieces(part, place.values);
    if (pieces !== undefined) {
      argv.push(wordWithValues(part, pieces, spanIn(place.source, part.pos, part.end)));
      continue;
    }
    const words = readWord(part, place.source, run.braces);
    if (words) argv.push(...words);
    else stop(run, 'a brace expansion gives too many words', spanIn(place.source, part.pos, part.end));
  }
  return argv;
}

function wordWithValues(
  {text: raw, value}: ParsedWord,
  pieces: readonly (string | null)[],
  span: Span,
): Word {
  if (!pieces.includes(null)) return {text: pieces.join(''), raw, literal: true, span, withValues: true};
  return {text: value, raw, literal: false, span, pieces, expansions: ['parameter'], numbers: true};
}

/** `c=rm; $c -rf x`, `bash -c '$0 push' git`: adds the same segment with the values that its variables may hold. */
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
  // The program is a variable that may be empty or hold a wrapper: `$SUDO git push`.
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

function addInner(run: Run, found: readonly Nested[], segment: Segment, place: Position): void {
  for (const nested of found) {
    if (nested.kind === 'unknown') {
      if (!place.guessed) addUnknown(run, nested.message, nested.span);
      continue;
    }
    if (nested.kind === 'file') {
      run.constructs.add('script-file');
      continue;
    }
    const remote = nested.remote ? within(run, place, 'remote') : within(run, place, 'wrapper');
    const deeper: Position = {
      ...remote,
      wrappers: [...place.wrappers, nested.wrapper],
      depth: place.depth + 1,
      guessed: (place.guessed || nested.guessed) ?? false,
    };
    if (nested.kind === 'script') walkNestedScript(run, nested, deeper);
    else addCommand(run, nested, segment, deeper);
  }
}

function walkNestedScript(run: Run, nested: Extract<Nested, {kind: 'script'}>, place: Position): void {
  // Another shell inherits only exported variables.
  const {parameters: _, values: __, ...rest} = place;
  const {source, parameters, input} = nested;
  const at = {...rest, ...(parameters ? {parameters} : {}), ...(input === null ? {input} : {})};
  const posix = nested.reader === undefined || (nested.reader === 'same' && place.posix === true);
  const text = posix ? asPosix(source.text) : source.text;
  // Both shells read this text in the same way, but text that is evaluated in it may still have two readings.
  run.walkText({...at, source, posix: posix && text === source.text});
  if (text === source.text) return;
  run.walkText({...at, source: {text, whole: source.whole}, guessed: true, posix: true});
}

function addCommand(
  run: Run,
  nested: Extract<Nested, {kind: 'command'}>,
  outer: Segment,
  place: Position,
): void {
  const [first] = nested.argv;
  if (!first) return;
  const span: Span = {start: first.span.start, end: Math.max(first.span.end, nested.argv.at(-1)!.span.end)};
  // xargs may add any arguments in `find -exec xargs x {} +`.
  const openFound = nested.openFound ?? (outer.openFound === true && !nested.open);
  const segment: Segment = {
    argv: nested.argv,
    assignments: [],
    redirections: outer.redirections,
    reach: place.reach,
    wrappers: place.wrappers,
    span,
    raw: run.text.slice(span.start, span.end),
    ...(nested.open || outer.open ? {open: true} : {}),
    ...(openFound ? {openFound} : {}),
    ...(place.guessed ? {guessed: true} : {}),
  };
  addSegment(run, segment, place);
}
