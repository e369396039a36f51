import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {parseGitConfig} from '../../src/sandbox/autorun/git-config/parse-git-config.ts';
import {forbiddenChanges} from '../../src/sandbox/autorun/git-config/changed-keys.ts';
import {compiled} from '../harness/native.ts';
import {fc} from '../harness/property.ts';

type Pair = readonly [base: string, next: string];

/** Which of these changes the supervisor would allow. */
function judge(pairs: readonly Pair[]): boolean[] {
  const input = pairs.flat().flatMap((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text, 'latin1'));
    return [length, Buffer.from(text, 'latin1')];
  });
  const {status, stdout} = spawnSync(compiled('git-change.c'), {
    input: Buffer.concat(input),
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(status, 0);
  return stdout.split('').map((letter) => letter === '1');
}

const core = '[core]\n\tbare = false\n';
const origin =
  '[remote "origin"]\n\turl = https://example.org/x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';
const cases: readonly {readonly pair: Pair; readonly plain: boolean}[] = [
  {pair: [core, core], plain: true},
  {pair: [core, core + origin], plain: true},
  {pair: [core + origin, core], plain: true},
  {pair: [`${core}${origin}[user]\n\tname = a\n`, `${core}[user]\n\tname = b c\n`], plain: true},
  {pair: [core, `${core}\tfileMode = true\n`], plain: true},
  {pair: [core, `${core}\thooksPath = x\n`], plain: false},
  {pair: [core, `${core}[alias]\n\turl = !id\n`], plain: false},
  {pair: [core, `${core}[remote "x"]\n\turl = ext::id\n`], plain: false},
  {pair: [core, `${core}[remote "x"]\n\turl = -x\n`], plain: false},
  {pair: [core, `${core}[remote "x"]\n\turl = x://y\n`], plain: false},
  {pair: [core, `${core}[remote "x"]\n\tvcs = y\n`], plain: false},
  {pair: [`[alias]\n${core}`, `[alias]\n\tbare = !id\n${core}`], plain: false},
  {pair: [`[alias]\n[core]\n\tbare = x\n`, `[alias]\n\tbare = x\n`], plain: false},
  {pair: ['[alias "x\\\n', `[alias "x\\\n[user]\n\tname = b\n`], plain: false},
  {pair: ['[user]\n\temail = a\\\n', `[user]\n\temail = a\\\n\tname = b\n`], plain: false},
  // For a key with several values, a new value changes what the existing ones mean.
  {
    pair: ['[remote "o"]\n\turl = ext::a\n[user]\n', '[remote "o"]\n\turl = ext::a\n\turl = a\n[user]\n'],
    plain: false,
  },
  {
    pair: ['[remote "o"] url = ext::a\n', '[remote "o"] url = ext::a\n[remote "o"]\n\turl = a\n'],
    plain: false,
  },
  {
    pair: ['[remote "o"]\n\tpushurl = ext::a\n', '[remote "o"]\n\tpushurl = ext::a\n\turl = a\n'],
    plain: true,
  },
  {pair: ['[user]\n', '[user]\n[core]hooksPath = x\n'], plain: false},
  {pair: ['[user]\n', '[user]\n [alias]\n\tname = x\n'], plain: false},
];

test('the changes of a git config that the supervisor allows', () => {
  const plain = judge(cases.map(({pair}) => pair));
  for (const [index, one] of cases.entries()) assert.equal(plain[index], one.plain, JSON.stringify(one.pair));
});

/** Repeats a line up to the largest config that the supervisor reads. */
function many(line: string): string {
  return line.repeat(Math.floor((1 << 20) / line.length) - 10);
}

/** A check of the whole text for each changed line would take minutes or hours for each of these. */
const large: readonly {readonly name: string; readonly pair: Pair; readonly plain: boolean}[] = [
  {name: 'new values of one name', pair: [core, `${core}[remote "o"]\n${many('\turl = a\n')}`], plain: true},
  {name: 'removed values', pair: [`${core}[remote "o"]\n${many('\tFetch = a\n')}`, core], plain: true},
  {
    name: 'values of all names',
    pair: [core, `${core}[remote "o"]\n${many('\turl = a\n\tpushurl = a\n\tfetch = a\n\tprune = a\n')}`],
    plain: true,
  },
  {
    name: 'a value beside many comments',
    pair: [many('; uuur\n') + core, `${many('; uuur\n')}${core}\tbare = true\n[remote "o"]\n\turl = a\n`],
    plain: true,
  },
  {
    name: 'one forbidden value among many plain ones',
    pair: [core, `${core}[remote "o"]\n${many('\turl = a\n')}\turl = ext::a\n`],
    plain: false,
  },
];

test('a large change of a git config is checked as quickly', () => {
  const plain = judge(large.map(({pair}) => pair));
  for (const [index, one] of large.entries()) assert.equal(plain[index], one.plain, one.name);
});

test('law: every change that the supervisor allows is inert for the exact reader', () => {
  const line = fc.constantFrom(
    ...[
      '[core]',
      '[remote "o"]',
      '[branch "a]b"]',
      '[alias]',
      '[include]',
      '[user] name = x',
      ' [user]',
      '[user]',
    ],
    ...[
      '\turl = a',
      '\turl = ext::a',
      '\turl = "a',
      '\tname = b\\',
      '\tbare = true',
      '\tname = d',
      '\tpath = e',
      '',
    ],
    ...[
      '; [user]',
      '\tname = f # g',
      '\tmerge = h',
      '[branch "x"]',
      '\x0b[user]',
      '[remote "o\\"]',
      '\tname=i',
    ],
  );
  const text = fc.array(line, {maxLength: 6}).map((lines) => lines.map((one) => `${one}\n`).join(''));
  const pairs = fc.sample(
    fc
      .tuple(text, text, text, text)
      .map(([start, old, next, end]): Pair => [start + old + end, start + next + end]),
    60_000,
  );
  const plain = judge(pairs);
  let through = 0;
  for (const [index, [base, next]] of pairs.entries()) {
    if (!plain[index] || base === next) continue;
    let was;
    try {
      was = parseGitConfig(base);
    } catch {
      continue; // git refuses it before and after
    }
    through++;
    assert.deepEqual(forbiddenChanges(was, parseGitConfig(next)), [], JSON.stringify([base, next]));
  }
  assert.ok(through > 100, `${through}`);
});
