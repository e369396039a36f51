import type {ParameterExpansionPart, SyntaxNode, Word} from 'unbash';
import {addAssigned, addEvaluated, type Place, type Run} from './parse-run.ts';
import {spanIn} from './source.ts';

/** Arithmetic without a name in it: a name stands for a text that bash evaluates in turn, and runs what is in its index. */
const closedArithmetic = /^(?:[\s\d()+\-*/%<>=!&|^~?:,]|\$[#?]|\$\{#\w+\})*$/;

const closedNumber = /^\s*-?\d+\s*$/;

/**
 * What one node of an expansion does beyond the commands in it: it sets a variable, or has bash evaluate a text that only bash
 * knows. Deny rules have no use for these; whoever allows a command by its text does.
 */
export function noteEvaluated(run: Run, node: SyntaxNode, place: Place): void {
  const why = reason(node);
  const span = spanIn(place.source, node.pos, node.end);
  if (why !== false) addEvaluated(run, why, span);
  if (node.type === 'ParameterExpansion' && sets(node)) addAssigned(run, node.parameter, span);
}

const mayRun = 'which may run commands';
const namedArithmetic = `arithmetic with a name, ${mayRun}`;
const evaluatedIndex = `an index that is evaluated, ${mayRun}`;
const unknownExpansion = `an expansion that is not known, ${mayRun}`;

type Reasons = {
  readonly [T in SyntaxNode['type']]?: (node: Extract<SyntaxNode, {readonly type: T}>) => string | false;
};

const reasons: Reasons = {
  ArithmeticExpansion: ({text}) => !closedArithmetic.test(arithmeticText(text)) && namedArithmetic,
  ArithmeticCommand: ({body}) => !closedArithmetic.test(body) && namedArithmetic,
  ArithmeticWord: ({value}) => !closedArithmetic.test(value) && namedArithmetic,
  ArithmeticCommandExpansion: () => `arithmetic with what a command prints, ${mayRun}`,
  ParameterExpansion: ({parameter}) =>
    !/^(?:[A-Za-z_]\w*|\d+|[#?@*$!-])$/.test(parameter) && unknownExpansion,
  Unknown: () => unknownExpansion,
  Transform: ({operand}) => !/^[UuLQEAaKk]$/.test(operand.text) && unknownExpansion,
  Slice: ({offset, length}) =>
    !(isClosed(offset) && (!length || isClosed(length))) && `an offset that is evaluated, ${mayRun}`,
  ArrayValue: ({elements}) =>
    elements.some(({text}) => text.startsWith('[') && !/^\[\d+\]=/.test(text)) && evaluatedIndex,
  TestUnary: ({operator}) => /^-[vR]$/.test(operator) && `[[ ${operator} ]] evaluates a name, ${mayRun}`,
  TestBinary: ({operator, left, right}) =>
    /^-(?:eq|ne|lt|le|gt|ge)$/.test(operator) &&
    !(isNumber(left) && isNumber(right)) &&
    `[[ ${operator} ]] evaluates its operands, ${mayRun}: [ ${operator} ] does not`,
};

function reason<T extends SyntaxNode>(node: T): string | false {
  const find = reasons[node.type] as ((node: T) => string | false) | undefined;
  return find ? find(node) : false;
}

/** The text between `$((` and `))`, or `$[` and `]`. */
const arithmeticText = (text: string): string => text.replace(/^\$(?:\(\(|\[)|(?:\)\)|\])$/g, '');

const isClosed = ({text}: Word): boolean => closedNumber.test(text.replace(/^\s*\((.*)\)\s*$/, '$1'));
const isNumber = ({text}: Word): boolean => /^"?(?:-?\d+|\$[#?]|\$\{#\w+\})"?$/.test(text);

/** `${x:=y}` and `${x=y}`. */
function sets({operation}: ParameterExpansionPart): boolean {
  return operation?.type === 'Default' && operation.operator.endsWith('=');
}
