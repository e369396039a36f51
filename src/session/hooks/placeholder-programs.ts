import {wrapperRows} from '../../shell/nested/wrapper-table.ts';
import {baseName} from '../../system/base-name.ts';

/** A word after the program. */
export interface Operand {
  readonly text: string;
  /** True if it contains a placeholder. */
  readonly holds: boolean;
  /** True if it is exactly one placeholder. */
  readonly isMark: boolean;
}

/** Builtins that evaluate a word, or that take it as a variable's name, whose subscript bash evaluates. */
const evaluating = new Set(
  (
    'eval let source . trap declare typeset local export readonly unset read mapfile readarray getopts wait alias bind complete ' +
    'compgen enable hash fc history su ssh ts entr script watch parallel xargs hyperfine'
  ).split(' '),
);

/** Programs that take code as a word, in an option, or as a script. */
const interpreters =
  /^(?:(?:ba|da|z|k|mk|a|fi|c|tc|ya|rba)?sh|busybox|toybox|ion|(?:python|pypy|perl|ruby|php|lua|luajit|tclsh|Rscript)[\d.]*|node|nodejs|deno|bun|[gmn]?awk|g?sed|jq|yq|osascript|g?make|psql|sqlite3|mysql|gdb|vim?|nvim|emacs|ed|expect)$/;

const codeOption =
  /^-[a-zA-Z]*[ceEfrSn]$|^--(?:eval|expression|execute|command|print|require|import|file|source)$/;

/** Reports whether the program could run a placeholder among these words as code. */
export function evaluates(program: string, operands: readonly Operand[]): boolean {
  if (!operands.some(({holds}) => holds)) return false;
  const name = baseName(program);
  if (evaluating.has(name)) return true;
  if (name === 'printf') return !hasOperandBefore(operands) || operands[0]?.text === '-v';
  if (name === 'test' || name === '[')
    return operands.filter(({holds}) => holds).length > 1 || operands.some(({text}) => /^-[vR]$/.test(text));
  if (name === 'set') return operands[0]?.text !== '--';
  if (name === 'find') return operands.some(({text}) => /^-(?:exec|ok)(?:dir)?$/.test(text));
  if (interpreters.test(name)) return readsCode(operands);
  return Object.hasOwn(wrapperRows, name) && startsCode(name, operands);
}

/** Reports whether an operand without a placeholder precedes the first placeholder. */
function hasOperandBefore(operands: readonly Operand[], least = 1): boolean {
  const first = operands.findIndex(({holds}) => holds);
  const before = operands.slice(0, first).filter(({text}) => !text.startsWith('-') && !/^\w+=/.test(text));
  return before.length >= least;
}

/** The placeholder is safe only after the code or script, and not as the value of an option that takes more code. */
function readsCode(operands: readonly Operand[]): boolean {
  if (!hasOperandBefore(operands)) return true;
  return operands.some(
    ({holds, isMark}, index) => holds && (!isMark || codeOption.test(operands[index - 1]?.text ?? '')),
  );
}

/**
 * For a wrapper: reports whether it may run a placeholder as code. The program that it starts is checked where it is
 * known.
 */
function startsCode(name: string, operands: readonly Operand[]): boolean {
  const {joins, script, placeholder, scriptOnly, operands: own = 0} = wrapperRows[name]!;
  if (joins || placeholder !== undefined || (script !== undefined && name !== 'env'))
    return !scriptOnly || name === 'su';
  if (operands.some(({text}) => /^(?:-S|--split-string)/.test(text)) || !hasOperandBefore(operands, own + 1))
    return true;
  const at = operands.findIndex(({text}) => {
    const inner = baseName(text);
    return evaluating.has(inner) || interpreters.test(inner) || Object.hasOwn(wrapperRows, inner);
  });
  if (at === -1) return false;
  return (
    operands.slice(0, at).some(({holds}) => holds) || evaluates(operands[at]!.text, operands.slice(at + 1))
  );
}
