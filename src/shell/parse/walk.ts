import {forEachChild} from 'unbash';
import type {
  Command,
  CommandNode,
  CompoundList,
  Function as FunctionNode,
  ParsedScript,
  PipelineNode,
  Pipeline,
  Redirected,
  Script,
  Statement,
  SyntaxNode,
} from 'unbash';
import {walkCommand} from './walk-command.ts';
import {isTooLong, walkExpansions} from './expansions.ts';
import {readRedirection} from './redirections.ts';
import {parsePieces, type Piece} from './pieces.ts';
import {printedText} from './printed.ts';
import {hiddenSubstitution} from './quoted.ts';
import {
  addAssigned,
  addEvaluated,
  addProblem,
  addUnknown,
  charge,
  maxDepth,
  stop,
  within,
  type Place,
  type Run,
} from './parse-run.ts';
import {spanIn, type Source} from './source.ts';
import {assigned} from './variables.ts';

/** The parser reads each level of nesting again. */
const maxNesting = 64;

/** About how deep expansions are nested: what is open at a time, quotes not looked at. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/[$<>][({]|[)}]/g)) {
    if (mark.length === 2) deepest = Math.max(deepest, ++depth);
    else if (depth > 0) depth--;
  }
  return deepest;
}

/** bash takes a backslash and the line end away before it reads words: `<\` and `(cmd)` on the next line run cmd. */
const splitsToken = /[^ \t\n]\\\n/;

/** More pending here-documents than this make the parser slow (each looks through the others). */
const maxHereDocuments = 500;

/** Parse the text of a place and walk it. */
export function walkText(run: Run, place: Place): void {
  const {text, whole} = place.source;
  if (place.depth > maxDepth) return stop(run, 'commands are nested too deeply', whole);
  if (!charge(run, text.length, whole)) return;
  if (nesting(text) > maxNesting) return stop(run, 'expansions are nested too deeply', whole);
  // bash takes the line end away and expands what follows; the parser reads most of it as text: `"$\<newline>{x@P}"`.
  if (text.includes('$\\\n')) addUnknown(run, 'a dollar sign ends its line', whole);
  if (splitsToken.test(text))
    addEvaluated(run, 'a line ends within a word: put a blank before the backslash', whole);
  if (countOf(text, '<<') > maxHereDocuments) return stop(run, 'too many here-documents', whole);
  try {
    for (const piece of parsePieces(text)) {
      if (run.stopped) return;
      const cut = piece.text.length < text.length;
      walkScript(run, piece.script, cut ? pieceOf(run, place, piece) : place);
    }
  } catch (error) {
    // The parser recurses on some inputs: what it can't read is not allowed.
    addProblem(
      run,
      `the command can't be parsed: ${error instanceof Error ? error.message : String(error)}`,
      whole,
    );
  }
}

