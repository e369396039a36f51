import {createHash} from 'node:crypto';
import type {ParsedFile} from '../read/layers.ts';
import type {Key} from '../keys.ts';
import {isProject, nameOf} from '../raw.ts';
import {renderToml} from '../read/render.ts';

/**
 * Every setting of the project's files, one line each, never shortened. Two versions of a config are compared by
 * these lines.
 */
export function projectStatements(files: readonly ParsedFile[]): string[] {
  return files.filter(isProject).flatMap(statementsOf);
}

/** Far more than a person reads. A generated config must not make the store grow without limit. */
const maxStatements = 500;
const maxKeptLength = 200;

/**
 * The part of the lines that the store keeps. The rest is hashed, because a change could hide where a line is cut.
 */
export function keptOf(statements: readonly string[]): string[] {
  const rest = statements.slice(maxStatements);
  const more = rest.length === 0 ? [] : [`… and ${rest.length} more settings (${hashOf(rest.join('\n'))})`];
  return [...statements.slice(0, maxStatements).map(kept), ...more];
}

function kept(line: string): string {
  return line.length > maxKeptLength ? `${line.slice(0, maxKeptLength)}… (${hashOf(line)})` : line;
}

function hashOf(text: string): string {
  return `sha256 ${createHash('sha256').update(text).digest('hex')}`;
}

function statementsOf({values, document, servers = {}}: ParsedFile): string[] {
  const sections = Object.values(servers).flatMap(({name, passUnknown, ...section}) => [
    ...valueLines(section).map((line) => `mcp.${name}: ${line}`),
    ...(passUnknown ? [`mcp.${name}: pass_unknown = ${passUnknown.value}`] : []),
  ]);
  return [...valueLines({values, document}), ...sections];
}

function valueLines({values, document}: Pick<ParsedFile, 'values' | 'document'>): string[] {
  return (Object.keys(values) as Key[]).flatMap((key) => {
    const path = key.split('.');
    const value = path.reduce<unknown>((table, part) => (table as Record<string, unknown>)[part], document);
    const parts = partsOf(value);
    return parts.map(([name, part]) => `${nameOf([...path, ...name])} = ${renderToml(part, Infinity)}`);
  });
}

/** A value as lines, one for each element of a list, never shortened. */
export function linesOf(name: string, value: unknown): string[] {
  const parts = Array.isArray(value) ? value.map((item: unknown) => [item]) : [value];
  return parts.map((part) => `${name} = ${renderToml(part, Infinity)}`);
}

/** The parts of a value: each element of a list, whatever their order, and each name of a table. */
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

/** Compares with the lines that were kept (`before`). New lines are shown in full. */
export function difference(before: readonly string[], statements: readonly string[]): Difference {
  const [had, after] = [new Set(before), keptOf(statements)];
  const isThere = new Set(after);
  return {
    added: after.flatMap((line, index) =>
      had.has(line) ? [] : [index < maxStatements ? statements[index]! : line],
    ),
    removed: before.filter((line) => !isThere.has(line)),
  };
}
