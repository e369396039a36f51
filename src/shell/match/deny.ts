import type {Analysis, Segment, Word} from '../analysis.ts';
import {compileGlob, runGlob, type Glob} from './glob.ts';
import {globalOptions} from '../nested/global-options.ts';
import {insideInterpreter} from '../nested/inside.ts';
import {possibleOperands, scanOptions} from '../options.ts';
import {baseName} from '../../system/base-name.ts';

/** The spelling of a segment that a pattern matched. */
export type Form =
  'as written' | 'unquoted' | 'basename' | 'without assignments' | 'without global options' | 'what it runs';

export interface DenyMatch {
  readonly pattern: string;
  readonly index: number;
  readonly segment: Segment;
  readonly form: Form;
}

type Pieces = readonly (string | null)[];

interface Spelling {
  readonly form: Form;
  readonly pieces: Pieces;
}

/** All patterns that match a segment, in the order of the patterns. The form is the plainest that matches. */
export function matchDenied(patterns: readonly string[], analysis: Analysis): DenyMatch[] {
  return [...matches(patterns, analysis.segments, asText)];
}

/** The first match, for callers that only deny. */
export function firstDenied(patterns: readonly string[], analysis: Analysis): DenyMatch | undefined {
  return first(matches(patterns, analysis.segments, asText));
}

/**
 * The first pattern that may match at run time because parts of the command are unknown: `git $what` may be `git push`,
 * `echo $what` may not.
 */
export function mayBeDenied(patterns: readonly string[], analysis: Analysis): DenyMatch | undefined {
  const unclear = analysis.segments.filter(({argv, open}) => open || argv.some((word) => !word.literal));
  return first(matches(patterns, unclear, asPieces));
}

function first<T>(found: Iterable<T>): T | undefined {
  for (const one of found) return one;
  return undefined;
}

function* matches(
  patterns: readonly string[],
  segments: readonly Segment[],
  spell: Spell,
): Generator<DenyMatch> {
  const spelled = segments.map((segment) => ({
    segment,
    spellings: [...spellings(segment, spell), ...doubtful(segment, spell)],
  }));
  const starts = spelled.flatMap((one) => one.spellings.map(({pieces}) => pieces[0] ?? ''));
  for (let index = 0; index < patterns.length; index++) {
    const pattern = patterns[index]!;
    if (!mayBegin(pattern, starts)) continue;
    const globs = globsOf(pattern);
    for (const {segment, spellings} of spelled) {
      const spelling = spellings.find(({pieces}) => globs.some((glob) => runGlob(glob, pieces)));
      if (spelling) yield {pattern, index, segment, form: spelling.form};
    }
  }
}

const [star, questionMark] = ['*', '?'].map((character) => character.charCodeAt(0));

/**
 * Reports whether the literal start of the pattern is a prefix of one of the texts, as far as that text is known. Very few of ten
 * thousand patterns pass this check, and only those are compiled.
 */
function mayBegin(pattern: string, starts: readonly string[]): boolean {
  for (let which = 0; which < starts.length; which++) {
    if (isCommonStart(pattern, starts[which]!)) return true;
  }
  return false;
}

function isCommonStart(pattern: string, text: string): boolean {
  const length = Math.min(pattern.length, text.length);
  for (let at = 0; at < length; at++) {
    const code = pattern.charCodeAt(at);
    if (code === star || code === questionMark) return true;
    if (code !== text.charCodeAt(at)) return false;
  }
  return true;
}

/** `sudo *` matches sudo with any arguments, and without arguments. */
function globsOf(pattern: string): Glob[] {
  const glob = compileGlob(pattern);
  return pattern.endsWith(' *') ? [glob, compileGlob(pattern.slice(0, -2))] : [glob];
}

/** Every spelling of a segment as one text, to compare with the command prefix of a rule. */
export function spelledTexts(segment: Segment): string[] {
  return spellings(segment, asText).map(({pieces}) => pieces.join(''));
}

type Spell = (words: readonly Word[], open: boolean) => Pieces;

