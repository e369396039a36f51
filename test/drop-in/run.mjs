// Packages that spawn shells pass their own tests with a session's spawn in place of Node's. Each runs with both, and must give
// the same results. The packages come from the npm registry.
// usage: npm run drop-in
import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import path from 'node:path';
import {installForTests} from '../install.mjs';

const packages = [
  {name: 'exeq', runner: 'tape', tests: 'tests'},
  {name: 'spawn-please', runner: 'mocha', tests: 'test'},
];

const here = import.meta.dirname;
const library = path.join(await installForTests(path.dirname(path.dirname(here))), 'lib/index.mjs');
const scratch = mkdtempSync('/var/tmp/ion-drop-in-');
process.on('exit', () => rmSync(scratch, {recursive: true, force: true}));
const [home, work] = ['home', 'home/work'].map((name) => path.join(scratch, name));
mkdirSync(work, {recursive: true});
for (const file of ['package.json', 'package-lock.json'])
  cpSync(path.join(here, file), path.join(work, file));
// No script of a package runs.
const installed = spawnSync('npm', ['ci', '--silent', '--ignore-scripts'], {cwd: work, stdio: 'inherit'});
if (installed.status !== 0) throw new Error('npm ci failed');

let failed = false;
for (const {name, runner, tests} of packages) {
  const folder = path.join(work, 'node_modules', name);
  const files = readdirSync(path.join(folder, tests)).map((file) => path.join(folder, tests, file));
  const [plain, inside] = ['node', library].map((which) => passed(folder, [which, runner, ...files]));
  const same = plain.join('\n') === inside.join('\n');
  console.log(`${name}: ${inside.length} inside, ${plain.length} outside`);
  if (same) continue;
  failed = true;
  console.error(`outside:\n${plain.join('\n')}\ninside:\n${inside.join('\n')}`);
}
process.exitCode = failed ? 1 : 0;

/**
 * The lines of the tests, which all passed. exeq kills its processes after 300 ms, and fails on a busy machine with either spawn.
 * So each has three tries.
 */
function passed(cwd, words) {
  const program = path.join(here, 'with-session.mjs');
  const env = {PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8'};
  let ended;
  for (let attempt = 0; attempt < 3; attempt++) {
    ended = spawnSync(process.execPath, [program, ...words], {cwd, env, encoding: 'utf8'});
    const lines = ended.stdout.split('\n').filter((line) => /^(?:not )?ok \d/.test(line));
    if (ended.status === 0 && lines.length > 0 && lines.every((line) => line.startsWith('ok '))) return lines;
  }
  throw new Error(`${words.join(' ')}\n${ended.stdout}${ended.stderr}`);
}
