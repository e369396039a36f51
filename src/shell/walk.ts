import {forEachChild, parse} from 'unbash';
import type {
  Command,
  CommandNode,
  CompoundList,
  Function as FunctionNode,
  ParameterExpansionPart,
  ParameterTransformOperation,
  ParsedScript,
  PipelineNode,
  Pipeline,
  Redirected,
  Script,
  Statement,
  SyntaxNode,
  Word as ParsedWord,
} from 'unbash';
import type {Construct} from './analysis.ts';
import {walkCommand} from './command.ts';
import {embedded} from './embedded.ts';
import {readRedirection} from './redirections.ts';
import {printedText} from './printed.ts';
import {addProblem, addUnknown, maxDepth, within, type Place, type Run} from './run.ts';
import {spanIn, type Source} from './source.ts';
import {assigned} from './variables.ts';

const tooDeep = 'commands are nested too deeply';
const tooMuch = 'too much text is nested';
const tooManyHeres = 'too many here-documents';
/** Problems that stay problems where a text is only tried. */
const limits: ReadonlySet<string> = new Set([tooDeep, tooMuch, tooManyHeres]);

/** More pending here-documents than this make the parser slow (each looks through the others). */
const maxHereDocuments = 500;

/** Parse the text of a place and walk it. */
export function walkText(run: Run, place: Place): void {
  const {text, whole} = place.source;
  run.characters -= text.length;
  if (place.depth > maxDepth) return addProblem(run, tooDeep, whole);
  if (run.characters < 0) return addProblem(run, tooMuch, whole);
  if (countOf(text, '<<') > maxHereDocuments) return addProblem(run, tooManyHeres, whole);
  try {
    walkScript(run, parse(text), place);
  } catch (error) {
    // The parser recurses on some inputs: what it can't read is not allowed.
    addProblem(
      run,
      `the command can't be parsed: ${error instanceof Error ? error.message : String(error)}`,
      whole,
    );
  }
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
  const inner = statements.length > 1 ? within(run, place, 'list') : place;
  for (const statement of statements) {
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

/** `[[ -v 'a[$(cmd)]' ]]` runs cmd: the text of a word is evaluated once more. */
function walkEvaluated(run: Run, word: ParsedWord, place: Place): void {
  const script = embedded(word.value);
  if (script === undefined || word.parts?.some((part) => part.type === 'CommandExpansion')) return;
  const source = {text: script, whole: spanIn(place.source, word.pos, word.end)};
  walkText(run, {...within(run, place, 'substitution'), source, depth: place.depth + 1, guessed: true});
}

/** Substitutions in the words of a simple command; plain words have no parts, and no need of a look. */
function walkWords(run: Run, node: Command, place: Place): void {
  for (const part of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
    if (part.type !== 'Word' || part.parts) walkExpansions(run, part, place);
  }
}

type ControlFlow = Extract<CommandNode, {type: 'If' | 'For' | 'ArithmeticFor' | 'Select' | 'While' | 'Case'}>;

function walkControlFlow(run: Run, node: ControlFlow, place: Place): void {
  if (node.type === 'For' || node.type === 'Select') {
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

const noted: Partial<Record<SyntaxNode['type'], Construct>> = {
  SimpleExpansion: 'expansion',
  ParameterExpansion: 'expansion',
  ArithmeticExpansion: 'arithmetic',
  Glob: 'glob',
  ExtendedGlob: 'glob',
  BraceExpansion: 'brace',
};

/**
 * Substitutions anywhere in a node that is not a command itself. With a stack of its own: `1+1+1+…` is as deep
 * as it is long.
 */
export function walkExpansions(run: Run, root: SyntaxNode, place: Place): void {
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === 'Word' && root.type === 'TestCommand') walkEvaluated(run, node, place);
    const construct = noted[node.type];
    if (construct) run.constructs.add(construct);
    checkExpansion(run, node, place);
    if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
      walkSubstitution(run, node, within(run, place, 'substitution'));
    } else if (node.type === 'ProcessSubstitution') {
      walkSubstitution(run, node, within(run, place, 'process-substitution'));
    } else if (node.type === 'ParameterExpansion' && isSplit(node)) {
      walkOperation(run, node, place);
    } else {
      if (node.type === 'Transform') noteTransform(run, node, place);
      const children: SyntaxNode[] = [];
      forEachChild(node, (child) => void children.push(child));
      for (const child of children.reverse()) stack.push(child);
    }
  }
}

/**
 * The parser splits `${x/pattern/text}` and `${x:offset:length}` at the first slash or colon, also where that stands
 * in a substitution: `${x/$(a b/c; cmd)/d}`. So such an operation is read again as what cannot be split.
 */
function isSplit({operation, text}: ParameterExpansionPart): boolean {
  const splits =
    operation?.type === 'Replace' || operation?.type === 'Slice' || operation?.type === 'Unknown';
  return splits && /[`(]/.test(text);
}

function walkOperation(run: Run, node: ParameterExpansionPart, place: Place): void {
  const operand = node.text.slice(node.operation!.pos - node.pos, -1);
  const source = {text: `: \${_:-${operand}}`, whole: spanIn(place.source, node.pos, node.end)};
  walkText(run, {...place, source, depth: place.depth + 1});
  if (node.index) walkExpansions(run, node.index, place);
}

/** `${x@P}` expands what x holds as a prompt: commands in there run. */
function noteTransform(run: Run, node: ParameterTransformOperation, place: Place): void {
  if (!/[PQ]/.test(node.operand.text) || node.operand.text === 'Q') return;
  run.evaluates = true;
  addUnknown(run, 'an expansion runs what a variable holds', spanIn(place.source, node.pos, node.end));
}

const closed: Partial<Record<SyntaxNode['type'], RegExp>> = {
  ArithmeticExpansion: /\)\)$|\]$/,
  ParameterExpansion: /\}$/,
  CommandExpansion: /[)`}]$/,
  ProcessSubstitution: /\)$/,
};

/** Where the parser is not sure itself, neither are we: an expansion without its end, arithmetic that reads like a command. */
function checkExpansion(run: Run, node: SyntaxNode, place: Place): void {
  const end = closed[node.type];
  if (end && 'text' in node && !end.test(node.text)) {
    addProblem(run, 'an expansion has no end', spanIn(place.source, node.pos, node.end));
  }
  if (node.type !== 'ArithmeticExpansion' && node.type !== 'ArithmeticCommand') return;
  const text = node.type === 'ArithmeticExpansion' ? node.text.slice(2, -1) : `(${node.body})`;
  if (!/[;|&'"`\n\\]|\w\s+[-\w./]/.test(text)) return;
  const source = {text, whole: spanIn(place.source, node.pos, node.end)};
  const at = {...within(run, place, 'substitution'), source, depth: place.depth + 1, guessed: true};
  // `$((cmd) | cmd)` is a substitution: what was taken for arithmetic is looked at both ways; errors say nothing.
  const {problems} = run;
  const before = problems.length;
  walkText(run, at);
  problems.splice(
    before,
    problems.length - before,
    ...problems.slice(before).filter(({message}) => limits.has(message)),
  );
}

function walkSubstitution(
  run: Run,
  node: {readonly pos: number; readonly end: number; readonly script: ParsedScript | undefined},
  place: Place,
): void {
  const span = spanIn(place.source, node.pos, node.end);
  if (!node.script) return addProblem(run, "a substitution can't be parsed", span);
  const source = node.script.source === undefined ? place.source : {...place.source, whole: span};
  walkScript(run, node.script, {...place, source});
}
