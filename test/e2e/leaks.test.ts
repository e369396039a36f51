import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {isWhole} from '../harness/extent.ts';
import {requireProgram} from '../harness/must-run.ts';
import {repository} from '../harness/package.ts';

/** `npm run leaks -- 10000` runs the whole test. */
const rounds = isWhole ? 240 : 60;

test(`leaks: ${rounds} runs in a session, and some of the command line, leave nothing`, (t) => {
  if (!requireProgram(t, 'git')) return;
  const {status, stdout, stderr} = spawnSync(process.execPath, ['test/leaks/run.mjs', String(rounds), '12'], {
    cwd: repository,
    encoding: 'utf8',
    timeout: 600_000,
  });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /descriptors: \d+ -> \d+\n/);
});
