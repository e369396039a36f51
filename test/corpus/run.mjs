// Bundle and run test/corpus/print.ts on a copy of the built package.
import {spawnSync} from 'node:child_process';
import {rmSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {installForTests} from '../install.mjs';

const root = path.dirname(path.dirname(import.meta.dirname));
const outfile = path.join(root, `build/corpus-${process.pid}.mjs`);
process.on('exit', () => rmSync(outfile, {force: true}));
await build({
  entryPoints: [path.join(root, 'test/corpus/print.ts')],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
});
const {status} = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: {...process.env, ION_TEST_PACKAGE: installForTests(root)},
});
process.exitCode = status ?? 1;
