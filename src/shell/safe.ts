import type {Analysis, Redirection, Segment, Span, Word} from './analysis.ts';
import {runByName} from './known-names.ts';
import {checkOptions, type SafeRow} from './safe-options.ts';
import {safeRows} from './safe-table.ts';

export interface SafeContext {
  /** Programs named in the command → the real file that PATH resolves them to, or null. */
  readonly programs: ReadonlyMap<string, string | null>;
  /** Real folders of the system's programs. */
  readonly systemProgramFolders: readonly string[];
  readonly cwd?: string;
  readonly workspace?: string;
  /** True when PATH has only absolute folders: then `cd` does not change what a program's name means. */
  readonly absoluteSearchPath?: boolean;
  /** May this operand be read? Asked only where nothing else stands behind the check. */
  readonly readable?: (path: string) => boolean;
}

export type SafeVerdict =
  {readonly safe: true} | {readonly safe: false; readonly why: string; readonly span: Span};

/** Whether a command only reads: what is not known to be safe is not. */
export function checkSafe(analysis: Analysis, context: SafeContext): SafeVerdict {
  const whole = {start: 0, end: analysis.text.length};
  const [problem] = analysis.problems;
  if (problem) return unsafe(problem.message, problem.span);
  for (const construct of analysis.constructs) {
    if (!harmlessConstructs.has(construct))
      return unsafe(reasons[construct] ?? `it has a ${construct}`, whole);
  }
  const [unknown] = analysis.unknown;
  if (unknown) return unsafe(unknown.message, unknown.span);
  const [redirection] = analysis.redirections;
  if (redirection) return unsafe('a redirection of a whole list', redirection.span);
  for (const segment of analysis.segments) {
    const found = checkSegment(segment, context);
    if (found) return unsafe(found.why, found.span ?? segment.span);
  }
  return {safe: true};
}

const unsafe = (why: string, span: Span): SafeVerdict => ({safe: false, why, span});

const harmlessConstructs = new Set([
  'list',
  'pipeline',
  'negation',
  'time',
  'redirection',
  'here-document',
  'expansion',
  'glob',
  'brace',
  'tilde',
]);

const reasons: Readonly<Record<string, string>> = {
  assignment: 'it assigns a variable',
  substitution: 'it has a command substitution',
  'process-substitution': 'it has a process substitution',
  'here-document-expansion': 'a here-document has expansions in it',
  background: 'it puts a command into the background',
  function: 'it defines a function',
  wrapper: 'it runs a program that runs another',
  remote: 'it runs a command elsewhere',
  subshell: 'it runs a subshell',
  group: 'it has a group of commands',
  'control-flow': 'it has control flow',
  coprocess: 'it starts a coprocess',
  'script-file': 'it runs a script from a file',
  arithmetic: 'it evaluates arithmetic, which may run commands',
  test: 'it has a [[ ]] test, which may run commands',
};

export interface Unsafe {
  readonly why: string;
  readonly span?: Span;
}

function checkSegment(segment: Segment, context: SafeContext): Unsafe | undefined {
  const [program] = segment.argv;
  if (!program) return {why: 'there is no program'};
  return (
    checkRedirections(segment.redirections) ??
    checkProgram(program, context) ??
    checkWords(segment, program, context)
  );
}

