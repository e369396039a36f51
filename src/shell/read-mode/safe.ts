import type {Analysis, Construct, Redirection, Segment, Span, Word} from '../analysis.ts';
import {homeTilde} from './git-drivers.ts';
import {startedBy} from '../known-names.ts';
import {checkOptions, type SafeRow} from './safe-options.ts';
import {safeRows} from './safe-table.ts';
import {assignedName, isOwnVariable, mayBePassed} from './safe-variables.ts';
import {checkWord, openWords, type Unsafe} from './safe-words.ts';
import {checkWrapper, isWrapper, runsInShell, wrapperFiles} from './safe-wrappers.ts';
import {baseName} from '../../system/base-name.ts';

export interface SafeContext {
  /** Maps a program named in the command to the real file that PATH resolves it to, or null. */
  readonly programs: ReadonlyMap<string, string | null>;
  /** Real folders of the system's programs. */
  readonly systemProgramFolders: readonly string[];
  readonly cwd?: string;
  readonly workspace?: string;
  /** True when PATH contains only absolute folders. Then `cd` does not change which program a name means. */
  readonly absoluteSearchPath?: boolean;
  /** Reports whether this operand may be read. Used only where no other layer enforces reads. */
  readonly readable?: (path: string) => boolean;
}

export type SafeVerdict =
  {readonly safe: true} | {readonly safe: false; readonly why: string; readonly span: Span};

/**
 * Decides whether a command only reads. Anything not known to be safe is unsafe. Each segment must be safe for every value of its
 * unknown words. So the order in which segments run, how often they run and what they print do not matter. The actions of bash
 * itself (variables that it sets, text that it evaluates) are checked as well.
 */
export function checkSafe(analysis: Analysis, context: SafeContext): SafeVerdict {
  const verdict = checkAnalysis(analysis, context);
  return verdict.safe || !analysis.withValues ? verdict : checkAnalysis(analysis.withValues, context);
}

function checkAnalysis(analysis: Analysis, context: SafeContext): SafeVerdict {
  const whole = {start: 0, end: analysis.text.length};
  const [problem] = [...analysis.problems, ...analysis.unknown, ...analysis.evaluated];
  if (problem) return unsafe(problem.message, problem.span);
  for (const [construct, why] of unsafeConstructs)
    if (analysis.constructs.has(construct)) return unsafe(why, whole);
  const foreign = analysis.assigned.find(({name}) => !isOwnVariable(name));
  if (foreign) return unsafe(setsVariable(foreign.name), foreign.span);
  const found =
    checkRedirections(analysis.redirections) ??
    analysis.segments.reduce<Unsafe | undefined>(
      (before, segment) => before ?? located(checkSegment(segment, analysis, context), segment),
      undefined,
    ) ??
    checkFolders(analysis);
  return found ? unsafe(found.why, found.span ?? whole) : {safe: true};
}

const unsafe = (why: string, span: Span): SafeVerdict => ({safe: false, why, span});

const located = (found: Unsafe | undefined, {span}: Segment): Unsafe | undefined => found && {span, ...found};

const setsVariable = (name: string): string => `it sets ${name}, which bash or a program obeys`;

const unsafeConstructs: readonly (readonly [Construct, string])[] = [
  ['remote', 'it runs a command elsewhere'],
  ['function', 'it defines a function'],
  ['coprocess', 'it starts a coprocess'],
  ['script-file', 'it runs a script from a file'],
];

function checkSegment(segment: Segment, analysis: Analysis, context: SafeContext): Unsafe | undefined {
  const [program] = segment.argv;
  return (
    checkAssignments(segment) ??
    checkRedirections(segment.redirections) ??
    (program
      ? (checkProgram(program, segment, context) ?? checkWords(segment, analysis, context))
      : undefined)
  );
}

/** `x=1` sets a variable of the shell. Before a program it is that program's variable, except `IFS= read`. */
function checkAssignments({assignments, argv: [program]}: Segment): Unsafe | undefined {
  for (const {text, literal, span} of assignments) {
    const name = assignedName(text);
    const own = !program || (name === 'IFS' && program.text === 'read');
    if (own ? isOwnVariable(name) : literal && mayBePassed(text)) continue;
    if (!own && isOwnVariable(name)) return {why: `it passes ${name} to a program`, span};
    return {why: setsVariable(name), span};
  }
  return undefined;
}

