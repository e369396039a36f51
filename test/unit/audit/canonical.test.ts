import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {canonicalJson} from '../../../src/audit/canonical.ts';

test('canonical JSON: keys in code-unit order, no blanks, nothing that JSON leaves out', () => {
  const table: [unknown, string][] = [
    [{b: 1, a: {d: [2, {f: 0, e: null}], c: 'x'}}, '{"a":{"c":"x","d":[2,{"e":null,"f":0}]},"b":1}'],
    [JSON.parse('{"b":1,"__proto__":{"c":2}}'), '{"__proto__":{"c":2},"b":1}'],
    [{left: undefined, list: [undefined, NaN]}, '{"list":[null,null]}'],
    [{text: 'a\u2028b\u001b[0m\u202e'}, '{"text":"a\\u2028b\\u001b[0m\\u202e"}'],
    [[], '[]'],
    [{}, '{}'],
  ];
  for (const [value, want] of table) assert.equal(canonicalJson(value), want);
});

test('canonical JSON: has the same value, and the same bytes for any order of the keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(reversed(value)), text);
    }),
  );
});

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, one]) => [key, reversed(one)]),
  );
}
