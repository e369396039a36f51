import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseShellArguments, shellWords} from '../../../src/shell/shell-arguments.ts';

/** The arguments that bash is started with, or a message if they are wrong. */
const table: readonly [args: string, words: string][] = [
  ['-c cmd', 'bash --norc -c -- cmd'],
  ['-c cmd name a', 'bash --norc -c -- cmd name a'],
  ['-lc cmd', 'bash --norc -l -c -- cmd'],
  ['-eo pipefail -c cmd', 'bash --norc -e -o pipefail -c -- cmd'],
  ['--noprofile --norc -eo pipefail FILE', 'bash --norc --noprofile --norc -e -o pipefail -- FILE'],
  ['-O extglob +O x -- FILE -a', 'bash --norc -O extglob +O x -- FILE -a'],
  ['-c -- --login', 'bash --norc -c -- --login'],
  ['-c - -x', 'bash --norc -c -- -x'],
  ['-sc cmd name', 'bash --norc -c -- cmd name'],
  ['-s a', 'bash --norc -s -- a'],
  ['', 'bash --norc -s --'],
  ['-rcfile F -c cmd', 'bash --norc --rcfile F -c -- cmd'],
  ['-c', '-c: option requires an argument'],
  ['-ceo pipefail', '-c: option requires an argument'],
  ['-o', '-o: option requires an argument'],
  ['--nope', '--nope: invalid option'],
  ['-e --posix -c cmd', '--: invalid option'],
  ['-Z', '-Z: invalid option'],
  ['--version -c cmd', 'shows --version'],
];

for (const [args, want] of table) {
  test(`shell arguments: ${args}`, () => {
    const parsed = parseShellArguments(args.split(' ').filter(Boolean));
    const got =
      parsed.kind === 'wrong'
        ? parsed.why
        : parsed.kind === 'shows'
          ? `shows ${parsed.option}`
          : shellWords('bash', parsed.kind === 'command' ? parsed.text : '', parsed.form).join(' ');
    assert.equal(got, want);
  });
}
