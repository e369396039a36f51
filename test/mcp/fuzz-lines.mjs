// Random lines for both sides of a connection. The same seed gives the same lines.

const methods = [
  'ping',
  'tools/list',
  'tools/call',
  'initialize',
  'no/such',
  'notifications/message',
  'notifications/cancelled',
  'notifications/progress',
  'resources/read',
  'roots/list',
  '__proto__',
  '',
];
const values = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '9007199254740993',
  '""',
  '"x"',
  '"\\ud800"',
  '[]',
  '{}',
  '{"__proto__":{"a":1}}',
  '{"a":1,"\\u0061":2}',
  '[[[]]]',
  '1.5',
  '"ion-sandbox/denials"',
];

/** mulberry32 */
export function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** One line, with its line break. */
export function fuzzLine(next) {
  const pick = (list) => list[next(list.length)];
  const message = () => {
    const members = [`"jsonrpc":${next(20) === 0 ? pick(values) : '"2.0"'}`];
    if (next(4) > 0) members.push(`"id":${pick(['1', '7', '"x"', String(next(1e9)), pick(values)])}`);
    if (next(4) > 0)
      members.push(`"method":${next(10) === 0 ? pick(values) : JSON.stringify(pick(methods))}`);
    if (next(3) > 0)
      members.push(
        `"params":${pick([pick(values), '{"name":"check","arguments":{"command":7}}', '{"name":"__proto__","arguments":{}}', '{"requestId":"x"}', '{"level":"info","data":1}'])}`,
      );
    if (next(5) === 0) members.push(`"result":${pick(values)}`);
    if (next(8) === 0) members.push(`"error":${pick([...values, '{"code":1,"message":"m"}'])}`);
    if (next(8) === 0) members.push(pick(members)); // a name twice
    return `{${members.join(',')}}`;
  };
  const kinds = [
    message,
    message,
    () => `[${Array.from({length: next(5)}, message).join(',')}]`,
    () => '['.repeat(next(5000)) + ']'.repeat(next(5000)),
    () => '{"a":'.repeat(next(3000)),
    () => `"${'x'.repeat(next(20_000))}"`,
    () => `${message()}${message()}`,
    () => message().slice(0, next(60)),
    () => pick(['\r', ' ', '\u0000', '\ufeff{}', '\u2028', '{', '"', '\\']),
  ];
  const bytes = Buffer.from(pick(kinds)());
  // Bytes that are not UTF-8, and any other change.
  if (next(3) === 0)
    for (let times = next(4); bytes.length > 0 && times >= 0; times--) bytes[next(bytes.length)] = next(256);
  return Buffer.concat([bytes, Buffer.from('\n')]);
}
