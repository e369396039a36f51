import type {ParsedFile} from './gather.ts';
import type {Key} from './keys.ts';
import {isProject, nameOf} from './raw.ts';
import {renderToml} from './render.ts';

/** Far more than a person reads; the store must not grow with somebody's generated config. */
const maxStatements = 500;

/** Every setting of the project's files as one line each: what two versions of a config are compared by. */
export function projectSays(files: readonly ParsedFile[]): string[] {
  return files.filter(isProject).flatMap(statements).slice(0, maxStatements);
}

function statements({values, document}: ParsedFile): string[] {
  return (Object.keys(values) as Key[]).flatMap((key) => {
    const path = key.split('.');
    const value = path.reduce<unknown>((table, part) => (table as Record<string, unknown>)[part], document);
    const parts = partsOf(value);
    return parts.map(([name, part]) => `${nameOf([...path, ...name])} = ${renderToml(part)}`);
  });
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

export function difference(before: readonly string[], after: readonly string[]): Difference {
  return {
    added: after.filter((line) => !before.includes(line)),
    removed: before.filter((line) => !after.includes(line)),
  };
}
