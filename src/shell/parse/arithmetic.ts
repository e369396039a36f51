import {isInteger, type Values} from './known-variables.ts';

/** Arithmetic without names. bash also evaluates the value of a name, and runs the substitutions in its index. */
const withoutNames = /^(?:[\s\d()+\-*/%<>=!&|^~?:,]|\$[#?]|\$\{#\w+\})*$/;

const names = /(?<![\w$#{])[A-Za-z_]\w*|\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}/g;

/** `y$x` may become the name y5, which may hold any text. */
const joined = /[\w}]\$|\}\w/;

const single = /^\s*(?:-?\d+|\w+|\$\w+|\$\{\w+\})\s*$/;

/** Reports whether bash evaluates this without running a command. A name that holds an integer is safe. */
export const isSafeArithmetic = (text: string, values: Values | undefined): boolean =>
  openName(text, values) === undefined && !joined.test(text) && withoutNames.test(text.replace(names, '1'));

/** The same for a single name or number: an index, an offset, an operand of `[[ -lt ]]`. */
export const isSafeTerm = (text: string, values: Values | undefined): boolean =>
  single.test(text) && isSafeArithmetic(text, values);

/** The first name that may hold a text other than an integer. */
export function openName(text: string, values: Values | undefined): string | undefined {
  return text
    .match(names)
    ?.map((name) => name.replace(/[${}]/g, ''))
    .find((name) => !isNumber(values?.get(name)));
}

const isNumber = (value: string | null | undefined): boolean =>
  value === null || (value !== undefined && isInteger(value));

/** bash reads `$((a) | (b))` as a substitution. If each bracket pair is balanced by itself, it is arithmetic. */
export function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** The names that the head of `for ((i=0; i<3; i++))` sets first. Undefined when the head may run a command. */
export function countersOf(
  head: string,
  values: Values | undefined,
  numbers: ReadonlySet<string>,
): Values | undefined {
  const inside = /^for\s*\(\(([^()]*)\)\)[\s;]*(?:do|\{)?\s*$/.exec(head)?.[1];
  const parts = inside?.split(';');
  if (parts?.length !== 3) return undefined;
  const known = new Map(values);
  for (const first of parts[0]!.split(',')) {
    const [, name, value] = /^\s*([A-Za-z_]\w*)\s*=([^=]*)$/.exec(first) ?? [];
    if (name === undefined || !numbers.has(name) || !isSafeArithmetic(value!, known)) return undefined;
    known.set(name, null);
  }
  return parts.slice(1).every((part) => isSafeArithmetic(part, known)) ? known : undefined;
}