/** What is cut into pieces has more than one statement: each stands in a list. */
function pieceOf(run: Run, place: Place, {text, start}: Piece): Place {
  const {start: before, whole} = place.source;
  const source = {text, whole, ...(before === undefined ? {} : {start: before + start})};
  return {...within(run, place, 'list'), source};
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** A script that stands in the source: the whole of it, or that of a substitution. */
export function walkScript(run: Run, script: ParsedScript | Script, place: Place): void {
  const inner = script.source === undefined ? place : {...place, source: decoded(script, place)};
  if ('errors' in script) {
    for (const {message, pos} of script.errors ?? []) {
      addProblem(run, message, spanIn(inner.source, pos, Math.min(pos + 1, inner.source.text.length)));
    }
  }
  walkStatements(run, script.commands, inner);
}

/** Backquotes are read with their backslashes removed: positions in there are those of another text. */
function decoded(script: Script, place: Place): Source {
  return {text: script.source!, whole: place.source.whole};
}

function walkStatements(run: Run, statements: readonly Statement[], place: Place): void {
  const inner = statements.length > 1 && place.reach.at(-1) !== 'list' ? within(run, place, 'list') : place;
  for (const statement of statements) {
    if (run.stopped) return;
    const at = statement.background ? within(run, inner, 'background') : inner;
    walkAndOr(run, statement.command, at);
  }
}

function walkAndOr(run: Run, node: Statement['command'], place: Place): void {
  if (node.type !== 'AndOr') return walkPipeline(run, node, place);
  const inner = within(run, place, 'list');
  for (const command of node.commands) walkPipeline(run, command, inner);
}

function walkPipeline(run: Run, node: PipelineNode, place: Place): void {
  if (node.type !== 'Pipeline') return walkNode(run, node, place);
  notePrefixes(run, node);
  const inner = node.commands.length > 1 ? within(run, place, 'pipeline') : place;
  let previous: CommandNode | undefined;
  for (const command of node.commands) {
    walkNode(run, command, previous ? {...inner, input: printedText(previous, inner)} : inner);
    previous = command;
  }
}

function notePrefixes(run: Run, pipeline: Pipeline): void {
  for (const prefix of pipeline.prefixes) run.constructs.add(prefix.type === 'Time' ? 'time' : 'negation');
}

function walkList(run: Run, list: CompoundList, place: Place): void {
  walkStatements(run, list.commands, place);
}

/** Every kind of command; the words in it may hold substitutions. */
function walkNode(run: Run, node: CommandNode | CompoundList, place: Place): void {
  switch (node.type) {
    case 'Command':
      if (hasLongWord(node)) return stop(run, 'a word is too long', spanIn(place.source, node.pos, node.end));
      walkCommand(run, node, place);
      return walkWords(run, node, place);
    case 'CompoundList':
      return walkList(run, node, place);
    case 'Redirected':
      return walkRedirected(run, node, place);
    case 'Subshell':
      return walkList(run, node.body, within(run, place, 'subshell'));
    case 'BraceGroup':
      return walkList(run, node.body, within(run, place, 'group'));
    case 'Function':
      return walkFunction(run, node, place);
    case 'Coproc':
      run.constructs.add('coprocess');
      return walkNode(run, node.body, within(run, place, 'background'));
    case 'TestCommand':
      run.constructs.add('test');
      return walkExpansions(run, node, place);
    case 'ArithmeticCommand':
      run.constructs.add('arithmetic');
      return walkExpansions(run, node, place);
    case 'If':
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
    case 'While':
    case 'Case':
      return walkControlFlow(run, node, within(run, place, 'control-flow'));
  }
}

/** A word that is long and not plain is not taken apart: see `isTooLong`. */
function hasLongWord({prefix, name, suffix}: Command): boolean {
  return prefix.some(isTooLong) || suffix.some(isTooLong) || (name !== undefined && isTooLong(name));
}

/** Substitutions in the words of a simple command; plain words have no parts, and no need of a look. */
function walkWords(run: Run, node: Command, place: Place): void {
  for (const part of node.prefix) walkExpansions(run, part, place);
  if (node.name && !isPlain(node.name)) walkExpansions(run, node.name, place);
  for (const part of node.suffix) if (!isPlain(part)) walkExpansions(run, part, place);
}

const isPlain = (part: SyntaxNode): boolean =>
  part.type === 'Word' && !part.parts && hiddenSubstitution(part.text) === undefined;

type ControlFlow = Extract<CommandNode, {type: 'If' | 'For' | 'ArithmeticFor' | 'Select' | 'While' | 'Case'}>;

function walkControlFlow(run: Run, node: ControlFlow, place: Place): void {
  if (node.type !== 'If' && node.type !== 'Case') run.constructs.add('loop');
  if (node.type === 'For' || node.type === 'Select') {
    addAssigned(run, node.name.text, spanIn(place.source, node.name.pos, node.name.end));
    for (const word of node.wordlist ?? []) assigned(run, node.name.text, word, place);
  }
  walkParts(run, node, place);
}

/** Lists among the children are commands, everything else is words. */
function walkParts(run: Run, node: SyntaxNode, place: Place): void {
  forEachChild(node, (child) => {
    if (child.type === 'CompoundList') walkList(run, child, place);
    else if (child.type === 'Elif' || child.type === 'CaseItem') walkParts(run, child, place);
    else walkExpansions(run, child, place);
  });
}

function walkFunction(run: Run, node: FunctionNode, place: Place): void {
  // Its parameters are those of a call, which is not known here.
  const {parameters: _, ...rest} = place;
  walkNode(run, node.body, within(run, rest, 'function'));
}

function walkRedirected(run: Run, node: Redirected, place: Place): void {
  let input = place.input;
  for (const redirect of node.redirects) {
    const read = readRedirection(run, redirect, place);
    run.redirections.push(read.redirection);
    if (read.input !== undefined) input = read.input;
    walkExpansions(run, redirect, place);
  }
  walkNode(run, node.command, input === undefined ? place : {...place, input});
}
