import {forEachChild} from 'unbash';
import type {
  ArithmeticFor,
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
  Word as ParsedWord,
} from 'unbash';
import {countersOf} from './arithmetic.ts';
import {plainValueOf, walkCommand} from './walk-command.ts';
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
  type Position,
  type Run,
} from './parse-run.ts';
import {isInteger, setByArithmetic, type Values} from './known-variables.ts';
import {spanIn, type Source} from './source.ts';
import {assigned} from './variables.ts';
import {readWord} from './words.ts';

/** The parser reads each level of nesting again. */
const maxNesting = 64;

/** Estimates how deep expansions are nested: the number of open ones, ignoring quotes. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of text.matchAll(/[$<>][({]|[)}]/g)) {
    if (mark.length === 2) deepest = Math.max(deepest, ++depth);
    else if (depth > 0) depth--;
  }
  return deepest;
}

/** bash removes a backslash and the newline after it before it reads words: `<\` and `(cmd)` on the next line run cmd. */
const splitsToken = /[^ \t\n]\\\n/;

/** More pending here-documents than this make the parser slow: each one searches the others. */
const maxHereDocuments = 500;

/** Parses the text of a position and walks the result. */
export function walkText(run: Run, place: Position): void {
  const {text, whole} = place.source;
  if (place.depth > maxDepth) return stop(run, 'commands are nested too deeply', whole);
  if (!charge(run, text.length, whole)) return;
  if (nesting(text) > maxNesting) return stop(run, 'expansions are nested too deeply', whole);
  // bash removes the line end and expands what follows. The parser reads most of it as text: `"$\<newline>{x@P}"`.
  if (text.includes('$\\\n')) addUnknown(run, 'a dollar sign ends its line', whole);
  if (splitsToken.test(text))
    addEvaluated(run, 'a line ends within a word: put a space before the backslash', whole);
  if (countOf(text, '<<') > maxHereDocuments) return stop(run, 'too many here-documents', whole);
  try {
    for (const piece of parsePieces(text)) {
      if (run.stopped) return;
      const cut = piece.text.length < text.length;
      walkScript(run, piece.script, cut ? pieceOf(run, place, piece) : place);
    }
  } catch (error) {
    // The parser recurses on some inputs. A text that it cannot read is not allowed.
    addProblem(
      run,
      `the command can't be parsed: ${error instanceof Error ? error.message : String(error)}`,
      whole,
    );
  }
}

