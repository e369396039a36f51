import type {ParameterExpansionPart, SyntaxNode, Word} from 'unbash';
import {addAssigned, addChange, addEvaluated, type Position, type Run} from './parse-run.ts';
import {isSafeArithmetic, isSafeTerm, openName} from './arithmetic.ts';
import {setByArithmetic, type Values} from './known-variables.ts';
import {spanIn} from './source.ts';

const closedNumber = /^\s*-?\d+\s*$/;

/**
 * Notes what an expansion does besides the commands in it: it sets a variable, or bash evaluates a text that is known only
 * at run time. Deny rules ignore these notes; rules that allow by text need them.
 */
export function noteEvaluated(run: Run, node: SyntaxNode, place: Position): void {
  const why = reason(node, place.values);
  const span = spanIn(place.source, node.pos, node.end);
  if (why !== false) addEvaluated(run, why, span);
  for (const name of setByArithmetic(arithmeticIn(node))) addChange(run, name, 'counts');
  if (node.type === 'ParameterExpansion' && sets(node)) addAssigned(run, node.parameter, span);
}

const mayRun = 'which may run commands';
const evaluatedIndex = `an index that is evaluated, ${mayRun}`;
const unknownExpansion = `an expansion that is not known, ${mayRun}`;

type Reasons = {
  readonly [T in SyntaxNode['type']]?: (
    node: Extract<SyntaxNode, {readonly type: T}>,
    values: Values | undefined,
  ) => string | false;
};

function inArithmetic(text: string, values: Values | undefined): string | false {
  if (isSafeArithmetic(text, values)) return false;
  const name = openName(text, values);
  return name === undefined
    ? `arithmetic that is not plain numbers, ${mayRun}`
    : `arithmetic with ${JSON.stringify(name)}, ${mayRun}: where the command sets it to a number before, it is safe`;
}

const reasons: Reasons = {
  ArithmeticExpansion: ({text}, values) => inArithmetic(arithmeticText(text), values),
  ArithmeticCommand: ({body}, values) => inArithmetic(body, values),
  ArithmeticWord: ({value}, values) => inArithmetic(value, values),
  ArithmeticCommandExpansion: () => `arithmetic with what a command prints, ${mayRun}`,
  ParameterExpansion: ({parameter}) =>
    !/^(?:[A-Za-z_]\w*|\d+|[#?@*$!-])$/.test(parameter) && unknownExpansion,
  Unknown: () => unknownExpansion,
  Transform: ({operand}) => !/^[UuLQEAaKk]$/.test(operand.text) && unknownExpansion,
  Slice: ({offset, length}, values) =>
    !(isOffset(offset, values) && (!length || isOffset(length, values))) &&
    `an offset that is evaluated, ${mayRun}`,
  ArrayValue: ({elements}) =>
    elements.some(({text}) => text.startsWith('[') && !/^\[\d+\]=/.test(text)) && evaluatedIndex,
  TestUnary: ({operator}) => /^-[vR]$/.test(operator) && `[[ ${operator} ]] evaluates a name, ${mayRun}`,
  TestBinary: ({operator, left, right}, values) =>
    /^-(?:eq|ne|lt|le|gt|ge)$/.test(operator) &&
    !(isNumber(left, values) && isNumber(right, values)) &&
    `[[ ${operator} ]] evaluates its operands, ${mayRun}: [ ${operator} ] does not`,
};

function reason<T extends SyntaxNode>(node: T, values: Values | undefined): string | false {
  const find = reasons[node.type] as ((node: T, values: Values | undefined) => string | false) | undefined;
  return find ? find(node, values) : false;
}

/** The text between `$((` and `))`, or between `$[` and `]`. */
const arithmeticText = (text: string): string => text.replace(/^\$(?:\(\(|\[)|(?:\)\)|\])$/g, '');

const isOffset = ({text}: Word, values: Values | undefined): boolean =>
  closedNumber.test(text.replace(/^\s*\((.*)\)\s*$/, '$1')) || isSafeTerm(text, values);
const isNumber = ({text}: Word, values: Values | undefined): boolean =>
  /^"?(?:-?\d+|\$[#?]|\$\{#\w+\})"?$/.test(text) || isSafeTerm(text.replace(/^"(.*)"$/s, '$1'), values);

function arithmeticIn(node: SyntaxNode): string {
  if (node.type === 'ArithmeticExpansion') return arithmeticText(node.text);
  return node.type === 'ArithmeticCommand' ? node.body : '';
}

/** `${x:=y}` and `${x=y}`. */
function sets({operation}: ParameterExpansionPart): boolean {
  return operation?.type === 'Default' && operation.operator.endsWith('=');
}
