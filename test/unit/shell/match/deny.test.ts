import {test} from 'node:test';
import assert from 'node:assert/strict';
import {analyze} from '../../../../src/shell/parse/analyze.ts';
import {matchDenied, mayBeDenied} from '../../../../src/shell/match/deny.ts';
import {matchGlob} from '../../../../src/shell/match/glob.ts';
import {attacks, everyday} from '../tables/deny.ts';
import {fc} from '../../../harness/property.ts';

for (const [command, want] of [...attacks, ...everyday]) {
  test(`${JSON.stringify(command)}: ${want}`, () => {
    const [match] = matchDenied(['git push*'], analyze(command));
    assert.equal(match?.form ?? 'none', want);
  });
}

const patterns: {command: string; patterns: string[]; want: string[]}[] = [
  {command: 'sudo', patterns: ['sudo *'], want: ['sudo *']},
  {command: 'sudo ls', patterns: ['sudo *'], want: ['sudo *']},
  {command: '/usr/bin/sudo -i', patterns: ['sudo *'], want: ['sudo *']},
  {command: 'sudoedit x', patterns: ['sudo *'], want: []},
  {
    command: 'ls; rm -rf / ; sudo x',
    patterns: ['sudo *', 'ls', 'rm -rf /'],
    want: ['sudo *', 'ls', 'rm -rf /'],
  },
  {command: 'rm -rf ~', patterns: ['rm -rf ~'], want: ['rm -rf ~']},
  {command: 'rm -rf *.o', patterns: ['rm -rf *.o'], want: ['rm -rf *.o']},
  {command: 'npm -w app publish', patterns: ['npm publish*'], want: ['npm publish*']},
  {command: 'npm run publish', patterns: ['npm publish*'], want: []},
  {command: 'docker -H x --tls push y', patterns: ['docker push *'], want: ['docker push *']},
  {
    command: 'kubectl --context prod -n x delete pod y',
    patterns: ['kubectl delete *'],
    want: ['kubectl delete *'],
  },
  {command: 'cargo +nightly publish', patterns: ['cargo publish*'], want: ['cargo publish*']},
  {command: 'cargo -Z x publish', patterns: ['cargo publish*'], want: ['cargo publish*']},
  {command: 'terraform -chdir=x destroy', patterns: ['terraform destroy*'], want: ['terraform destroy*']},
  {command: 'curl x | sh', patterns: ['sh'], want: ['sh']},
  {command: 'A=1 make', patterns: ['A=1 make'], want: ['A=1 make']},
  {command: 'A=1 make', patterns: ['make'], want: ['make']},
  {command: 'ls', patterns: [], want: []},
];
for (const {command, patterns: list, want} of patterns) {
  test(`${command} against ${list.join(', ')}`, () => {
    assert.deepEqual(
      matchDenied(list, analyze(command)).map(({pattern}) => pattern),
      want,
    );
  });
}

/** Letters that often match, wildcards, a character of two UTF-16 units, and the space that ends a first word. */
const letters = fc.constantFrom('a', 'b', ' ', '*', '?', '😀', '-');
const globs = fc.string({unit: letters, minLength: 1, maxLength: 6});

test('every matching pattern is found, whatever the others are', () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(globs, {maxLength: 8}),
      fc.stringMatching(/^[ab*?-]( ?[ab*?😀-]){0,5}$/u),
      (list, text) => {
        const want = list.filter(
          (glob) => matchGlob(glob, text) || (glob.endsWith(' *') && matchGlob(glob.slice(0, -2), text)),
        );
        const [plain] = analyze('x').segments;
        const segment = {...plain!, raw: text, argv: [{...plain!.argv[0]!, raw: text, text}]};
        const analysis = {...analyze('x'), segments: [segment]};
        assert.deepEqual(
          matchDenied(list, analysis)
            .filter(({form}) => form === 'as written')
            .map(({pattern}) => pattern),
          want,
        );
        found += want.length;
      },
    ),
    {numRuns: 5000},
  );
  assert.ok(found > 300, `only ${found} matched`);
});

test('the match names the segment and its position', () => {
  const command = 'cd x && bash -c "make; git push"';
  const [match] = matchDenied(['git push*'], analyze(command));
  assert.equal(match?.segment.raw, 'git push');
  assert.equal(command.slice(match!.segment.span.start, match!.segment.span.end), 'git push');
  assert.deepEqual(match!.segment.wrappers, ['bash -c']);
});

test('a bound never skips a rule', () => {
  const command = `${'true; '.repeat(500)}git push`;
  assert.equal(matchDenied(['git push*'], analyze(command)).length, 1);
  const beyond = analyze(`${'true; '.repeat(30_000)}git push`);
  assert.ok(
    beyond.problems.some(({limit}) => limit),
    'a bound that is reached is said',
  );
});

for (const command of [
  '<<< <(:)echo git push',
  'echo >&"$(cat x)"',
  'echo >&$x',
  'echo ${!x}',
  'a=(1)b',
  'cat <<a<(:)\na<(:)\nls\na',
]) {
  test(`${JSON.stringify(command)} has unknown parts`, () => {
    const {problems, unknown} = analyze(command);
    assert.ok(problems.length + unknown.length > 0);
  });
}

for (const command of [
  'echo >&2',
  'ls 2>&1 | wc',
  'echo ${!a[@]} ${!a*}',
  'cat 3<x',
  'a=(1 2)',
  'diff <(ls) <(ls)',
]) {
  test(`${JSON.stringify(command)} has no unknown parts`, () => {
    const {problems, unknown} = analyze(command);
    assert.deepEqual([...problems, ...unknown], []);
  });
}

const unclear: {command: string; want: boolean}[] = [
  {command: 'git $what', want: true},
  {command: '"$git" push', want: true},
  {command: '$x', want: true},
  {command: 'git $(cat what)', want: true},
  {command: 'git pu*', want: true},
  {command: 'git -C "$dir" $x', want: true},
  {command: 'git $opts push', want: true},
  {command: 'xargs git', want: true},
  {command: 'echo $HOME', want: false},
  {command: 'ls "$dir"', want: false},
  {command: 'git status $x', want: false},
  {command: 'git commit -m "$(cat x)"', want: false},
  {command: 'cat *.md | xargs wc', want: false},
  {command: 'git push', want: false},
];
for (const {command, want} of unclear) {
  test(`${command} may be denied: ${want}`, () =>
    assert.equal(mayBeDenied(['git push*'], analyze(command)) !== undefined, want));
}
