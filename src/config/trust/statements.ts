import {createHash} from 'node:crypto';
import type {ParsedFile} from '../read/gather.ts';
import type {Key} from '../keys.ts';
import {isProject, nameOf} from '../raw.ts';
import {renderToml} from '../read/render.ts';

/** Every setting of the project's files as one line each, whole: what two versions of a config are compared by. */
export function projectSays(files: readonly ParsedFile[]): string[] {
  return files.filter(isProject).flatMap(statements);
}

/** Far more than a person reads; the store must not grow with somebody's generated config. */
const maxStatements = 500;
const maxKeptLength = 200;

/** What is kept of them. Of what is not kept there is a hash: where a line is cut, its end is where a change hides. */
export function keptOf(says: readonly string[]): string[] {
  const rest = says.slice(maxStatements);
  const more = rest.length === 0 ? [] : [`… and ${rest.length} more settings (${hashOf(rest.join('\n'))})`];
  return [...says.slice(0, maxStatements).map(kept), ...more];
}

function kept(line: string): string {
  return line.length > maxKeptLength ? `${line.slice(0, maxKeptLength)}… (${hashOf(line)})` : line;
}

function hashOf(text: string): string {
  return `sha256 ${createHash('sha256').update(text).digest('hex')}`;
}

function statements({values, document}: ParsedFile): string[] {
  return (Object.keys(values) as Key[]).flatMap((key) => {
    const path = key.split('.');
    const value = path.reduce<unknown>((table, part) => (table as Record<string, unknown>)[part], document);
    const parts = partsOf(value);
    return parts.map(([name, part]) => `${nameOf([...path, ...name])} = ${renderToml(part, Infinity)}`);
  });
}

/** A value as lines, one element of a list each, and nothing of them is cut. */
export function linesOf(name: string, value: unknown): string[] {
  const parts = Array.isArray(value) ? value.map((item: unknown) => [item]) : [value];
  return parts.map((part) => `${name} = ${renderToml(part, Infinity)}`);
}

/** A list says each of its elements, whatever their order; a table each of its names. */
function partsOf(value: unknown): [path: string[], value: unknown][] {
  if (Array.isArray(value)) return value.map((item: unknown) => [[], [item]]);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).map(([name, item]) => [[name], item]);
  }
  return [[[], value]];
}

export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** `before` is what was kept; what is new is told whole. */
export function difference(before: readonly string[], says: readonly string[]): Difference {
  const [had, after] = [new Set(before), keptOf(says)];
  const isThere = new Set(after);
  return {
    added: after.flatMap((line, index) =>
      had.has(line) ? [] : [index < maxStatements ? says[index]! : line],
    ),
    removed: before.filter((line) => !isThere.has(line)),
  };
}
