import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {cpSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {plain} from '../harness/identity.ts';
import {packageRoot} from '../harness/package.ts';
import {makeScratch} from '../harness/scratch.ts';

test('a clone before its first "npm install" reports what is missing', (t) => {
  const {work} = makeScratch(t, plain);
  for (const part of ['bin', 'package.json']) {
    cpSync(path.join(packageRoot, part), path.join(work, part), {recursive: true});
  }
  const {status, stderr} = spawnSync(process.execPath, [path.join(work, 'bin/ion'), 'run', 'true'], {
    encoding: 'utf8',
  });
  assert.equal(status, 125);
  assert.equal(
    stderr,
    `ion: not built: "${work}/dist/ion.cjs" does not exist\nhelp: (cd '${work}' && npm install)\n`,
  );
});
