import {forEachChild} from 'unbash';
import type {
  ArithmeticWord,
  Assignment,
  ParameterExpansionPart,
  ParameterTransformOperation,
  ParsedScript,
  Redirect,
  SyntaxNode,
  Word,
  WordPart,
} from 'unbash';
import type {Construct} from '../analysis.ts';
import {isBalanced, isSafeArithmetic, isSafeTerm} from './arithmetic.ts';
import {embedded} from './embedded.ts';
import {noteEvaluated} from './evaluated.ts';
import {asPosix} from './posix.ts';
import {hiddenSubstitution, quotedText, substitutionsIn} from './quoted.ts';
import {
  addEvaluated,
  addProblem,
  addUnknown,
  charge,
  stop,
  within,
  type Position,
  type Run,
} from './parse-run.ts';
import {spanIn} from './source.ts';

/** The maximum length of an expansion that is parsed a second time. */
const maxRead = 16_384;

/** The parser reads a word once for each level of nesting in it. A long word with many levels would take seconds. */
const maxWord = 131_072;
const maxBody = 524_288;

export function isTooLong(node: SyntaxNode): boolean {
  if (node.type === 'HereDoc' && node.delimiter?.quoted) return false;
  if (node.type === 'HereDoc') return node.body.end - node.body.pos > maxBody && /[`$]/.test(node.body.text);
  return node.end - node.pos > maxWord && !(node.type === 'Word' && !/[`$]/.test(node.text));
}

const noted: Partial<Record<SyntaxNode['type'], Construct>> = {
  SimpleExpansion: 'expansion',
  ParameterExpansion: 'expansion',
  ArithmeticExpansion: 'arithmetic',
  Glob: 'glob',
  ExtendedGlob: 'glob',
  BraceExpansion: 'brace',
};

/** Walks a text in a node that bash reads as code, although the parser does not. */
function walkGuess(run: Run, text: string, node: SyntaxNode, place: Position): void {
  const whole = spanIn(place.source, node.pos, node.end);
  const at = {...within(run, place, 'substitution'), depth: place.depth + 1, guessed: true};
  for (const reading of new Set([text, place.posix ? asPosix(text) : text]))
    run.walkText({...at, source: {text: reading, whole}});
}

/**
 * `[[ -v 'a[$(cmd)]' ]]`, `a['$(cmd)']=1` and `for ((i='$(cmd)';;))` run cmd, because bash evaluates the text of the word a
 * second time. In a here-document the quotes in `${x:-'$(cmd)'}` are plain characters, so cmd runs too.
 */
function walkEvaluated(run: Run, word: Word | ArithmeticWord, place: Position): void {
  for (const script of new Set(readingsOf(word))) {
    if (script !== undefined) walkGuess(run, script, word, place);
  }
}

/** Quotes that are plain characters may contain real quotes. So every reading of the word counts. */
function readingsOf(word: Word | ArithmeticWord): (string | undefined)[] {
  const readings = [embedded(quotedText(word))];
  if (word.type !== 'Word' || !word.text.includes("'")) return readings;
  const [, inner] = /^'([^]*)'$/.exec(word.text) ?? [];
  const unquoted = inner !== undefined && /\$\(|`/.test(inner) ? `: ${inner}` : undefined;
  return [...readings, embedded(word.text), unquoted];
}

function isEvaluated(node: SyntaxNode, root: SyntaxNode): node is Word | ArithmeticWord {
  if (node.type === 'ArithmeticWord') return true;
  return node.type === 'Word' && (root.type === 'TestCommand' || root.type === 'HereDoc');
}

/** An index is arithmetic: bash also evaluates the values of the variables in it. */
function walkIndex(run: Run, index: Word, place: Position): void {
  walkEvaluated(run, index, place);
  if (/^(?:\d+|[@*])$/.test(index.text) || isSafeTerm(index.text, place.values)) return;
  run.evaluates = true;
  addEvaluated(
    run,
    'an index that is evaluated, which may run commands',
    spanIn(place.source, index.pos, index.end),
  );
}

/** `${!x}` evaluates the name that x holds, with its index. `${!a[@]}` and `${!a*}` only list names. */
function isIndirect({prefix, index, operation}: ParameterExpansionPart): boolean {
  return prefix === '!' && operation?.type !== 'Names' && !/^[@*]$/.test(index?.text ?? '');
}

/** If the target of `>&` is not a descriptor, bash expands it a second time: `>&'$(cmd)'` runs cmd. */
function walkTarget(run: Run, {operator, descriptor, target}: Redirect, place: Position): void {
  const isOther = descriptor?.type === 'FileDescriptor' && descriptor.value !== 1;
  if (operator !== '>&' || !target || isOther) return;
  const text = quotedText(target);
  const isKnown = target.parts?.every((part) => !expanded.has(part.type)) ?? true;
  if (isKnown && !/[`$(]/.test(text)) return;
  run.evaluates = true;
  addUnknown(
    run,
    'the target of ">&" is expanded more than once',
    spanIn(place.source, target.pos, target.end),
  );
  walkGuess(run, `: ${text}`, target, place);
}

