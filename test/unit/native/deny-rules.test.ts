import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {matchGlob} from '../../../src/shell/match/glob.ts';
import {runsOf} from '../../harness/extent.ts';
import {compiledWith, sanitized} from '../../harness/native.ts';
import {fc} from '../../harness/property.ts';

const binary = compiledWith('deny-rules.c', ['answer/exec/deny_rules.c', 'base/command_pattern.c']);

/** The index of the first pattern that denies each text, as the supervisor computes it. */
function supervisor(patterns: readonly string[], texts: readonly string[]): (number | undefined)[] {
  const input = [String(patterns.length), ...patterns, ...texts].map((text) => `${text}\0`).join('');
  const lines = execFileSync(binary, {input, encoding: 'latin1', env: sanitized}).trimEnd().split('\n');
  return lines.map((line) => (line === '-' ? undefined : Number(line)));
}

function scan(patterns: readonly string[], text: string): number | undefined {
  const at = patterns.findIndex(
    (glob) => matchGlob(glob, text) || (glob.endsWith(' *') && glob.length > 2 && glob.slice(0, -2) === text),
  );
  return at === -1 ? undefined : at;
}

const table: {name: string; patterns: string[]; text: string; want: number | undefined}[] = [
  {name: 'no patterns', patterns: [], text: 'sudo ls', want: undefined},
  {name: 'a program with anything', patterns: ['rm *', 'sudo *'], text: 'sudo ls', want: 1},
  {name: 'a program alone', patterns: ['sudo *'], text: 'sudo', want: 0},
  {name: 'a longer name', patterns: ['sudo *'], text: 'sudoedit x', want: undefined},
  {name: 'the first of two matching patterns', patterns: ['git push*', 'git *'], text: 'git push', want: 0},
  {name: 'a wildcard before a name', patterns: ['*push', 'git push'], text: 'git push', want: 0},
  {name: 'a name before a wildcard', patterns: ['git push', '*push'], text: 'git push', want: 0},
  {name: 'a wildcard in a name', patterns: ['gi?', 'g*'], text: 'git push', want: 1},
  {name: 'a space in the name of a program', patterns: ['/opt/my prog *'], text: '/opt/my prog x', want: 0},
  {name: 'a leading space', patterns: [' x'], text: ' x', want: 0},
  {name: 'nothing', patterns: ['', '*'], text: '', want: 0},
];

for (const {name, patterns, text, want} of table) {
  test(`deny rules at exec: ${name}`, () => {
    assert.equal(scan(patterns, text), want);
    assert.deepEqual(supervisor(patterns, [text]), [want]);
  });
}

test('deny rules at exec: 10,000 patterns give the same result as a linear scan', () => {
  const word = fc.string({unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 3});
  const glob = fc
    .array(fc.oneof({weight: 6, arbitrary: word}, fc.constantFrom('*', '?', 'a*', '?b', '')), {maxLength: 4})
    .map((words) => words.join(' '));
  const named = fc.sample(glob, {numRuns: 10_000, seed: 7}).filter((text) => !/^[*? ]*$|^\*/.test(text));
  const texts = fc.sample(
    fc.array(word, {minLength: 1, maxLength: 4}).map((words) => words.join(' ')),
    {numRuns: runsOf(2000), seed: 8},
  );
  const answers = supervisor(named, texts);
  assert.deepEqual(
    answers,
    texts.map((text) => scan(named, text)),
  );
  const found = answers.filter((at) => at !== undefined).length;
  assert.ok(found > texts.length / 10 && found < texts.length, `${found} of ${texts.length}`);
});
