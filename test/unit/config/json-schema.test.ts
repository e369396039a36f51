import assert from 'node:assert/strict';
import {test} from 'node:test';
import {jsonSchema} from '../../../src/config/json-schema.ts';
import type {Key} from '../../../src/config/keys.ts';
import {keyDescriptions} from '../../../src/config/key-descriptions.ts';
import {shapeOf} from '../../../src/config/parsers.ts';
import type {Raw, Shape} from '../../../src/config/raw.ts';
import {schema} from '../../../src/config/schema.ts';

const source = {kind: 'user', file: 'x', folder: '/w', home: '/h', lineOf: () => 1} as const;
const raw = (value: unknown): Raw => ({value, part: 'x', parent: undefined, source});

test('the JSON schema has every key, with a description and its valid values', () => {
  const at = (key: string): Shape | undefined =>
    key
      .split('.')
      .reduce<Shape | undefined>((table, name) => table?.properties?.[name], jsonSchema() as Shape);
  for (const key of Object.keys(schema) as Key[]) {
    assert.equal(at(key)?.description, keyDescriptions[key], key);
    assert.notDeepEqual(shapeOf(schema[key]), {}, key);
  }
});

test('ion accepts exactly the words that the JSON schema lists', () => {
  for (const [key, parse] of Object.entries(schema)) {
    const words = shapeOf(parse).enum;
    if (words === undefined) continue;
    for (const word of words) assert.doesNotThrow(() => parse(raw(word)), `${key} = ${String(word)}`);
    assert.throws(() => parse(raw('no such word')), key);
  }
});