function spellings(segment: Segment, spell: Spell): Spelling[] {
  const {argv, assignments, open = false} = segment;
  const list: Spelling[] = [{form: 'as written', pieces: [segment.raw]}];
  const add = (form: Form, words: readonly Word[]): void => {
    const pieces = spell(words, open);
    if (pieces.length !== 1 || pieces[0] !== segment.raw) list.push({form, pieces});
  };
  add('unquoted', assignments.length > 0 ? [...assignments, ...argv] : argv);
  if (assignments.length > 0) add('without assignments', argv);
  const [program, ...args] = argv;
  if (!program) return list;
  const named = inFolder(program);
  if (named) add('basename', [named, ...args]);
  const ofGit = asGit(named ?? program);
  if (ofGit) add('basename', [...ofGit, ...args]);
  const bare = withoutGlobalOptions(named ? [named, ...args] : argv);
  if (bare) add('without global options', bare);
  for (const inside of insideInterpreter(argv, (named ?? program).text)) {
    for (const words of namedWays(inside)) add('what it runs', words);
  }
  return list;
}

/**
 * The same command in other spellings: as written, by the base name of its program, as a git subcommand, without the
 * program's global options.
 */
function namedWays(argv: readonly Word[]): (readonly Word[])[] {
  const [program, ...args] = argv;
  const named = inFolder(program!) ?? program!;
  const ofGit = asGit(named);
  const bare = withoutGlobalOptions([named, ...args]);
  return [argv, [named, ...args], ...(ofGit ? [[...ofGit, ...args]] : []), ...(bare ? [bare] : [])];
}

/** `git-push`, a program in a folder of git's own, means `git push`. `git-push.sh` is another script. */
function asGit(program: Word): readonly Word[] | undefined {
  if (!program.literal || !/^git-[^.]+$/.test(program.text)) return undefined;
  const word = (text: string): Word => ({...program, text, pieces: [text]});
  return [word('git'), word(program.text.slice(4))];
}

function inFolder(program: Word): Word | undefined {
  const slash = program.text.lastIndexOf('/');
  if (slash === -1) return undefined;
  const text = program.text.slice(slash + 1);
  const pieces = program.pieces && lastPieces(program.pieces);
  return {...program, text, ...(pieces ? {pieces} : {})};
}

function lastPieces(pieces: Pieces): Pieces {
  const at = pieces.findLastIndex((piece) => piece?.includes('/'));
  if (at === -1) return pieces;
  const piece = pieces[at]!;
  return [baseName(piece), ...pieces.slice(at + 1)];
}

function withoutGlobalOptions(argv: readonly Word[]): readonly Word[] | undefined {
  const name = argv[0]!.text;
  if (!Object.hasOwn(globalOptions, name)) return undefined;
  const {next} = scanOptions(argv, 1, globalOptions[name]!);
  return next > 1 ? [argv[0]!, ...argv.slice(next)] : undefined;
}

/** The command after options that ion does not know. For denials only: the word may not be an operand at all. */
function doubtful({argv, open = false}: Segment, spell: Spell): Spelling[] {
  const [program, ...args] = argv;
  const named = program && (inFolder(program) ?? program);
  if (!named || !Object.hasOwn(globalOptions, named.text)) return [];
  const spec = globalOptions[named.text]!;
  if (scanOptions(argv, 1, spec).certain) return [];
  const form = 'without global options';
  const operands = possibleOperands(argv, 1, spec);
  // There are too many texts to compare. So anything may follow.
  if (operands.length > maxOperands) return [{form, pieces: [`${named.text} `, null]}];
  return operands.map((at) => ({form, pieces: spell([named, ...args.slice(at - 1)], open)}));
}

const maxOperands = 64;

function asText(words: readonly Word[]): Pieces {
  return [words.map((word) => word.text).join(' ')];
}

/** An unknown word may vanish or become several words, so the space before it is part of the unknown. */
function asPieces(words: readonly Word[], open: boolean): Pieces {
  const pieces: (string | null)[] = [];
  for (const word of words) {
    const known = word.pieces ?? [word.text];
    if (known[0] !== null && pieces.length > 0) pieces.push(' ');
    pieces.push(...known);
  }
  return open ? [...pieces, null] : pieces;
}
