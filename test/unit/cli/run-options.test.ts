import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Command} from 'commander';
import {parseFast, type FastCommand} from '../../../src/cli/run-options.ts';
import {addCheck, addRun} from '../../../src/cli/program.ts';
import type {RunArguments} from '../../../src/cli/run-flags.ts';
import {fc} from '../../harness/property.ts';

/** The arguments of `ion run` or `ion check` as commander parses them, or undefined if it refuses them. */
function byCommander(args: readonly string[]): RunArguments | undefined {
  let given: RunArguments | undefined;
  const program = new Command('ion')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({writeOut: () => undefined, writeErr: () => undefined});
  for (const add of [addRun, addCheck]) add(program, args, (one) => (given = one));
  try {
    program.parse([...args], {from: 'user'});
  } catch {
    return undefined;
  }
  return given;
}

/** `ion -C folder` is an option of the program, not of its commands. */
function withoutFolder({words, argv, options}: FastCommand): RunArguments {
  return {words, argv, options: {...options}};
}

const cases: readonly (readonly string[])[] = [
  ['run', 'true'],
  ['run', '--read', 'ls', '-l'],
  ['run', 'ls', '--read'],
  ['run', '--', '--read'],
  ['run', '--', 'ls', '--', '-l'],
  ['run', 'ls', '--'],
  ['run', '--no-sandbox', '--json', '--explain', 'x'],
  ['run', '--timeout', '5', '--timeout', '6', 'x'],
  ['run', '--timeout', '5', '--', 'x'],
  ['run', '--set', 'a=1', '--set', 'b+=2', '-C', 'd', '-C', 'e', 'x'],
  ['run', '-', 'x'],
  ['run', '', 'x'],
  ['check', 'true'],
  ['check', '--read', '--json', '--', 'ls', '-l'],
  ['check', '--tool', 'write', '.git/hooks/x'],
  ['check', '--no-sandbox', 'x'],
];
for (const args of cases) {
  test(`fast: ${args.join(' ')}`, () => {
    const fast = parseFast(args);
    if (fast) assert.deepEqual(withoutFolder(fast), byCommander(args));
  });
}

test('fast: the usual forms do not need commander', () => {
  for (const args of [
    ['run', 'true'],
    ['run', '--read', 'git log'],
    ['run', '-C', 'lib', '--set', 'sandbox.network=full', 'curl x'],
    ['-C', 'lib', 'run', 'x'],
    ['run', '--timeout', '9', '--', 'npm', 'ci'],
    ['check', 'git push'],
    ['check', '--read', '--json', 'ls'],
    ['-C', 'lib', 'check', '--tool', 'write', 'x'],
  ]) {
    assert.ok(parseFast(args), args.join(' '));
  }
});

const word = fc.constantFrom(
  ...[
    '--read',
    '--no-sandbox',
    '--timeout',
    '--config',
    '--set',
    '--tool',
    '-C',
    '--events',
    '--json',
    '--explain',
    '--',
    '-',
    '',
    'ls',
    '-l',
  ],
  ...['--timeout=5', '--bogus', '-r', '--help', '-h', '30s', 'fd:3', '--rea', '--no-read', 'run', 'a b'],
);

test('fast: agrees with commander on everything it accepts', () => {
  let answered = 0;
  fc.assert(
    fc.property(fc.constantFrom('run', 'check'), fc.array(word, {maxLength: 6}), (verb, words) => {
      const args = [verb, ...words];
      const fast = parseFast(args);
      if (!fast) return;
      answered++;
      assert.deepEqual(withoutFolder(fast), byCommander(args));
    }),
    {numRuns: 3000},
  );
  assert.ok(answered > 300, `only ${answered} answers`);
});
