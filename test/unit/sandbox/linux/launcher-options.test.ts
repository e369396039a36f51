import assert from 'node:assert/strict';
import {test} from 'node:test';
import {noNamespaces, type Launch} from '../../../../src/sandbox/launch.ts';
import {launcherOptions} from '../../../../src/sandbox/linux/start-launcher.ts';

const launch = (more: Partial<Launch>): Launch =>
  ({
    ...{
      argv: ['bash'],
      cwd: '/w',
      environment: {},
      network: 'none',
      namespaces: noNamespaces,
      supervisor: undefined,
    },
    ...{limits: {}, stdio: ['inherit', 'inherit', 'inherit']},
    ...more,
  }) as Launch;

test('the launcher reads each value unchanged', () => {
  const text = launcherOptions(launch({environment: {X: 'a\nend=1'}}), true, 0).toString();
  assert.ok(text.includes('\0env=X=a\nend=1\0'));
});

/** NUL ends an entry: the rest would be read as an option. */
for (const more of [
  {environment: {X: 'a\0landlock=0'}},
  {argv: ['bash', '-c', 'a\0end=1']},
  {cwd: '/w\0end=1'},
  {leftovers: ['/tmp/x\0end=1']},
]) {
  test(`a NUL byte in a value for the launcher is an error: ${JSON.stringify(more)}`, () => {
    assert.throws(() => launcherOptions(launch(more), true, 0), /a NUL byte in a value for the sandbox/);
  });
}
