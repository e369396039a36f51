import assert from 'node:assert/strict';
import {PassThrough} from 'node:stream';
import {test} from 'node:test';
import {parseLine, renderMessage, type Message} from '../../../src/mcp/wire/message.ts';
import {readLines} from '../../../src/mcp/wire/read-lines.ts';
import {fc} from '../../harness/property.ts';

const good: readonly (readonly [string, readonly object[]])[] = [
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}', [{kind: 'request', id: 1, method: 'ping'}]],
  ['{"jsonrpc":"2.0","method":"n","params":{}}', [{kind: 'notification', method: 'n', params: {}}]],
  ['{"jsonrpc":"2.0","id":"a","result":null}', [{kind: 'response', id: 'a', result: null}]],
  [
    '[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"}]',
    [
      {kind: 'request', id: 1, method: 'a'},
      {kind: 'notification', method: 'b'},
    ],
  ],
];

for (const [line, want] of good)
  test(`message: ${line}`, () => assert.deepEqual(parseLine(Buffer.from(line)), want));

const bad: readonly (readonly [string, RegExp, (string | number | null)?])[] = [
  ['[]', /empty batch/],
  [`[${'1,'.repeat(10_000)}1]`, /more than 10000/],
  ['1', /must be an object/],
  ['{"id":1,"method":"x"}', /"jsonrpc"/, 1],
  ['{"jsonrpc":"2.0","id":1,"method":7}', /"method"/, 1],
  ['{"jsonrpc":"2.0","id":1.5,"method":"x"}', /"id"/],
  ['{"jsonrpc":"2.0","id":null,"method":"x"}', /"id"/],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}', /"id"/],
  ['{"jsonrpc":"2.0","id":[1],"method":"x"}', /"id"/],
  ['{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', /"params"/, 1],
  ['{"jsonrpc":"2.0","id":1,"method":"x","result":1}', /not both/, 1],
  ['{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}', /either/],
  ['{"jsonrpc":"2.0","id":1}', /either/],
  ['{"jsonrpc":"2.0","id":1,"error":"no"}', /code and a message/],
];

for (const [line, why, id = null] of bad)
  test(`message: malformed ${line.slice(0, 80)}`, () => {
    const [one, ...others] = parseLine(Buffer.from(line));
    assert.equal(others.length, 0);
    assert.ok(one?.kind === 'malformed');
    assert.match(one.why, why);
    assert.equal(one.id, id);
  });

test('message: only the members of JSON-RPC are written anew', () => {
  const line = '{"jsonrpc":"2.0","id":1,"Method":"evil","method":"ping","extra":{"a":1}}';
  const [one] = parseLine(Buffer.from(line));
  assert.equal(renderMessage(one as Message), '{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
});

/** Feeds `bytes` in parts of these sizes. */
async function linesOf(bytes: Buffer, sizes: readonly number[], maxBytes?: number): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  const ended = new Promise<void>((resolve) => {
    readLines(
      stream,
      {
        onLine: (line) => lines.push(line.toString('latin1')),
        onTooLong: () => lines.push('<too long>'),
        onEnd: resolve,
      },
      maxBytes,
    );
  });
  for (let [at, index] = [0, 0]; at < bytes.length; index++) {
    const size = sizes[index % sizes.length]!;
    stream.write(bytes.subarray(at, at + size));
    at += size;
  }
  stream.end();
  await ended;
  return lines;
}

test('lines: split anywhere, they are the same lines', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({maxLength: 20}).map((text) => text.replaceAll(/[\n]|[^ -~]/g, ''))),
      fc.array(fc.integer({min: 1, max: 9}), {minLength: 1}),
      async (texts, sizes) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''), 'latin1');
        assert.deepEqual(
          await linesOf(bytes, sizes),
          texts.filter((text) => text !== ''),
        );
      },
    ),
    {numRuns: 60},
  );
});

test('lines: one that is too long is dropped, and the next is read', async () => {
  const bytes = Buffer.from(`a\n${'x'.repeat(100)}\nb\n`);
  assert.deepEqual(await linesOf(bytes, [7], 50), ['a', '<too long>', 'b']);
});

test('lines: pausing stops in the middle of a chunk', () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  const reader = readLines(stream, {
    onLine(line) {
      lines.push(line.toString());
      reader.pause();
    },
    onTooLong: () => undefined,
    onEnd: () => undefined,
  });
  stream.emit('data', Buffer.from('1\n2\n3\n'));
  assert.deepEqual(lines, ['1']);
  reader.resume();
  assert.deepEqual(lines, ['1', '2']);
  reader.resume();
  assert.deepEqual(lines, ['1', '2', '3']);
});
