// Run the suite: bundle each test file with esbuild (Node 20 does not read TypeScript), then node:test.
// usage: node test/run.mjs [--node <node binary>] [path prefix under test/ ...]; default: everything.
import {spawnSync} from 'node:child_process';
import path from 'node:path';
import {bundled} from './bundle.mjs';
import {globSync} from './glob.mjs';
import {installForTests} from './install.mjs';

const root = path.dirname(import.meta.dirname);
const argv = process.argv.slice(2);
const nodeAt = argv.indexOf('--node');
const node = nodeAt === -1 ? process.execPath : argv.splice(nodeAt, 2)[1];
const prefixes = argv.length > 0 ? argv.map((name) => name.replace(/^test\//, '')) : [''];
const files = globSync(path.join(root, 'test'), '.test.ts').filter((file) =>
  prefixes.some((prefix) => file.startsWith(prefix)),
);
if (files.length === 0) {
  console.error(`no test file under test/ starts with ${prefixes.join(' or ')}`);
  process.exit(1);
}

const built = await bundled(files);
// Unit tests import the source; everything else runs the built command.
const needsPackage = files.some((file) => !file.startsWith('unit/'));
const environment = needsPackage
  ? {...process.env, ION_TEST_PACKAGE: await installForTests(root)}
  : {...process.env};
// Not --test-force-exit: a file that is ended by it may lose the last of what it has to report (Node 20).
const {status} = spawnSync(
  node,
  [
    '--enable-source-maps',
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=3',
    '--test-timeout=1200000',
    ...built,
  ],
  {cwd: root, stdio: 'inherit', env: environment},
);
process.exit(status ?? 1);
