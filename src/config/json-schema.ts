import type {Key} from './keys.ts';
import {keyDescriptions} from './key-descriptions.ts';
import {shapeOf} from './parsers.ts';
import type {Shape} from './raw.ts';
import {schema} from './schema.ts';
import {sectionShape} from './server-sections.ts';

interface Table {
  readonly properties: Record<string, Shape | Table>;
}

/** A JSON Schema (draft 2020-12) of a config file, for editors: every key with its description and its values. */
export function jsonSchema(): object {
  const root = newTable();
  for (const key of Object.keys(schema) as Key[]) {
    const parts = key.split('.');
    const last = parts.pop()!;
    const table = parts.reduce(tableIn, root);
    table.properties[last] = {...shapeOf(schema[key]), description: keyDescriptions[key]};
  }
  root.properties['mcp'] = {
    type: 'object',
    additionalProperties: sectionShape(),
    description: 'Settings for MCP servers, by their names: the keys of sandbox, limits and environment.',
  };
  return {$schema: 'https://json-schema.org/draft/2020-12/schema', title: "ion's config", ...root};
}

function newTable(): Table & Shape {
  return {type: 'object', additionalProperties: false, properties: {}};
}

function tableIn(table: Table, name: string): Table {
  return (table.properties[name] ??= newTable()) as Table;
}
