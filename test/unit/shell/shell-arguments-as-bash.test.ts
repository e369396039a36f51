import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {parseShellArguments, shellWords, type ShellArguments} from '../../../src/shell/shell-arguments.ts';
import {runsOf} from '../../harness/extent.ts';
import {fc} from '../../harness/property.ts';

// ion-sh reads its arguments, and starts bash with others. For random arguments bash must do the same with both.
const folder = mkdtempSync(path.join(tmpdir(), 'ion-arguments-'));
after(() => rmSync(folder, {recursive: true}));

const shows =
  'printf "<%s>" "$0" "$#" "$@" "$-" "$SHELLOPTS" "$BASHOPTS"; shopt -q login_shell && echo login\n';
writeFileSync(path.join(folder, 'file'), shows);
writeFileSync(path.join(folder, '-x'), shows);

const letters = 'abefhklmnprtuvxBCDEHPT';
const letter = fc.constantFrom(...letters.split(''), 'c', 'c', 's', 'o', 'O', 'Z', '-');
const words = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('-', '+'), fc.array(letter, {maxLength: 3}))
      .map(([sign, list]) => sign + list.join('')),
  },
  {weight: 2, arbitrary: fc.constantFrom('-c', '-ec', '-lc', '-eo', '-O', '+O', '-o', '--', '-', '+')},
  {weight: 2, arbitrary: fc.constantFrom('pipefail', 'posix', 'extglob', 'nonsense', 'errexit')},
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '--login',
        '--norc',
        '--noprofile',
        '--posix',
        '--verbose',
        '--version',
        '--help',
        '--rcfile',
        '--init-file',
      ],
      ...['-norc', '-login', '-version', '--restricted', '--debug', '--dump-strings', '--foo', '--o', '--c'],
    ),
  },
  {weight: 4, arbitrary: fc.constantFrom(shows, 'file', './file', 'missing', '-x', '', 'a b', 'é')},
);

function bash(args: readonly string[]): readonly [number | null, string] {
  const {status, stdout} = spawnSync('/bin/bash', args, {
    cwd: folder,
    // At level 1 bash takes a socket on stdin for a remote login.
    env: {PATH: '/usr/bin:/bin', HOME: folder, SHLVL: '1'},
    input: shows,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return [status, stdout];
}

/** What bash does with the words that ion-sh starts it with. */
function asIon(parsed: Exclude<ShellArguments, {kind: 'wrong'}>): readonly [number | null, string] {
  if (parsed.kind === 'shows') return bash([parsed.option]);
  if (parsed.kind === 'source') return bash(shellWords('', '', parsed.form).slice(1));
  // src/cli/commands/shell-command.ts
  const isEmpty = parsed.text.trim() === '';
  if (isEmpty && parsed.form.options.length === 0) return [0, ''];
  return isEmpty
    ? bash(shellWords('', '#', {...parsed.form, operands: []}).slice(1))
    : bash(shellWords('', parsed.text, parsed.form).slice(1));
}

test('ion-sh reads random arguments as bash does', () => {
  fc.assert(
    fc.property(fc.array(words, {maxLength: 6}), (args) => {
      const parsed = parseShellArguments(args);
      const [status, stdout] = bash(args);
      if (parsed.kind !== 'wrong') return assert.deepEqual(asIon(parsed), [status, stdout]);
      // bash lists its options for an -o or -O at the end. ion-sh refuses it.
      fc.pre(!/^[-+][oO]: option requires/.test(parsed.why));
      // Its own code for a mistake is 1 after -e, else 2.
      assert.ok(status === 1 || status === 2, `bash takes it: exit ${status}`);
      assert.equal(stdout, '');
    }),
    {numRuns: runsOf(1000)},
  );
});
