// A copy of the built package for the tests, as a user would install it. Every user can read it. It is outside the temp
// folder, which is a write root of the sandbox, and a build during the tests does not change it.
import {spawnSync} from 'node:child_process';
import {chmodSync, copyFileSync, cpSync, existsSync, mkdtempSync, rmSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {placeStarters} from '../native/starters.mjs';
import {presets} from '../profiles/compile.mjs';

const native = ['ion.node', 'ion-launcher', 'ion-starter'].map((name) => `native/build/Release/${name}`);

/** Builds, copies, and returns the copy's folder. The folder is removed when this process ends. */
export async function installForTests(root) {
  run(root, [process.execPath, 'build.mjs']);
  if (!isBuilt(root)) {
    run(root, [process.execPath, 'native/install.mjs']);
    // The install script never fails, so that ion can be installed anywhere. Here a missing native part must fail: nothing
    // would stop the attacks of the tests, fork bombs among them.
    if (!isBuilt(root)) throw new Error('no test runs without the native part');
  }
  const target = mkdtempSync('/var/tmp/ion-test-package-');
  process.on('exit', () => rmSync(target, {recursive: true, force: true}));
  chmodSync(target, 0o755);
  const parts = ['package.json', 'bin', 'lib', 'dist', 'profiles', ...native];
  for (const part of parts.filter((name) => existsSync(path.join(root, name)))) {
    cpSync(path.join(root, part), path.join(target, part), {recursive: true});
  }
  placeStarters(target, {node: process.execPath});
  // Beside the package, not in it: a session that does not decide (harness/undecided.ts).
  const undecided = path.join(target, 'undecided.cjs');
  await build({
    entryPoints: [path.join(root, 'test/harness/undecided.ts')],
    outfile: undecided,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    plugins: [presets],
    define: {ION_VERSION: '"0.0.0-test"'},
    logLevel: 'error',
  });
  // A launcher from another build: with sanitizers.
  const {ION_TEST_LAUNCHER: launcher} = process.env;
  if (launcher) copyFileSync(launcher, path.join(target, native[1]));
  return target;
}

function isBuilt(root) {
  return native.every((file) => existsSync(path.join(root, file)));
}

function run(cwd, [program, ...args]) {
  const {status} = spawnSync(program, args, {cwd, stdio: ['ignore', 'ignore', 'inherit']});
  if (status !== 0) throw new Error(`${args.join(' ')} failed`);
}
