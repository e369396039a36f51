/** Memory and files that a hostile server could otherwise fill without end. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {openPins, pinnedAtMost} from '../../../src/mcp/gateway/pins.ts';
import {warnOnce} from '../../../src/mcp/gateway/warn-once.ts';
import {openOutputStore} from '../../../src/mcp/server/kept-output.ts';

test('pins: no more names than are kept, and those that are known go on', () => {
  const pins = openPins(undefined, 'x');
  const tool = (number: number, text = 'does it') => ({name: `t${number}`, description: text});
  const states = Array.from({length: pinnedAtMost + 2}, (_, n) => pins.look(`t${n}`, tool(n)));
  assert.deepEqual(
    states.map((state, n) => [n, state] as const).filter(([, state]) => state !== 'first'),
    [
      [pinnedAtMost, 'full'],
      [pinnedAtMost + 1, 'full'],
    ],
  );
  assert.equal(pins.look('t0', tool(0)), 'accepted');
  assert.equal(pins.look('t0', tool(0, 'does more')), 'changed');
});

test('warnings: each once, and a hundred different ones at most', () => {
  const said: string[] = [];
  const warn = warnOnce((text) => said.push(text));
  for (let n = 0; n < 300; n++) {
    warn(`a${n}`);
    warn(`a${n}`);
  }
  assert.deepEqual(said, [
    ...Array.from({length: 100}, (_, n) => `a${n}`),
    'further warnings about servers are left out',
  ]);
});

test('outputs: the oldest are dropped, so that all together have a bound', () => {
  const outputs = openOutputStore();
  const part = Buffer.alloc(8 * 1024 * 1024);
  for (let number = 0; number < 12; number++) outputs.add(`ion://output/${number}/stdout`, part);
  const kept = Array.from({length: 12}, (_, number) => number).filter((number) =>
    outputs.get(`ion://output/${number}/stdout`),
  );
  assert.deepEqual(kept, [4, 5, 6, 7, 8, 9, 10, 11], '64 MB');
  outputs.add('ion://output/small/stdout', Buffer.alloc(1));
  assert.equal(outputs.get('ion://output/4/stdout'), undefined);
  assert.ok(outputs.get('ion://output/5/stdout'));
});
