import {test} from 'node:test';
import assert from 'node:assert/strict';
import {analyze, maxCommandLength} from '../../../src/shell/parse/analyze.ts';
import {matchDenied, mayBeDenied} from '../../../src/shell/match/deny.ts';
import {destructiveFacts} from '../../../src/shell/dangerous/destructive.ts';
import {guardrail} from '../../../src/shell/dangerous/machine-guardrails.ts';
import {checkSafe} from '../../../src/shell/read-mode/safe.ts';
import {isSimple} from '../../../src/shell/parse/simple.ts';
import {attacks} from './tables/deny.ts';
import {runsOf} from '../../harness/extent.ts';
import {fc} from '../../harness/property.ts';

const folders = {cwd: '/ws', home: '/home/u', workspace: '/ws'};
const context = {programs: new Map([['ls', '/usr/bin/ls']]), systemProgramFolders: ['/usr/bin']};

function lookAtAll(command: string): ReturnType<typeof analyze> {
  const analysis = analyze(command);
  isSimple(command);
  matchDenied(['git push*', '*x*'], analysis);
  mayBeDenied(['git push*'], analysis);
  checkSafe(analysis, context);
  guardrail(analysis, folders);
  destructiveFacts(analysis, folders);
  return analysis;
}

const marks = '$(){}[]<>|&;`"\'\\\n \t#!*?~=-:/@,.'.split('');
const tokens =
  'if then fi case esac in do done for while f() $(( )) [[ ]] <<E <<< ${x:- ${x/ bash -c eval sudo xargs find -exec git push rm -rf / E'.split(
    ' ',
  );
const soup = fc
  .array(fc.oneof(fc.constantFrom(...marks), fc.constantFrom(...tokens), fc.string({maxLength: 3})), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));
const spaced = fc
  .array(fc.constantFrom(...marks, ...tokens), {maxLength: 40})
  .map((parts) => parts.join(' '));

test('nothing throws, and every span lies in the command', () => {
  fc.assert(
    fc.property(fc.oneof(soup, spaced), (command) => {
      const analysis = lookAtAll(command);
      for (const {span, argv} of analysis.segments) {
        for (const {start, end} of [span, ...argv.map((word) => word.span)]) {
          assert.ok(start >= 0 && start <= end && end <= command.length);
        }
      }
    }),
    // A word that xargs reads from its input is the last word of `eval`, and the first of the command.
    {numRuns: runsOf(6000), examples: [['<<< $ xargs eval $']]},
  );
});

/** Insertions, deletions, duplications: an attacker's first attempts. */
const mutation = fc.tuple(fc.nat(), fc.constantFrom(...marks, ''), fc.boolean());
const commands = attacks.map(([command]) => command);

test('a mutated attack is found, unknown, a problem, or another command', () => {
  fc.assert(
    fc.property(fc.constantFrom(...commands), fc.array(mutation, {maxLength: 4}), (command, mutations) => {
      let text = command;
      for (const [at, mark, removes] of mutations) {
        const place = at % (text.length + 1);
        text = text.slice(0, place) + mark + text.slice(place + (removes ? 1 : 0));
      }
      lookAtAll(text);
    }),
    {numRuns: runsOf(4000)},
  );
});

/** Wrappers around a denied command that do not change it. It must still be found. */
const wraps: ((inner: string) => string)[] = [
  (inner) => `(${inner})`,
  (inner) => `{ ${inner}; }`,
  (inner) => `echo "$(${inner})"`,
  (inner) => `true && ${inner}`,
  (inner) => `if true; then ${inner}; fi`,
  (inner) => `f() { ${inner}; }; f`,
  (inner) => `bash -c '${inner.replaceAll("'", `'\\''`)}'`,
  (inner) => `eval '${inner.replaceAll("'", `'\\''`)}'`,
  (inner) => `cat <(${inner})`,
  (inner) => `x=$(${inner})`,
  (inner) => `! ${inner}`,
  (inner) => `${inner} | cat`,
  (inner) => `${inner} 2>&1`,
  (inner) => `:\n${inner}\n:`,
];

test('however it is nested, a denied command is denied', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...wraps), {maxLength: 8}), (layers) => {
      const command = layers.reduce((inner, wrap) => wrap(inner), 'git push origin');
      assert.ok(matchDenied(['git push *'], analyze(command)).length > 0, command);
    }),
    {numRuns: runsOf(1000)},
  );
});

const N = maxCommandLength - 200;
const large: Record<string, string> = {
  commands: 'echo a b;'.repeat(N / 9),
  substitutions: '$('.repeat(N / 2),
  backquotes: '`'.repeat(N),
  braces: '{a,b}'.repeat(N / 5),
  arithmetic: '$(('.repeat(N / 3),
  sums: `echo $((${'1+'.repeat(N / 2)}1))`,
  defaults: '${a:-'.repeat(N / 5),
  replacements: '${a/'.repeat(N / 4),
  'here-documents': '<<a '.repeat(N / 4),
  wrappers: 'env '.repeat(N / 4),
  pipes: `${'a|'.repeat(N / 2)}b`,
  functions: 'f()'.repeat(N / 3),
  tests: `[[ ${'a && '.repeat(N / 5 - 2)}b ]]`,
  words: 'x '.repeat(N / 2),
  one: 'x'.repeat(N),
  loops: 'for a in b c d;do '.repeat(N / 18),
};
for (const [name, command] of Object.entries(large)) {
  test(`a megabyte of ${name} is analysed in time, and is not safe`, () => {
    const analysis = lookAtAll(command);
    assert.equal(checkSafe(analysis, context).safe, false);
  });
}

const bounds: {name: string; command: string}[] = [
  {name: 'too long', command: `${' '.repeat(maxCommandLength)}ls`},
  {name: 'NUL', command: 'ls\0rm -rf /'},
  {name: 'too many commands', command: 'ls;'.repeat(30_000)},
  {name: 'too many words', command: `ls ${'a '.repeat(160_000)}`},
  {name: 'too deep in wrappers', command: `${'env '.repeat(100)}ls`},
  {name: 'too deep in scripts', command: `${'eval '.repeat(100)}ls`},
  {name: 'too deep in expansions', command: `${'$('.repeat(100)}ls${')'.repeat(100)}`},
  {name: 'too many braces', command: `echo ${'{a,b}'.repeat(30)}`},
  {name: 'too many here-documents', command: 'cat <<a\na\n'.repeat(600)},
];
for (const {name, command} of bounds) {
  test(`a reached bound is reported, and denied: ${name}`, () => {
    const analysis = lookAtAll(command);
    assert.ok(analysis.problems.some(({limit}) => limit));
    assert.equal(checkSafe(analysis, context).safe, false);
    assert.equal(guardrail(analysis, folders)?.name, 'unreadable');
  });
}
