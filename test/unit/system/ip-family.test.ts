import assert from 'node:assert/strict';
import {isIP} from 'node:net';
import {test} from 'node:test';
import {ipFamily} from '../../../src/system/ip-family.ts';
import {fc} from '../../harness/property.ts';

const cases: readonly [text: string, want: 0 | 4 | 6][] = [
  ['10.0.0.1', 4],
  ['255.255.255.255', 4],
  ['256.0.0.1', 0],
  ['01.2.3.4', 0],
  ['1.2.3', 0],
  ['127.1', 0],
  ['0x7f.0.0.1', 0],
  ['::', 6],
  ['fd00::1', 6],
  ['FD00::1', 6],
  ['::ffff:10.0.0.1', 6],
  ['::ffff:10.0.0.256', 0],
  ['1::2::3', 0],
  ['1:2:3:4:5:6:7:8:9', 0],
  ['[::1]', 0],
  ['::1]/x[', 0],
  ['::1\n', 0],
  ['', 0],
  ['example.org', 0],
];
for (const [text, want] of cases) {
  test(`ipFamily: ${JSON.stringify(text)}`, () => assert.equal(ipFamily(text), want));
}

test('ipFamily: no zone', () => assert.equal(ipFamily('fe80::1%eth0'), 0));

const parts = fc.constantFrom(
  '',
  '0',
  '1',
  '9',
  '25',
  '255',
  '256',
  '00',
  'f',
  'ff',
  '12345',
  ':',
  '::',
  '.',
  '%',
  '[',
  ' ',
);
const text = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.array(parts, {maxLength: 20}).map((list) => list.join('')),
  fc.array(fc.constantFrom('0', '1', 'ab', '1.2.3.4', ''), {maxLength: 9}).map((list) => list.join(':')),
);

test('ipFamily: as net.isIP', () => {
  fc.assert(
    fc.property(
      text.filter((one) => !one.includes('%')),
      (one) => assert.equal(ipFamily(one), isIP(one)),
    ),
    {numRuns: 5000},
  );
});
