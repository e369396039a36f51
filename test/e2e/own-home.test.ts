/** ion's own folder in home is closed to every command. If there is no home, ion reports that once. */
import assert from 'node:assert/strict';
import {chmodSync, readFileSync, readdirSync} from 'node:fs';
import {test} from 'node:test';
import {identities} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const isRoot = process.getuid!() === 0;

test(
  'an unset HOME is reported once',
  {skip: !isRoot && 'only root becomes a user of no name'},
  async (t) => {
    if (!requireProgram(t, 'setpriv')) return;
    const scratch = makeScratch(t, identities[0]!);
    for (const folder of [scratch.home, scratch.work]) chmodSync(folder, 0o755);
    const stranger = ['setpriv', '--reuid', '54321', '--regid', '54321', '--clear-groups'];
    const {stderr, code} = await runIon(scratch, ['run', 'true'], {
      through: stranger,
      env: {HOME: undefined},
    });
    assert.equal(code, 0);
    assert.equal(stderr.match(/^ion: no home folder: HOME is not set/gm)?.length, 1, stderr);
  },
);

for (const as of identities) {
  test(`ion's files in ~/.ion are closed, whatever the config opens (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {
      '~/.ion/config.toml': '[sandbox]\nwrite_roots = ["~"]\nunprotect = [".ion"]\n',
      '~/.ion/run/x': 'kept',
      '.ion/config.toml': '',
    });
    const own = `${scratch.home}/.ion`;
    const script = [
      `echo forged > ${own}/run/x`,
      `echo forged > ${own}/run/tty_0_x_1_1.json`,
      `mv ${own}/run ${scratch.home}/y`,
      `mv ${own} ${scratch.home}/z`,
      `echo forged >> ${own}/audit/audit.jsonl`,
      'echo opened > .ion/new',
    ].join('; ');
    const {stderr} = await runIon(scratch, ['run', script], {as});
    assert.equal(readFileSync(`${own}/run/x`, 'utf8'), 'kept');
    assert.deepEqual(readdirSync(`${own}/run`), ['x']);
    assert.equal(
      readFileSync(`${scratch.work}/.ion/new`, 'utf8'),
      'opened\n',
      'that of the project is another',
    );
    assert.doesNotMatch(stderr, /sandbox\.unprotect/);
    assert.equal((await runIon(scratch, ['audit', 'verify'], {as})).code, 0);
  });
}
