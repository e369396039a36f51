import assert from 'node:assert/strict';
import {test} from 'node:test';
import {NotJson, parseStrictly} from '../../../src/mcp/wire/strict-json.ts';
import {fc} from '../../harness/property.ts';

const refused: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ['a name twice', '{"a":1,"a":2}', /same name twice/],
  ['a name twice, once escaped', String.raw`{"method":"a","m\u0065thod":"b"}`, /same name twice/],
  ['a name twice, deep inside', '[{"x":[{"b":1,"b":1}]}]', /same name twice/],
  ['__proto__ twice', '{"__proto__":1,"__proto__":2}', /same name twice/],
  ['two values', '{} {}', /not one JSON value/],
  ['no value', '   ', /not one JSON value/],
  ['a byte order mark', '\ufeff{}', /not one JSON value/],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not UTF-8/],
  ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /not UTF-8/],
  ['a number without end', '[1e999]', /too large/],
  ['NaN', '[NaN]', /not one JSON value/],
  ['a comment', '{}//', /not one JSON value/],
  ['a string without end', '{"a', /not one JSON value/],
  ['too deep', '['.repeat(201) + ']'.repeat(201), /nested deeper/],
  ['far too deep', '['.repeat(1_000_000), /nested deeper/],
];

for (const [name, line, why] of refused)
  test(`strict json: refuses ${name}`, () => {
    assert.throws(
      () => parseStrictly(Buffer.from(line)),
      (error: Error) => error instanceof NotJson && why.test(error.message),
    );
  });

test('strict json: reads what JSON.parse reads, for every value without a doubled name', () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({min: 0, max: 2}), (text, indent) => {
      const line = JSON.stringify(JSON.parse(text), undefined, indent);
      assert.deepEqual(parseStrictly(Buffer.from(line)), JSON.parse(line));
    }),
  );
});

test('strict json: any bytes give a value or a NotJson', () => {
  fc.assert(
    fc.property(fc.uint8Array({maxLength: 60}), (bytes) => {
      try {
        parseStrictly(bytes);
      } catch (error) {
        assert.ok(error instanceof NotJson, String(error));
      }
    }),
  );
});