/** A script that is cut into pieces has several statements, so each of them is part of a list. */
function pieceOf(run: Run, place: Position, {text, start}: Piece): Position {
  const {start: before, whole} = place.source;
  const source = {text, whole, ...(before === undefined ? {} : {start: before + start})};
  return {...within(run, place, 'list'), source};
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** Walks a script that is part of the source: the whole command, or a substitution. */
export function walkScript(run: Run, script: ParsedScript | Script, place: Position): void {
  const inner = script.source === undefined ? place : {...place, source: decoded(script, place)};
  if ('errors' in script) {
    for (const {message, pos} of script.errors ?? []) {
      addProblem(run, message, spanIn(inner.source, pos, Math.min(pos + 1, inner.source.text.length)));
    }
  }
  walkStatements(run, script.commands, inner);
}

/** The parser removes backslashes before it reads backquotes, so positions inside refer to another text. */
function decoded(script: Script, place: Position): Source {
  return {text: script.source!, whole: place.source.whole};
}

function walkStatements(run: Run, statements: readonly Statement[], place: Position): void {
  const inner = statements.length > 1 && place.reach.at(-1) !== 'list' ? within(run, place, 'list') : place;
  let values = inner.values;
  for (const statement of statements) {
    if (run.stopped) return;
    const at = values ? {...inner, values} : inner;
    walkAndOr(run, statement.command, statement.background ? within(run, at, 'background') : at);
    if (!statement.background) values = valuesAfter(run, statement.command, at);
  }
}

/** The variables that have a certain value after `x=1`: no other command has run before, and none was skipped. */
function valuesAfter(run: Run, node: Statement['command'], place: Position): Values | undefined {
  const first = node.type === 'AndOr' ? node.commands[0]! : node;
  if (!run.knownVariables || first.type !== 'Command' || first.name) return place.values;
  const values = new Map(place.values);
  for (const part of first.prefix) {
    const value = part.type === 'Assignment' ? plainValueOf(part, place) : undefined;
    // A redirection or an expansion may fail, and then bash assigns nothing.
    if (part.type !== 'Assignment' || value === undefined) return place.values;
    if (run.knownVariables.words.has(part.name)) values.set(part.name, value);
    else if (run.knownVariables.numbers.has(part.name)) values.set(part.name, null);
  }
  return values;
}

function walkAndOr(run: Run, node: Statement['command'], place: Position): void {
  if (node.type !== 'AndOr') return walkPipeline(run, node, place);
  const inner = within(run, place, 'list');
  const [first, ...others] = node.commands;
  walkPipeline(run, first!, inner);
  const values = valuesAfter(run, node, inner);
  for (const command of others) walkPipeline(run, command, values ? {...inner, values} : inner);
}

function walkPipeline(run: Run, node: PipelineNode, place: Position): void {
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

function walkList(run: Run, list: CompoundList, place: Position): void {
  walkStatements(run, list.commands, place);
}

/** Walks a command of any kind. Its words may contain substitutions. */
function walkNode(run: Run, node: CommandNode | CompoundList, place: Position): void {
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

/** A long word that is not plain is not parsed further: see `isTooLong`. */
function hasLongWord({prefix, name, suffix}: Command): boolean {
  return prefix.some(isTooLong) || suffix.some(isTooLong) || (name !== undefined && isTooLong(name));
}

/** Walks the substitutions in the words of a simple command. Plain words have no parts and are skipped. */
function walkWords(run: Run, node: Command, place: Position): void {
  for (const part of node.prefix) walkExpansions(run, part, place);
  if (node.name && !isPlain(node.name)) walkExpansions(run, node.name, place);
  for (const part of node.suffix) if (!isPlain(part)) walkExpansions(run, part, place);
}

const isPlain = (part: SyntaxNode): boolean =>
  part.type === 'Word' && !part.parts && hiddenSubstitution(part.text) === undefined;

type ControlFlow = Extract<CommandNode, {type: 'If' | 'For' | 'ArithmeticFor' | 'Select' | 'While' | 'Case'}>;

function walkControlFlow(run: Run, node: ControlFlow, place: Position): void {
  if (node.type !== 'If' && node.type !== 'Case') run.constructs.add('loop');
  if (node.type === 'For' || node.type === 'Select') {
    const numbers = node.type === 'For' && areIntegers(run, node.wordlist ?? [], place);
    addAssigned(run, node.name.text, spanIn(place.source, node.name.pos, node.name.end), numbers);
    for (const word of node.wordlist ?? []) assigned(run, node.name.text, word, place);
    if (numbers && run.knownVariables?.numbers.has(node.name.text))
      return walkParts(run, node, {...place, values: new Map(place.values).set(node.name.text, null)});
  }
  walkParts(run, node, node.type === 'ArithmeticFor' ? withCounters(run, node, place) : place);
}

/** `for i in 1 2`, `for i in {1..9}` */
function areIntegers(run: Run, words: readonly ParsedWord[], {source}: Position): boolean {
  const read = words.map((word) => readWord(word, source, run.braces));
  return (
    words.length > 0 && read.every((list) => list?.every(({literal, text}) => literal && isInteger(text)))
  );
}

/** `for ((i=0; i<3; i++))`: the head runs before the body. */
function withCounters(run: Run, node: ArithmeticFor, place: Position): Position {
  const head = place.source.text.slice(node.pos, node.body.pos);
  for (const name of setByArithmetic(head)) {
    if (name !== 'for' && name !== 'do')
      addAssigned(run, name, spanIn(place.source, node.pos, node.end), true);
  }
  const values = run.knownVariables && countersOf(head, place.values, run.knownVariables.numbers);
  return values ? {...place, values} : place;
}

/** Lists among the children are commands; all other children are words. */
function walkParts(run: Run, node: SyntaxNode, place: Position): void {
  forEachChild(node, (child) => {
    if (child.type === 'CompoundList') walkList(run, child, place);
    else if (child.type === 'Elif' || child.type === 'CaseItem') walkParts(run, child, place);
    else walkExpansions(run, child, place);
  });
}

function walkFunction(run: Run, node: FunctionNode, place: Position): void {
  // A function's parameters depend on the call, which is unknown here.
  const {parameters: _, values: __, ...rest} = place;
  walkNode(run, node.body, within(run, rest, 'function'));
}

function walkRedirected(run: Run, node: Redirected, place: Position): void {
  let input = place.input;
  for (const redirect of node.redirects) {
    const read = readRedirection(run, redirect, place);
    run.redirections.push(read.redirection);
    if (read.input !== undefined) input = read.input;
    walkExpansions(run, redirect, place);
  }
  walkNode(run, node.command, input === undefined ? place : {...place, input});
}
