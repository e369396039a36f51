import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isProblem, parseEntry} from '../../../src/config/network/entry-text.ts';
import {wideEntries} from '../../../src/config/network/wide-pattern.ts';

function isWide(text: string): boolean {
  const entry = parseEntry(text);
  assert.ok(!isProblem(entry), text);
  return wideEntries({allow: [{...entry, origin: {layer: 'user'}}], deny: [], loopback: false}).length === 1;
}

for (const wide of ['*.com', '*.dev:443', '*.co.uk', '*.com.au', '*.xn--p1ai', 'tcp://*.org:22'])
  test(`network: "${wide}" is too wide`, () => assert.ok(isWide(wide)));

for (const fine of ['com', 'co.uk', '*', '*.a.com', '*.example.co.uk', '*.internal', '*.corp', '*.github.io'])
  test(`network: "${fine}" is not too wide`, () => assert.ok(!isWide(fine)));
