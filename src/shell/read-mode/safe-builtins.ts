import type {Word} from '../analysis.ts';
import type {SafeRow} from './safe-options.ts';
import {isOwnVariable, mayBePassed} from './safe-variables.ts';

type Words = readonly Word[];

const nothing: SafeRow = {harmless: true, builtin: true, free: true};

/** Builtins of bash that only read, or change only the shell that runs them. */
export const builtinRows: Readonly<Record<string, SafeRow>> = {
  true: nothing,
  false: nothing,
  ':': nothing,
  echo: nothing,
  exit: nothing,
  return: nothing,
  break: nothing,
  continue: nothing,
  shift: nothing,
  times: nothing,
  // Not x: `jobs -x cmd` runs cmd.
  jobs: {builtin: true, harmless: true, texts: true, flags: 'l n p r s'},
  pwd: {builtin: true, harmless: true, flags: 'L P'},
  printf: {builtin: true, free: true, check: checkPrintf},
  test: {builtin: true, free: true, quotedVariables: true, check: checkTest},
  '[': {builtin: true, free: true, quotedVariables: true, check: checkTest},
  type: {builtin: true, harmless: true, texts: true, flags: 'a f p P t'},
  cd: {builtin: true, harmless: true, texts: true, operands: 1, flags: 'L P'},
  read: {builtin: true, flags: 'r s', values: 'd n N p t u', texts: true, refusesOperand: ownName},
  mapfile: {builtin: true, flags: 't', values: 'd n O s u', texts: true, refusesOperand: ownName},
  readarray: {builtin: true, flags: 't', values: 'd n O s u', texts: true, refusesOperand: ownName},
  unset: {builtin: true, flags: 'v', texts: true, refusesOperand: ownName},
  wait: {builtin: true, flags: 'n f', texts: true},
  set: {builtin: true, free: true, check: checkSet},
  export: {builtin: true, free: true, check: checkExport},
};

/** `read a[$(cmd)]` runs cmd, and `read PATH` changes which programs run. */
function ownName({text, literal}: Word): string | undefined {
  return literal && isOwnVariable(text) ? undefined : `it sets ${JSON.stringify(text)}`;
}

/** `set -a` exports variables, and `set -B` and similar options change how bash reads the rest. */
function checkSet(words: Words): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const {text, literal} = words[at]!;
    if (!literal) return 'set with a word that is known only when it runs';
    if (text === '--') return undefined;
    if (/^[-+][eux]+$/.test(text)) continue;
    const named = /^[-+][eux]*o$/.test(text) && words[at + 1]?.literal === true && words[++at]!.text;
    if (!named || !/^(?:errexit|nounset|pipefail|xtrace)$/.test(named))
      return `set ${text} changes how bash reads`;
  }
  return undefined;
}

function checkExport(words: Words): string | undefined {
  const odd = words.find(({text, literal}) => !literal || !mayBePassed(text));
  return odd && `it sets ${JSON.stringify(odd.text.replace(/=.*/s, ''))} for programs`;
}

/** `printf -v 'a[$(cmd)]'` sets a variable and runs the substitution in its index. `printf 'ab%n' PATH` sets PATH to 2. */
function checkPrintf(words: Words): string | undefined {
  const [first, ...others] = words;
  if (first && first.text !== '--' && first.text.startsWith('-')) return 'printf -v sets a variable';
  const [format, ...values] = first?.text === '--' ? others : words;
  if (!format || (values.length === 0 && !format.expansions?.includes('glob') && !format.splits))
    return undefined;
  if (!format.literal) return 'printf with a format that is known only when it runs';
  const sets = /%[^%a-zA-Z]*[hjlLqtz]*n/.test(format.text.replaceAll('%%', ''));
  return sets ? 'printf %n sets a variable' : undefined;
}

/** `test -v name` runs the substitutions in the name's index. A variable that replaces an operator may contain `-v`. */
function checkTest(words: Words): string | undefined {
  if (words.some(({text}) => text === '-v' || text === '-R')) return 'test -v may evaluate its argument';
  const joined = words.some(({text}) => text === '-a' || text === '-o');
  const loose = words.some(({literal}, at) => !literal && (joined || isIndexed(words[at + 1])));
  return loose ? 'test with a variable as operator' : undefined;
}

/** A word that may contain an index, after a variable that may hold `-v`. */
const isIndexed = (word: Word | undefined): boolean =>
  word !== undefined && (!word.literal || word.text.includes('['));
