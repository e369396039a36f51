import {test} from 'node:test';
import assert from 'node:assert/strict';
import {analyze} from '../../../../src/shell/parse/analyze.ts';
import {isSimple, simpleAnalysis} from '../../../../src/shell/parse/simple.ts';
import {fc} from '../../../harness/property.ts';

const rows: {command: string; want: string[] | undefined}[] = [
  {command: 'true', want: ['true']},
  {command: 'ls -la src/x.ts', want: ['ls', '-la', 'src/x.ts']},
  {command: '  git   status  ', want: ['git', 'status']},
  {command: 'npm run build:all --a=b,c', want: ['npm', 'run', 'build:all', '--a=b,c']},
  {command: 'git -C . push', want: ['git', '-C', '.', 'push']},
  {command: 'make CC=gcc', want: undefined},
  {command: '', want: undefined},
  {command: ' ', want: undefined},
  {command: 'A=1 ls', want: undefined},
  {command: 'A=1', want: undefined},
  {command: 'ls;', want: undefined},
  {command: 'ls\nls', want: undefined},
  {command: 'ls\tx', want: undefined},
  {command: 'ls *', want: undefined},
  {command: 'ls ~', want: undefined},
  {command: 'ls #x', want: undefined},
  {command: 'echo $x', want: undefined},
  {command: 'if', want: undefined},
  {command: 'time ls', want: undefined},
  {command: 'sudo ls', want: undefined},
  {command: 'env', want: ['env']},
  {command: 'env ls', want: undefined},
  {command: '/usr/bin/env ls', want: undefined},
  {command: 'bash', want: undefined},
  {command: 'bash x.sh', want: undefined},
  {command: 'bash -c ls', want: undefined},
  {command: 'eval ls', want: undefined},
  {command: '. x', want: undefined},
  {command: 'export A=1', want: undefined},
  {command: 'cd x', want: undefined},
  {command: '%1', want: undefined},
  {command: 'find . -exec ls', want: undefined},
  {command: 'find . -delete', want: ['find', '.', '-delete']},
];
for (const {command, want} of rows) {
  test(`isSimple(${JSON.stringify(command)})`, () => assert.deepEqual(isSimple(command), want));
}

const word = fc.oneof(
  fc.constantFrom(
    ...'git push ls env sudo time if then { } ! [[ -c -x a=b X=1 bash eval find -exec xargs . .. / - -- % %1 @ + , : coproc function select'.split(
      ' ',
    ),
  ),
  fc.stringMatching(/^[\w./:=@%+,-]{1,8}$/),
  fc.string({maxLength: 4}),
);

test('a command that it accepts, the parser reads in the same way', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(word, {maxLength: 5}), fc.constantFrom(' ', '  '), (words, space) => {
      const command = words.join(space);
      const simple = isSimple(command);
      if (!simple) return;
      accepted++;
      const {constructs: _, ...parsed} = analyze(command);
      const {constructs: __, ...quick} = simpleAnalysis(command, simple);
      assert.deepEqual(quick, parsed);
      assert.equal(analyze(command).constructs.size, 0);
    }),
    {numRuns: 5000},
  );
  assert.ok(accepted > 300, `only ${accepted} commands were simple`);
});
