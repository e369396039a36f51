import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isProblem, parseEntry} from '../../../../src/config/network/entry-text.ts';
import {renderMessage} from '../../../../src/errors.ts';
import {reachedMessage} from '../../../../src/session/report/reached-names.ts';

const origin = {layer: 'config-flag', file: 'c.toml', line: 2} as const;

function said(allow: readonly string[], reached: readonly (readonly [string, number])[]): string | undefined {
  const entries = allow.map((text) => {
    const parsed = parseEntry(text);
    assert.ok(!isProblem(parsed));
    return {...parsed, origin};
  });
  const message = reachedMessage(
    {value: {allow: entries, deny: [], loopback: false}, origin},
    reached.map(([name, port]) => ({kind: 'reached', name, port})),
  );
  return message && renderMessage(message);
}

for (const {name, allow, reached, want} of [
  {
    name: 'names and ports that only "*" allows, beside the other entries',
    allow: ['*', '*.a.example', 'tcp://g.example:22'],
    reached: [
      ['z.example', 443],
      ['b.example', 80],
      ['x.a.example', 443],
      ['x.a.example', 80],
    ],
    want: 'ion: reached by "*": 3 names\n --> c.toml:2\nhelp: instead of "*": sandbox.network.allow = ["*.a.example", "tcp://g.example:22", "b.example:80", "x.a.example:80", "z.example"]\n',
  },
  {
    name: 'nothing that only "*" allows',
    allow: ['*', 'a.example'],
    reached: [['a.example', 443]],
    want: undefined,
  },
  {name: 'no "*"', allow: ['a.example'], reached: [['a.example', 443]], want: undefined},
] as const)
  test(`reached names: ${name}`, () => assert.equal(said(allow, reached), want));
