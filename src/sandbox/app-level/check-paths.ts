import type {Analysis, Construct, Redirection, Segment, Span, Word} from '../../shell/analysis.ts';
import {checkSafe} from '../../shell/read-mode/safe.ts';
import {makeAccess, type Access} from './access.ts';
import {builtinProblem, folderOperands, hasNoPaths, isBuiltin, nameProblem} from './builtins.ts';
import type {Context, PathCheckInput, PathProblem} from './path-check-input.ts';
import {reachableFolders} from './folders.ts';
import {inlineCode, isAwk} from './inline-code.ts';
import {makeResolver} from './resolver.ts';
import {realProblem, wordProblem, wordsProblem} from './word-check.ts';
import {baseName} from '../../system/base-name.ts';

export interface PathCheck {
  readonly problem?: PathProblem;
}

/**
 * Replaces the sandbox where the operating system has none: every path, redirection target and program that the command
 * names must be in the roots, as resolved now. Text that ion cannot follow is a problem, and so is every error.
 *
 * This check is not a boundary. It does not see a script in a file, a Makefile, a symlink that is made during the run,
 * or a name that a program computes.
 */
export function checkPaths(input: PathCheckInput): PathCheck {
  const problem = findProblem(input);
  return problem ? {problem} : {};
}

function findProblem(input: PathCheckInput): PathProblem | undefined {
  const {analysis, environment} = input;
  const whole = {start: 0, end: analysis.text.length};
  const unclear = (what: string, span: Span = whole): PathProblem => ({kind: 'unclear', what, span});
  const [gap] = [...analysis.problems, ...analysis.unknown];
  if (gap) return unclear(gap.message, gap.span);
  for (const [construct, why] of unreadable) {
    if (analysis.constructs.has(construct)) return unclear(why);
  }
  const set = settingVariables.find((name) => environment[name] !== undefined);
  if (set) return unclear(`${set} is set, which changes how bash reads a command`);
  const odd = oddText(analysis);
  if (odd) return unclear(odd);

  const resolver = makeResolver();
  const folders = reachableFolders(analysis.segments, input, resolver);
  if (!folders) return unclear('ion cannot tell which folder it will be in');
  const context: Context = {
    ...input,
    resolver,
    folders,
    mayUse: makeAccess(input.roots, resolver),
    budget: {left: maxLooks},
  };
  for (const segment of analysis.segments) {
    if (segment.guessed) continue;
    const found = segmentProblem(segment, context);
    if (found) return found;
  }
  return redirectionProblem(analysis.redirections, context);
}

/** Constructs in which bash may evaluate text that the analysis does not list as a command. */
const unreadable: readonly (readonly [Construct, string])[] = [
  ['arithmetic', 'it evaluates arithmetic, which may run commands'],
  ['coprocess', 'it starts a coprocess'],
];

/** Environment variables that affect bash before it reads the command, and variables that affect `cd`. */
const settingVariables = ['BASHOPTS', 'SHELLOPTS', 'CDPATH', 'BASH_ENV', 'GLOBIGNORE'];

/**
 * The analysis reports these only as a whole, for more than words. This check searches the text, and uses the stricter reading.
 */
function oddText({text, constructs}: Analysis): string | undefined {
  if (constructs.has('test') && /-(?:eq|ne|lt|le|gt|ge|v|R)\b/.test(text)) {
    return 'it has a [[ ]] test that evaluates arithmetic';
  }
  if (constructs.has('control-flow') && /\(\(/.test(text)) return 'it has a loop that evaluates arithmetic';
  if (constructs.has('control-flow') && constructs.has('glob') && /\b(?:for|select)\b/.test(text)) {
    return 'it loops over files that are known only when it runs';
  }
  return /\$\{(?![A-Za-z_]\w*\}|[\d#?@*$!-]\})/.test(text)
    ? 'it has an expansion that may do more than read'
    : undefined;
}

const maxLooks = 20_000;

function segmentProblem(segment: Segment, context: Context): PathProblem | undefined {
  const {argv, span} = segment;
  const unclear = (what: string): PathProblem => ({kind: 'unclear', what, span});
  const builtin = builtinProblem(segment);
  if (builtin) return unclear(builtin);
  const code = inlineCode(segment);
  if (code) return unclear(code);
  if (segment.open)
    return unclear(`${segment.wrappers.at(-1) ?? 'a wrapper'} adds words that are known only when it runs`);
  const access = accessOf(segment, context);
  return (
    programProblem(argv[0], context) ??
    wordsProblem(segment.assignments, access, context) ??
    argumentsProblem(segment, access, context) ??
    redirectionProblem(segment.redirections, context)
  );
}

/** Programs that only start another program; its words are a separate segment. */
const transparent = new Set('command builtin exec env nice timeout ionice stdbuf setsid time'.split(' '));
/** Builtins that only read. */
const looking = new Set('cd pushd popd dirs pwd type test ['.split(' '));

/** The access of a program to its paths. A program that is not known to be read-only may write each of them. */
function accessOf(segment: Segment, {programs, systemProgramFolders, analysis}: Context): Access {
  const name = segment.argv[0]?.text ?? '';
  // Every construct that awk could write with is refused before this point.
  if (transparent.has(baseName(name)) || looking.has(name) || isAwk(baseName(name))) return 'read';
  const alone: Analysis = {
    text: analysis.text,
    segments: [{...segment, redirections: []}],
    redirections: [],
    constructs: new Set(),
    problems: [],
    unknown: [],
    assigned: [],
    evaluated: [],
    opaque: false,
  };
  return segment.argv.length > 0 && checkSafe(alone, {programs, systemProgramFolders}).safe
    ? 'read'
    : 'write';
}

function programProblem(program: Word | undefined, context: Context): PathProblem | undefined {
  if (!program) return undefined;
  const file = context.programs.get(program.text);
  if (file) return realProblem(program, file, 'read', context);
  if (!program.text.includes('/')) return undefined; // a builtin, a function, or not found: then bash exits with 127
  return wordProblem(program, 'read', context);
}

function argumentsProblem({argv}: Segment, access: Access, context: Context): PathProblem | undefined {
  const [program, ...words] = argv;
  if (!program) return undefined;
  const name = program.text;
  if (name === 'cd' && folderOperands(words).length === 0) {
    const {HOME: home} = context.environment;
    return realProblem(program, home ? context.resolver.real(home) : undefined, 'read', context);
  }
  if (isBuiltin(name) && hasNoPaths(name)) {
    // Such a word can show only names below a folder.
    return wordsProblem(
      words.filter(({expansions}) => expansions?.includes('glob')),
      'read',
      context,
    );
  }
  return wordsProblem(taken(name, words), 'remove', context) ?? wordsProblem(words, access, context);
}

/** Words for paths that a command moves or removes: the workspace itself must stay. */
function taken(name: string, words: readonly Word[]): readonly Word[] {
  if (/^(?:rm|rmdir|unlink)$/.test(baseName(name))) return words;
  return baseName(name) === 'mv' ? words.slice(0, -1) : [];
}

function redirectionProblem(redirections: readonly Redirection[], context: Context): PathProblem | undefined {
  for (const {target, writes, operator, variable, span} of redirections) {
    const what = variable === undefined ? undefined : nameProblem(variable);
    if (what !== undefined) return {kind: 'unclear', what, span};
    if (!target || operator === '<<<') continue;
    if (operator.endsWith('&') && /^\d+-?$|^-$/.test(target.text)) continue;
    const access = writes || operator === '<>' ? 'write' : 'read';
    const found = wordProblem(target, access, context);
    if (found) return found;
  }
  return undefined;
}
