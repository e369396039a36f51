import {forEachChild} from 'unbash';
import type {
  ParameterExpansionPart,
  ParameterTransformOperation,
  ParsedScript,
  SyntaxNode,
  Word,
} from 'unbash';
import type {Construct} from './analysis.ts';
import {embedded} from './embedded.ts';
import {addProblem, addUnknown, charge, stop, within, type Place, type Run} from './run.ts';
import {spanIn} from './source.ts';

/** Expansions that have to be read a second time are short. */
const maxRead = 16_384;

/** The parser reads a word once for each level of nesting in it: long ones with many levels take seconds. */
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

/** `[[ -v 'a[$(cmd)]' ]]` runs cmd: the text of a word is evaluated once more. */
function walkEvaluated(run: Run, word: Word, place: Place): void {
  const script = embedded(word.value);
  if (script === undefined || word.parts?.some((part) => part.type === 'CommandExpansion')) return;
  const source = {text: script, whole: spanIn(place.source, word.pos, word.end)};
  run.walkText({...within(run, place, 'substitution'), source, depth: place.depth + 1, guessed: true});
}

/**
 * Substitutions anywhere in a node that is not a command itself. With a stack of its own: `1+1+1+…` is as deep
 * as it is long.
 */
export function walkExpansions(run: Run, root: SyntaxNode, place: Place): void {
  if (isTooLong(root)) return stop(run, 'an expansion is too long', spanIn(place.source, root.pos, root.end));
  const stack: SyntaxNode[] = [root];
  for (let node = stack.pop(); node && !run.stopped; node = stack.pop()) {
    if (node.type === 'Word' && root.type === 'TestCommand') walkEvaluated(run, node, place);
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
      const first = stack.length;
      forEachChild(node, (child) => void stack.push(child));
      turn(stack, first);
    }
  }
}

/** The end of a stack, last first: what comes first in the text is taken first. */
function turn(stack: SyntaxNode[], from: number): void {
  for (let low = from, high = stack.length - 1; low < high; low++, high--) {
    [stack[low], stack[high]] = [stack[high]!, stack[low]!];
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
  const whole = spanIn(place.source, node.pos, node.end);
  if (operand.length > maxRead) return stop(run, 'an expansion is too long', whole);
  const source = {text: `: \${_:-${operand}}`, whole};
  run.walkText({...place, source, depth: place.depth + 1});
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
  const whole = spanIn(place.source, node.pos, node.end);
  if (text.length > maxRead) return stop(run, 'arithmetic is too long', whole);
  const source = {text, whole};
  const at = {...within(run, place, 'substitution'), source, depth: place.depth + 1, guessed: true};
  // `$((cmd) | cmd)` is a substitution: what was taken for arithmetic is looked at both ways; errors say nothing.
  const before = run.problems.length;
  run.walkText(at);
  if (!run.stopped) run.problems.length = before;
}

function walkSubstitution(
  run: Run,
  node: {readonly pos: number; readonly end: number; readonly script: ParsedScript | undefined},
  place: Place,
): void {
  const span = spanIn(place.source, node.pos, node.end);
  // The parser reads a nested script again on each level: what is nested is charged before it is read.
  if (!charge(run, node.end - node.pos, span)) return;
  if (!node.script) return addProblem(run, "a substitution can't be parsed", span);
  const source = node.script.source === undefined ? place.source : {...place.source, whole: span};
  run.walkScript(node.script, {...place, source});
}
