import {isInteger, type Values} from './settled.ts';

/** Arithmetic without a name in it: a name stands for a text that bash evaluates in turn, and runs what is in its index. */
const closed = /^(?:[\s\d()+\-*/%<>=!&|^~?:,]|\$[#?]|\$\{#\w+\})*$/;

const names = /(?<![\w$#{])[A-Za-z_]\w*|\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}/g;

/** `y$x` is the name y5, which may hold anything. */
const joined = /[\w}]\$|\}\w/;

const single = /^\s*(?:-?\d+|\w+|\$\w+|\$\{\w+\})\s*$/;

/** May this be evaluated without running anything? Names that hold an integer stand for nothing else. */
export const isClosed = (text: string, values: Values | undefined): boolean =>
  openName(text, values) === undefined && !joined.test(text) && closed.test(text.replace(names, '1'));

/** The same for one name or number alone: an index, an offset, an operand of `[[ -lt ]]`. */
export const isClosedTerm = (text: string, values: Values | undefined): boolean =>
  single.test(text) && isClosed(text, values);

/** The first name in it that may hold a text. */
export function openName(text: string, values: Values | undefined): string | undefined {
  return text
    .match(names)
    ?.map((name) => name.replace(/[${}]/g, ''))
    .find((name) => !isNumber(values?.get(name)));
}

const isNumber = (value: string | null | undefined): boolean =>
  value === null || (value !== undefined && isInteger(value));

/** bash takes `$((a) | (b))` for a substitution: where each bracket has its own, it is arithmetic. */
export function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** The names that the head of `for ((i=0; i<3; i++))` sets first, where nothing in it can run: undefined else. */
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
    if (name === undefined || !numbers.has(name) || !isClosed(value!, known)) return undefined;
    known.set(name, null);
  }
  return parts.slice(1).every((part) => isClosed(part, known)) ? known : undefined;
}
