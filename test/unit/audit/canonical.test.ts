import assert from 'node:assert/strict';
import {test} from 'node:test';
import {canonicalJson, fixed} from '../../../src/audit/canonical.ts';
import {redactAll} from '../../../src/audit/redact.ts';
import {fc} from '../../harness/property.ts';

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

test('canonical JSON: a fixed part has the bytes that it had when it was fixed', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const part = {b: value, a: ['\u2028']};
      const event = {type: 'x', left: undefined, part, also: 'y'};
      const text = canonicalJson(event);
      fixed(part);
      assert.equal(canonicalJson(event), text);
      part.a.push('later');
      assert.equal(canonicalJson(redactAll(event)), text);
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
