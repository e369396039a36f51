// Runs the suite: bundles each test file with esbuild (Node 20 does not read TypeScript), then starts node:test.
// usage: node test/run.mjs [--check] [--node <node binary>] [path prefix under test/ ...]; default: everything.
// --check: runs `npm run check` beside the tests; its output comes last.
import {spawn, spawnSync} from 'node:child_process';
import path from 'node:path';
import {bundled} from './bundle.mjs';
import {globSync} from './glob.mjs';
import {installForTests} from './install.mjs';

/** The longest tests start first: started last, each would run alone. */
const longest = [
  'conformance/kernels',
  'corpus/corpus',
  'e2e/autorun-elsewhere',
  'e2e/autorun',
  'e2e/denied-paths',
  'e2e/disk',
  'e2e/limits',
  'e2e/loopback-on-behalf',
  'e2e/handed-over',
  'e2e/leaks',
  'e2e/processes',
  'e2e/terminal',
];

const root = path.dirname(import.meta.dirname);
const argv = process.argv.slice(2);
const checkAt = argv.indexOf('--check');
const check = checkAt !== -1 && argv.splice(checkAt, 1) ? startCheck() : undefined;
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
const isLong = (file) => longest.includes(file.replace('.test.ts', ''));
files.sort((one, other) => Number(isLong(other)) - Number(isLong(one))); // the sort is stable

const built = await bundled(files);
// Unit tests import the source; all other tests run the built command.
const needsPackage = files.some((file) => !file.startsWith('unit/'));
const environment = needsPackage
  ? {...process.env, ION_TEST_PACKAGE: await installForTests(root)}
  : {...process.env};
const schedule = path.join(root, 'test/schedule.mjs');
const {status} = spawnSync(node, ['--enable-source-maps', schedule, ...built], {
  cwd: root,
  stdio: 'inherit',
  env: environment,
});
process.exitCode = (status ?? 1) || (await check) || 0;

/** Resolves to the exit code. */
function startCheck() {
  const child = spawn('npm', ['run', '--silent', 'check'], {cwd: root, stdio: ['ignore', 'pipe', 'pipe']});
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}