function checkRedirections(redirections: readonly Redirection[]): Unsafe | undefined {
  for (const {operator, variable, target, writes, span} of redirections) {
    if (variable !== undefined) return {why: 'it assigns a descriptor to a variable', span};
    if (operator === '<<' || operator === '<<-') continue;
    if (!target?.literal) return {why: 'a redirection whose target is not plain', span};
    if (writes && target.text !== '/dev/null') return {why: 'it writes a file by redirection', span};
    if (/^\/dev\/(tcp|udp)\//.test(target.text))
      return {why: 'it opens a network connection by redirection', span};
  }
  return undefined;
}

/** Programs that may stand for others, by the name they are called with. */
const multiCall = new Set(['busybox', 'toybox', 'coreutils']);

/** A safe program is safe by what it is: `./ls` is not ls, and neither is a link named ls that leads to bash. */
function checkProgram(program: Word, context: SafeContext): Unsafe | undefined {
  const {text, raw, span} = program;
  if (!program.literal || raw !== text) return {why: 'the program is not written plainly', span};
  const name = text.slice(text.lastIndexOf('/') + 1);
  const row = Object.hasOwn(safeRows, name) ? safeRows[name]! : undefined;
  if (!row) return {why: `${JSON.stringify(text)} is not in the table of safe commands`, span};
  if (name === 'cd' && !context.absoluteSearchPath)
    return {why: 'cd may change which programs are meant', span};
  if (row.builtin && text === name) return undefined;
  const runs = Object.hasOwn(runByName, name) ? runByName[name] : undefined;
  return (
    checkFile(text, row, program, context) ??
    (runs === undefined ? undefined : checkFile(runs, safeRows[runs]!, program, context))
  );
}

function checkFile(text: string, row: SafeRow, {span}: Word, context: SafeContext): Unsafe | undefined {
  const {programs, systemProgramFolders} = context;
  const name = text.slice(text.lastIndexOf('/') + 1);
  const file = programs.get(text);
  if (!file) return {why: `${JSON.stringify(text)} is not found`, span};
  const slash = file.lastIndexOf('/');
  const folder = file.slice(0, slash) || '/';
  if (!systemProgramFolders.includes(folder)) {
    return {
      why: `${JSON.stringify(text)} is ${JSON.stringify(file)}, which is no program of the system`,
      span,
    };
  }
  const real = file.slice(slash + 1);
  if (real === name || real.startsWith(`${name}.`) || multiCall.has(real) || row.files?.includes(real))
    return undefined;
  return {why: `${JSON.stringify(text)} is a link to ${JSON.stringify(file)}`, span};
}

function checkWords(segment: Segment, program: Word, context: SafeContext): Unsafe | undefined {
  const name = program.text.slice(program.text.lastIndexOf('/') + 1);
  const row = safeRows[name]!;
  const args = segment.argv.slice(1);
  const plain = args.reduce<Unsafe | undefined>(
    (found, word, index) => found ?? checkWord(word, args, index, row),
    undefined,
  );
  return plain ?? checkOptions(name, args, row, context.readable);
}

/** A word that is not literal must not be able to become an option, nor to run anything while it is expanded. */
function checkWord(word: Word, args: readonly Word[], index: number, row: SafeRow): Unsafe | undefined {
  const {span, raw} = word;
  if (word.literal) return option(word) ? {why: 'an option that is not written plainly', span} : undefined;
  const expansions = word.expansions ?? [];
  if (expansions.some((kind) => !['parameter', 'glob', 'tilde'].includes(kind))) {
    return {why: 'a word that is known only when it runs', span};
  }
  if (expansions.includes('parameter') && !onlyPlainVariables(raw))
    return {why: 'an expansion that may run commands', span};
  if (row.harmless) return undefined;
  const splits = expansions.includes('parameter') && !/^"[^"]*"$/.test(raw);
  if (splits) return {why: 'a variable without quotes may give options', span};
  if (row.quotedVariables && expansions.includes('parameter')) return undefined;
  const [first] = word.pieces ?? [null];
  const fixed =
    expansions[0] === 'tilde' || (typeof first === 'string' && first !== '' && !first.startsWith('-'));
  // test has no options that "--" could end.
  const guarded =
    !row.quotedVariables && args.slice(0, index).some(({text, literal}) => literal && text === '--');
  return fixed || guarded
    ? undefined
    : {why: 'a word that may become an option: put "--" or "./" before it', span};
}

const option = ({text, raw, fromBraces}: Word): boolean =>
  text.startsWith('-') && (fromBraces === true || /\\|\$'/.test(raw));

/** `$NAME` and `${NAME}` only read; `${x:=…}`, `${x@P}` and `${a[…]}` do more. */
function onlyPlainVariables(raw: string): boolean {
  return !/[$`]/.test(
    raw.replace(/\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9?#@*!$-])/g, '').replace(/'[^']*'/g, ''),
  );
}