function checkRedirections(redirections: readonly Redirection[]): Unsafe | undefined {
  for (const {operator, variable, target, writes, span} of redirections) {
    if (variable !== undefined) return {why: 'it assigns a descriptor to a variable', span};
    if (operator === '<<' || operator === '<<-' || operator === '<<<') continue;
    if (!target) return {why: 'a redirection without a target', span};
    if (operator === '<') {
      if (/^\/dev\/(tcp|udp)\//.test(target.text))
        return {why: 'it opens a network connection by redirection', span};
      continue;
    }
    if (!target.literal) return {why: 'a redirection whose target is not plain', span};
    if (writes && target.text !== '/dev/null') return {why: 'it writes a file by redirection', span};
  }
  return undefined;
}

/** Programs that behave as another program when called by its name. */
const multiCall = new Set(['busybox', 'toybox', 'coreutils']);

const nameOf = ({text}: Word): string => baseName(text);

/** A program is identified by its file: `./ls` is not ls, and neither is a symlink named ls that leads to bash. */
function checkProgram(program: Word, segment: Segment, context: SafeContext): Unsafe | undefined {
  const {text, raw, span} = program;
  if (!program.literal || raw !== text) return {why: 'the program is not written plainly', span};
  const name = nameOf(program);
  const row = Object.hasOwn(safeRows, name) ? safeRows[name]! : undefined;
  const wraps = isWrapper(name);
  if (!row && !wraps) return {why: `${JSON.stringify(text)} is not in the table of safe commands`, span};
  if (name === 'cd' && !context.absoluteSearchPath)
    return {why: 'cd may change which programs are meant', span};
  const builtin = row?.builtin === true || name === 'command' || name === 'builtin';
  if (builtin && text === name && runsInShell(segment)) return undefined;
  const files = [...(row?.files ?? []), ...(wraps ? wrapperFiles[name]! : [])];
  const started = startedBy(segment.argv).filter((other) => context.programs.get(other) !== null);
  return (
    checkFolder(text, span, context) ??
    checkLink(text, files, program, context) ??
    started.reduce<Unsafe | undefined>(
      (found, other) => found ?? checkFolder(other, span, context),
      undefined,
    )
  );
}

/** npm's own files, beside the folder of programs with the symlinks to them. */
const besidePrograms =
  /^(\/usr|\/usr\/local|\/opt\/homebrew)\/(?:lib\/node_modules|share\/nodejs)\/npm\/bin$/;

function checkFolder(text: string, span: Span, context: SafeContext): Unsafe | undefined {
  const file = context.programs.get(text);
  if (!file) return {why: `${JSON.stringify(text)} is not found`, span};
  const folder = file.slice(0, file.lastIndexOf('/')) || '/';
  if (context.systemProgramFolders.includes(folder) || (text.endsWith('npm') && besidePrograms.test(folder)))
    return undefined;
  const why = `${JSON.stringify(text)} is ${JSON.stringify(file)}, which is not a program of the system`;
  return {why, span};
}

/** The target of a name must be the program of that name. */
function checkLink(
  text: string,
  files: readonly string[],
  {span}: Word,
  {programs}: SafeContext,
): Unsafe | undefined {
  const file = programs.get(text)!;
  const name = baseName(text);
  const real = baseName(file);
  if (real === name || real.startsWith(`${name}.`) || multiCall.has(real)) return undefined;
  if (files.includes(real) || files.includes(withoutVersion(real))) return undefined;
  return {why: `${JSON.stringify(text)} is a link to ${JSON.stringify(file)}`, span};
}

/**
 * Debian's compilers and interpreters are symlinks to a file with the machine and the version in its name:
 * `x86_64-linux-gnu-gcc-12`.
 */
const withoutVersion = (real: string): string =>
  real
    .replace(/^(?:x86_64|i686|aarch64|arm|riscv64|powerpc64le|s390x)-linux-gnu(?:eabihf)?-/, '')
    .replace(/-?\d[\d.]*$/, '');

function checkWords(segment: Segment, analysis: Analysis, context: SafeContext): Unsafe | undefined {
  const [program, ...given] = segment.argv;
  const name = nameOf(program!);
  const args = [...given, ...openWords(segment)];
  const putIn = args.find(
    ({withValues, text, raw}) => withValues && text.startsWith('-') && !raw.startsWith('-'),
  );
  if (putIn && /^(?:git|npm|cd)$/.test(name))
    return {why: `${name} with ${putIn.raw}, which is an option: write it out`, span: putIn.span};
  const row = rowOf(name, args);
  if (!row) {
    const nested = analysis.segments.filter(
      (other) => other !== segment && other.wrappers.length > segment.wrappers.length,
    );
    const why = checkWrapper(name, segment, nested);
    return why === undefined ? undefined : {why};
  }
  if (args.length === 1 && args[0]!.literal && /^--(?:help|version)$/.test(args[0]!.text)) return undefined;
  const plain = args.reduce<Unsafe | undefined>(
    (found, word, index) => found ?? checkWord(word, args, index, row),
    undefined,
  );
  return plain ?? checkOptions(name, args, row, context.readable);
}

const asks: SafeRow = {free: true, harmless: true};

/** `command -v` and `env` without a command only print. */
function rowOf(name: string, [first, ...others]: readonly Word[]): SafeRow | undefined {
  if (!isWrapper(name)) return safeRows[name];
  if (name === 'command' && first?.literal && /^-[vV]$/.test(first.text)) return asks;
  if (name === 'env' && others.length === 0 && (!first || /^(?:-0|--null)$/.test(first.text))) return asks;
  return undefined;
}

/** The config of an unknown folder may name programs. In known folders ion has neutralized the drivers. */
function checkFolders({segments, constructs}: Analysis): Unsafe | undefined {
  const configured = segments.find(({argv: [program]}) => program && /^(?:git|npm)$/.test(nameOf(program)));
  if (!configured) return undefined;
  const name = nameOf(configured.argv[0]!);
  const why = `${name} in a folder that is known only when it runs`;
  for (const {argv, reach, span} of segments) {
    if (argv[0]?.text !== 'cd') continue;
    const unknown = argv.slice(1).some((word) => !word.literal && !homeTilde(word));
    // The second iteration of a loop starts in the folder where the first one ended.
    const again = constructs.has('loop') && reach.includes('control-flow');
    if (unknown || again) return {why, span};
  }
  const aside = segments.find(
    ({argv: [program], wrappers}) =>
      program &&
      /^(?:git|npm)$/.test(nameOf(program)) &&
      wrappers.some((wrapper) => wrapper.endsWith('-execdir')),
  );
  return aside && {why, span: aside.span};
}
