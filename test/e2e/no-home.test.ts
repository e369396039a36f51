/** Without HOME and without a passwd entry there is no `~/.ion`: no config of the user's counts, and nothing is recorded. That is said, once. */
import assert from 'node:assert/strict';
import {chmodSync} from 'node:fs';
import {test} from 'node:test';
import {identities} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const isRoot = process.getuid!() === 0;

test('an unset HOME is said once', {skip: !isRoot && 'only root becomes a user of no name'}, async (t) => {
  if (!requireProgram(t, 'setpriv')) return;
  const scratch = makeScratch(t, identities[0]!);
  for (const folder of [scratch.home, scratch.work]) chmodSync(folder, 0o755);
  const stranger = ['setpriv', '--reuid', '54321', '--regid', '54321', '--clear-groups'];
  const {stderr, code} = await runIon(scratch, ['run', 'true'], {through: stranger, env: {HOME: undefined}});
  assert.equal(code, 0);
  assert.equal(stderr.match(/^ion: no home folder: HOME is not set/gm)?.length, 1, stderr);
});
