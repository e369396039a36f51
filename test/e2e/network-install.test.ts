import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {own} from '../harness/identity.ts';
import {skip} from '../harness/must-run.ts';
import {collect, environmentOf, startIon} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

/** Reports whether npm reaches its default registry. */
function reachesRegistry(scratch: Scratch): boolean {
  const options = {
    encoding: 'utf8',
    timeout: 60_000,
    env: environmentOf(scratch),
    cwd: scratch.work,
  } as const;
  const {stdout} = spawnSync('npm', ['config', 'get', 'registry'], options);
  const {status} = spawnSync('npm', ['view', 'is-number@7.0.0', 'dist.tarball'], options);
  return status === 0 && stdout.startsWith('https://');
}

test('network presets: npm ci works with "preset:npm" alone', async (t) => {
  const manifest = {name: 'x', version: '1.0.0', dependencies: {'is-number': '7.0.0'}};
  const scratch = makeScratch(t, own, {'package.json': JSON.stringify(manifest)});
  if (!reachesRegistry(scratch)) return skip(t, 'npm reaches no registry');
  const run = (script: string) =>
    collect(
      startIon(scratch, ['run', '--set', 'sandbox.network.allow=["preset:npm"]', script], {as: own}),
      120_000,
    );
  const installed = await run('npm install --package-lock-only >/dev/null && npm ci 2>&1; ls node_modules');
  assert.match(installed.stdout, /^is-number$/m, installed.stdout + installed.stderr);
  assert.doesNotMatch(installed.stderr, /blocked/);
  const other = await run('getent ahosts other.example');
  assert.match(other.stderr, /"other\.example"/);
  assert.notEqual(other.code, 0);
});