/** `a=($(cmd))b`: bash joins this into one text and runs cmd. The parser reads it as plain text. */
function walkValue(run: Run, value: Assignment['value'], place: Position): void {
  if (value.type !== 'Word' || !value.text.startsWith('(')) return;
  addUnknown(run, 'a value continues after an array', spanIn(place.source, value.pos, value.end));
  walkGuess(run, embedded(value.text) ?? '', value, place);
}

const expanded = new Set<WordPart['type']>([
  'DoubleQuoted',
  'LocaleString',
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ProcessSubstitution',
]);

/**
 * Finds substitutions anywhere in a node that is not itself a command. It uses an explicit stack, because `1+1+1+…` nests
 * as deep as it is long.
 */
export function walkExpansions(run: Run, root: SyntaxNode, place: Position): void {
  if (isTooLong(root)) return stop(run, 'an expansion is too long', spanIn(place.source, root.pos, root.end));
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node && !run.stopped; node = stack.pop()) {
    noteEvaluated(run, node, place);
    if (isEvaluated(node, root)) walkEvaluated(run, node, place);
    if (node.type === 'Word') walkHidden(run, node, place);
    else if (node.type === 'DoubleQuoted' || node.type === 'LocaleString') {
      noteUnquoted(run, node, place);
      walkQuoted(run, node, node.text, place);
    } else if (node.type === 'HereDoc' && !node.delimiter?.quoted)
      walkQuoted(run, node, node.body.text, place);
    else if (node.type === 'Redirect') walkTarget(run, node, place);
    else if (node.type === 'Assignment') walkValue(run, node.value, place);
    if ('index' in node && node.index) walkIndex(run, node.index, place);
    const construct = noted[node.type];
    if (construct) run.constructs.add(construct);
    checkExpansion(run, node, place);
    if (node.type === 'ParameterExpansion' && node.operation) {
      if (!charge(run, node.text.length, spanIn(place.source, node.pos, node.end))) return;
    }
    if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
      walkSubstitution(run, node, within(run, place, 'substitution'));
    } else if (node.type === 'ProcessSubstitution') {
      walkSubstitution(run, node, within(run, place, 'process-substitution'));
    } else if (node.type === 'ParameterExpansion' && isSplit(node)) {
      walkOperation(run, node, place);
    } else {
      if (node.type === 'Transform') noteTransform(run, node, place);
      else if (node.type === 'Slice') run.evaluates = true;
      else if (node.type === 'ParameterExpansion' && isIndirect(node)) noteHeld(run, node, place);
      const first = stack.length;
      forEachChild(node, (child) => void stack.push(child));
      turn(stack, first);
    }
  }
}

function walkHidden(run: Run, word: Word, place: Position): void {
  const hidden = hiddenSubstitution(word.text);
  if (hidden === undefined) return;
  const source = {text: `: ${hidden}`, whole: spanIn(place.source, word.pos, word.end)};
  run.walkText({...place, source, depth: place.depth + 1});
}

