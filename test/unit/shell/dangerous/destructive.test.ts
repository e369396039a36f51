import {test} from 'node:test';
import assert from 'node:assert/strict';
import {analyze} from '../../../../src/shell/parse/analyze.ts';
import {destructiveFacts} from '../../../../src/shell/dangerous/destructive.ts';
import {destructive, harmless} from '../tables/destructive.ts';

const folders = {cwd: '/home/u/ws/sub', home: '/home/u', workspace: '/home/u/ws'};

function shown(command: string): string[] {
  return destructiveFacts(analyze(command), folders).map(
    ({what, impactScope, outsideWorkspace}) =>
      `${what}: ${impactScope.join(', ')}${outsideWorkspace ? ' (outside)' : ''}`,
  );
}

for (const [command, want] of destructive) {
  test(JSON.stringify(command), () => assert.deepEqual(shown(command), want));
}
for (const [command] of harmless) {
  test(`${JSON.stringify(command)} is harmless`, () => assert.deepEqual(shown(command), []));
}

test('a fact has advice and a place', () => {
  const command = 'ls; git reset --hard';
  const [fact] = destructiveFacts(analyze(command), folders);
  assert.equal(command.slice(fact!.span.start, fact!.span.end), 'git reset --hard');
  assert.match(fact!.rollbackAdvice, /stash/);
});

const namedRows: readonly (readonly [command: string, row: string])[] = [
  ['rm -rf a', 'rm 1'],
  ['rm -f a', 'rm 2'],
  ['/sbin/mkfs.ext4 a', 'mkfs 1'],
  ['sudo find . -delete', 'find 1'],
  ['echo > a', 'redirection'],
];
for (const [command, row] of namedRows) {
  test(`the row behind ${command}`, () =>
    assert.deepEqual(
      destructiveFacts(analyze(command), folders).map((fact) => fact.row),
      [row],
    ));
}

test('two commands, two facts; the same one twice is one', () => {
  assert.equal(shown('rm -rf a; rm -rf b').length, 2);
  assert.equal(shown('x=1; rm -rf a').length, 1);
});
