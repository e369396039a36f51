import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isInert} from '../../../../src/shell/parse/inert-text.ts';

const yes = [
  'true',
  'ls -la src',
  'rm -f a/b 2>/dev/null',
  'echo x > ../outside',
  'cat a | sort|uniq -c; sleep 1 && exit 1',
  "grep 'npm install' README.md",
  'cat <in >out 2>&1',
];
const no = [
  '',
  'npm test',
  'ls; npm test',
  'ls & npm test',
  'ls|bash',
  'echo "$(npm test)"',
  'echo `npm test`',
  'cat <(npm test)',
  'env npm test',
  'X=1 ls',
  '/bin/ls',
  './ls',
  'ls\nnpm test',
  '{ npm test',
  '(npm test)',
  '! npm test',
  'echo "a; npm test"',
  'time npm test',
  '>x npm test',
  '<x npm test',
  'if true',
  'find . -exec npm test',
  'a() npm',
  'ls >& x; npm',
  'cat ~/.cargo/registry/x',
  'cat /home/u/.cargo/registry/x',
  'cat </home/u/x',
  'ls --dir=/home/u',
];
for (const command of yes) test(`inert: ${command}`, () => assert.ok(isInert(command)));
for (const command of no) test(`not inert: ${JSON.stringify(command)}`, () => assert.ok(!isInert(command)));