/** Defaults (`:-`) and offsets (`:`). Excludes `${x#'…'}` and `${x/'…'}`: quotes in a pattern are real quotes. */
const valueWithQuote = /\$\{!?[\w@*#?$!-]+(?:\[[^]*\])?[:=?+-][^]*'/;

/**
 * In `"${x:-'$(cmd '}')'}"` the outer single quotes are plain characters. The parser takes them for quotes and ends the
 * expansion at the brace.
 */
function walkQuoted(run: Run, node: SyntaxNode, text: string, place: Position): void {
  if (!valueWithQuote.test(text) || text.length > maxRead) return;
  const found = substitutionsIn(text);
  // bash 5.2 removes the quotes of `$'…'` there, and reads their content as words and operators.
  if (found.some((inner) => inner.includes("$'")))
    addUnknown(run, "a substitution with $'…' in quotes in quotes", spanIn(place.source, node.pos, node.end));
  const before = run.problems.length;
  for (const inner of found) walkGuess(run, `: ${inner}`, node, place);
  if (!run.stopped) run.problems.length = before;
}

/**
 * In `"$(cat <((cmd $'a b')))"` bash 5.2 first reads `((` as arithmetic, and then again as a subshell. By then it has lost the
 * quotes of `$'…'`: cmd gets two words, and a `?` in them is a pattern.
 */
function noteUnquoted(run: Run, node: SyntaxNode & {readonly text: string}, place: Position): void {
  if (!/[<>$]\(\([^]*\$'/.test(node.text)) return;
  addUnknown(run, "$'…' behind (( in a substitution in quotes", spanIn(place.source, node.pos, node.end));
}

/** Reverses the end of a stack, so that it is popped in the order of the text. */
function turn(stack: SyntaxNode[], from: number): void {
  for (let low = from, high = stack.length - 1; low < high; low++, high--) {
    [stack[low], stack[high]] = [stack[high]!, stack[low]!];
  }
}

/**
 * The parser splits `${x/pattern/text}` and `${x:offset:length}` at the first slash or colon, even inside a substitution:
 * `${x/$(a b/c; cmd)/d}`. So such an operation is parsed again in a form that the parser does not split.
 */
function isSplit({operation, text}: ParameterExpansionPart): boolean {
  const splits =
    operation?.type === 'Replace' || operation?.type === 'Slice' || operation?.type === 'Unknown';
  return splits && /[`(]/.test(text);
}

function walkOperation(run: Run, node: ParameterExpansionPart, place: Position): void {
  const operand = node.text.slice(node.operation!.pos - node.pos, -1);
  const whole = spanIn(place.source, node.pos, node.end);
  if (operand.length > maxRead) return stop(run, 'an expansion is too long', whole);
  const source = {text: `: \${_:-${operand}}`, whole};
  run.walkText({...place, source, depth: place.depth + 1});
  if (node.index) walkExpansions(run, node.index, place);
}

/** `${x@P}` expands the value of x as a prompt, which runs the substitutions in it. */
function noteTransform(run: Run, node: ParameterTransformOperation, place: Position): void {
  if (!/[PQ]/.test(node.operand.text) || node.operand.text === 'Q') return;
  noteHeld(run, node, place);
}

function noteHeld(run: Run, node: SyntaxNode, place: Position): void {
  run.evaluates = true;
  addUnknown(run, 'an expansion runs what a variable holds', spanIn(place.source, node.pos, node.end));
}

const closed: Partial<Record<SyntaxNode['type'], RegExp>> = {
  ArithmeticExpansion: /\)\)$|\]$/,
  ParameterExpansion: /\}$/,
  CommandExpansion: /[)`}]$/,
  ProcessSubstitution: /\)$/,
};

/** Texts that the parser may misread are unknown: an expansion without an end, or arithmetic that looks like a command. */
function checkExpansion(run: Run, node: SyntaxNode, place: Position): void {
  const end = closed[node.type];
  if (end && 'text' in node && !end.test(node.text)) {
    addProblem(run, 'an expansion has no end', spanIn(place.source, node.pos, node.end));
  }
  if (node.type !== 'ArithmeticExpansion' && node.type !== 'ArithmeticCommand') return;
  const text = node.type === 'ArithmeticExpansion' ? node.text.slice(2, -1) : `(${node.body})`;
  const inner = text.startsWith('(') ? text.slice(1, -1) : text;
  if (isBalanced(inner) && isSafeArithmetic(inner, place.values)) return;
  if (!/[;|&'"`\n\\]|\w\s+[-\w./]/.test(text)) return;
  const whole = spanIn(place.source, node.pos, node.end);
  if (text.length > maxRead) return stop(run, 'arithmetic is too long', whole);
  // `$((cmd) | cmd)` is a substitution. So text read as arithmetic is analysed as a command too; parse errors of that
  // reading do not count. Quotes are plain characters in arithmetic.
  const before = run.problems.length;
  walkGuess(run, text, node, place);
  const script = embedded(text);
  if (script !== undefined) walkGuess(run, script, node, place);
  if (!run.stopped) run.problems.length = before;
}

function walkSubstitution(
  run: Run,
  node: {readonly pos: number; readonly end: number; readonly script: ParsedScript | undefined},
  place: Position,
): void {
  const span = spanIn(place.source, node.pos, node.end);
  // The parser reads a nested script again on each level. So the budget is charged before the parse.
  if (!charge(run, node.end - node.pos, span)) return;
  if (!node.script) return addProblem(run, "a substitution can't be parsed", span);
  const source = node.script.source === undefined ? place.source : {...place.source, whole: span};
  run.walkScript(node.script, {...place, source});
}
