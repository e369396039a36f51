import {parse as parseToml} from 'smol-toml';
import {attempt} from '../../system/attempt.ts';
import {renderToml} from './render.ts';

interface Line {
  /** From 1. */
  readonly number: number;
  /** The dotted key, with the key of its table before it. For a header: the key of the table. */
  readonly key: string;
  /** Undefined for a header. */
  readonly value: string | undefined;
  readonly table: string;
}

/**
 * The advice if TOML refuses a line because its key or table already exists, for example after a user pasted a line of a message.
 * If both values are lists, it is the joined line; otherwise the place of the other one. Undefined if the lines do not show it.
 * Pure.
 */
export function howToJoin(text: string, line: number): string | undefined {
  const lines = linesOf(text);
  const second = lines.find(({number}) => number === line);
  if (!second) return undefined;
  const before = lines.filter(({number}) => number < line);
  const first =
    before.find(({key}) => key === second.key) ??
    before.find(({key}) => isBelow(key, second.key) || isBelow(second.key, key));
  if (!first) return undefined;
  if (second.value === undefined) return joinTables(first, second);
  if (first.value === undefined)
    return `[${first.key}] is there already, in line ${first.number}: move this line below it, as ${shortKey(second, first.key)} = ${second.value}`;
  const all = [first, second].map(({value}) => listIn(value!));
  const [one, two] = all;
  if (!one || !two) return `it is there already, in line ${first.number}: keep one of the two`;
  const joined = [
    ...one,
    ...two.filter((entry) => !one.some((other) => JSON.stringify(other) === JSON.stringify(entry))),
  ];
  return `it is there already, in line ${first.number}: write one line instead of both: ${shortKey(first, first.table)} = ${renderToml(joined, Infinity)}`;
}

function joinTables(first: Line, second: Line): string {
  return first.value === undefined
    ? `[${second.key}] is there already, in line ${first.number}: move the lines of this one to it`
    : `line ${first.number} made this table already: move it below [${second.key}], as ${shortKey(first, second.key)} = ${first.value}`;
}

/** The key as it is written below a table. */
function shortKey({key}: Line, table: string): string {
  return isBelow(key, table) ? key.slice(table.length + 1) : key;
}

function isBelow(key: string, table: string): boolean {
  return table !== '' && key.startsWith(`${table}.`);
}

/**
 * Headers and keys with a value in the same line. Text in values of several lines may be among them: this is only for a
 * help line.
 */
function linesOf(text: string): Line[] {
  let table = '';
  return text.split('\n').flatMap((one, index): Line[] => {
    const header = /^\s*\[([\w.-]+)\]\s*(?:#.*)?$/.exec(one)?.[1];
    const number = index + 1;
    if (header !== undefined) {
      table = header;
      return [{number, key: header, value: undefined, table: ''}];
    }
    const [, key, value] = /^\s*([\w.-]+)\s*=\s*(.+?)\s*$/.exec(one) ?? [];
    if (key === undefined || value === undefined) return [];
    return [{number, key: table === '' ? key : `${table}.${key}`, value, table}];
  });
}

function listIn(value: string): readonly unknown[] | undefined {
  const found = attempt(() => parseToml(`v = ${value}`)['v']);
  return Array.isArray(found) ? found : undefined;
}
