import type {Analysis, Construct, Segment, Word} from '../analysis.ts';
import {wrapperNames} from '../known-names.ts';
import {unfold} from '../nested/unfold.ts';
import {baseName} from '../../system/base-name.ts';

/** Reserved words, and builtins that change the shell. A command with one of them goes to the parser. */
const notSimple = new Set(
  [
    'case coproc do done elif else esac fi for function if in select then time until while',
    '. alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable',
    'eval exec exit export fc fg getopts hash history jobs let local logout mapfile popd pushd read readarray',
    'readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait',
  ].flatMap((line) => line.split(' ')),
);

/** The maximum length of a command that this file reads. Longer ones are rare, and the parser is fast. */
const maxSimpleLength = 4096;

/**
 * The argv of a command that consists of plain words; undefined for any other command. It needs no parser, which makes `ion
 * run true` fast. For every command that it accepts, `analyze` finds the same.
 */
export function isSimple(command: string): string[] | undefined {
  if (command.length > maxSimpleLength || !/^ *[\w./:=@%+,-]+(?: +[\w./:=@%+,-]+)* *$/.test(command))
    return undefined;
  const words = command.split(' ').filter((word) => word !== '');
  const [program] = words;
  if (!program || notSimple.has(program) || program.includes('=') || program.startsWith('%'))
    return undefined;
  const name = baseName(program);
  if (!wrapperNames.has(name)) return words;
  const segment = simpleSegment(command, words);
  return unfold({segment, argv: segment.argv, name}).length === 0 ? words : undefined;
}

/** The analysis of a command that `isSimple` accepted. */
export function simpleAnalysis(command: string, words: readonly string[]): Analysis {
  const segments = [simpleSegment(command, words)];
  const none = {
    redirections: [],
    constructs: new Set<Construct>(),
    problems: [],
    unknown: [],
    assigned: [],
    evaluated: [],
  };
  return {text: command, segments, ...none, opaque: false};
}

function simpleSegment(command: string, words: readonly string[]): Segment {
  const argv: Word[] = [];
  let at = 0;
  for (const text of words) {
    const start = command.indexOf(text, at);
    at = start + text.length;
    argv.push({text, raw: text, literal: true, span: {start, end: at}});
  }
  const span = {start: argv[0]!.span.start, end: at};
  const raw = command.slice(span.start, at);
  return {argv, assignments: [], redirections: [], reach: [], wrappers: [], span, raw};
}
