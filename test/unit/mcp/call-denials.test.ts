import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Denial} from '../../../src/library/types.ts';
import {openDenials, withDenials} from '../../../src/mcp/gateway/call-denials.ts';

function denial(path: string, more: Partial<Denial> = {}): Denial {
  const base = {violation_id: `id of ${path}`, operation: 'write', path, program: '/usr/bin/node'};
  return {...base, rule: 'outside', count: 1, would_allow: null, expected: false, ...more} as Denial;
}

const before = [denial('/before/a'), denial('/before/b', {expected: true})];
const during = [denial('/during/a'), denial('/during/b', {expected: true})];

const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['those during the call, without the expected ones', [], ['/during/a']],
  ['an earlier one that the result names', ['EACCES: /before/a'], ['/before/a', '/during/a']],
  ['an earlier one that is expected, also if it is named', ['EACCES: /before/b'], ['/during/a']],
  [
    'each once, also if it is named twice',
    ['/during/a', '/during/a /before/a /before/a'],
    ['/before/a', '/during/a'],
  ],
];

for (const [name, texts, want] of rows)
  test(`denials of a call: ${name}`, () => {
    const records = openDenials();
    before.forEach((one) => records.add(one));
    const since = records.mark();
    during.forEach((one) => records.add(one));
    assert.deepEqual(
      records.of(since, texts).map(({path}) => path),
      want,
    );
  });

test('denials of a call: the latest ten of five hundred', () => {
  const records = openDenials();
  for (let number = 0; number < 600; number++) records.add(denial(`/n/${number}`));
  const paths = (since: number, text: string) => records.of(since, [text]).map(({path}) => path);
  assert.deepEqual(
    paths(0, ''),
    Array.from({length: 10}, (_, index) => `/n/${590 + index}`),
  );
  assert.deepEqual(paths(600, '/n/99 '), []);
  assert.deepEqual(paths(600, '/n/599'), ['/n/599']);
});

test('denials of a call: none leave the response as it was', () => {
  const response = {kind: 'response', id: 1, result: {isError: true}} as const;
  assert.equal(withDenials(response, []), response);
});
