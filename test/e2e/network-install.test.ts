import assert from 'node:assert/strict';
import {test} from 'node:test';
import {own} from '../harness/identity.ts';
import {skip} from '../harness/must-run.ts';
import {runIon, runProgram} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

/** Reports whether npm reaches its default registry. */
async function reachesRegistry(scratch: Scratch): Promise<boolean> {
  const spec = {timeoutMs: 60_000};
  const {stdout} = await runProgram(scratch, ['npm', 'config', 'get', 'registry'], spec);
  if (!stdout.startsWith('https://')) return false;
  // At its time limit `runProgram` throws: then npm has reached no registry.
  const looked = runProgram(scratch, ['npm', 'view', 'is-number@7.0.0', 'dist.tarball'], spec);
  return looked.then(({code}) => code === 0).catch(() => false);
}

test('network presets: npm ci works with "preset:npm" alone', async (t) => {
  const manifest = {name: 'x', version: '1.0.0', dependencies: {'is-number': '7.0.0'}};
  const scratch = makeScratch(t, own, {'package.json': JSON.stringify(manifest)});
  if (!(await reachesRegistry(scratch))) return skip(t, 'npm reaches no registry');
  const run = (script: string) =>
    runIon(scratch, ['run', '--set', 'sandbox.network.allow=["preset:npm"]', script], {
      as: own,
      timeoutMs: 120_000,
    });
  const installed = await run('npm install --package-lock-only >/dev/null && npm ci 2>&1; ls node_modules');
  assert.match(installed.stdout, /^is-number$/m, installed.stdout + installed.stderr);
  assert.doesNotMatch(installed.stderr, /blocked/);
  const other = await run('getent ahosts other.example');
  assert.match(other.stderr, /"other\.example"/);
  assert.notEqual(other.code, 0);
});
