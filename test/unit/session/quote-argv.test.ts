import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {IonError} from '../../../src/errors.ts';
import {checkCommand, quoteArgv} from '../../../src/session/command-text.ts';
import {runsOf} from '../../harness/extent.ts';
import {fc} from '../../harness/property.ts';

/** The words that bash passes to the program, NUL-terminated. */
function throughBash(command: string): string[] {
  const {stdout, stderr, status} = spawnSync('/bin/bash', ['--norc', '-c', command], {encoding: 'utf8'});
  assert.equal(status, 0, stderr);
  return stdout.split('\0').slice(0, -1);
}

/** Characters with a meaning for bash, and a letter. */
const special = Array.from('\'"`$\\!*?[]{}()<>|&;#~=^% \t\n\r\u0001a-');

const word = fc.oneof(
  fc.string({unit: 'binary', maxLength: 12}),
  fc.string({unit: fc.constantFrom(...special), maxLength: 12}),
  fc.constantFrom(
    '',
    '-n',
    '--',
    '!',
    '~',
    '{a,b}',
    '$(id)',
    'a=b',
    '*',
    '\\',
    '\n',
    "'",
    '!!',
    '[[',
    "$'x'",
  ),
);

test('quoteArgv: bash returns every word unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, {minLength: 1, maxLength: 6}), async (given) => {
      const words = given.map((one) => Buffer.from(one.replaceAll('\0', '')).toString()); // well-formed, as Node's arguments are
      const command = await quoteArgv(['printf', '%s\\0', ...words]);
      assert.deepEqual(throughBash(command), words);
    }),
    {numRuns: runsOf(300)},
  );
});

/** The first word is a program, whatever else bash could take it for. */
const first = [
  '!',
  '[[',
  '{',
  '}',
  'case',
  'coproc',
  'do',
  'for',
  'function',
  'if',
  'select',
  'then',
  'time',
  'while',
  'a=b',
  '~',
];
for (const program of first) {
  test(`quoteArgv: ${program} as the first word is looked up as a program`, async () => {
    const command = await quoteArgv([program, 'x']);
    // A fixed PATH: if PATH contains a folder that this user may not search, the exit code is 126.
    const env = {PATH: '/usr/bin:/bin'};
    const {stderr, status} = spawnSync('/bin/bash', ['--norc', '-c', command], {encoding: 'utf8', env});
    assert.equal(status, 127, `${command}: ${stderr}`);
    assert.match(stderr, /command not found|No such file/);
  });
}

test('quoteArgv and checkCommand refuse a NUL', async () => {
  await assert.rejects(quoteArgv(['a\0b']), IonError);
  assert.throws(() => checkCommand('a\0b'), IonError);
});

const commands: readonly [name: string, command: string, ok: boolean][] = [
  ['empty', '', false],
  ['blank', ' \t\n', false],
  ['the longest', 'a'.repeat(131_071), true],
  ['one byte more', 'a'.repeat(131_072), false],
  ['counted in bytes', 'é'.repeat(65_536), false],
];
for (const [name, command, ok] of commands) {
  test(`checkCommand: ${name}`, () => {
    if (ok) checkCommand(command);
    else assert.throws(() => checkCommand(command), IonError);
  });
}
