// Runs many commands and checks that nothing is left: descriptors, zombies, threads, memory, mounts, groups, files.
// usage: npm run leaks [-- rounds [rounds of the command line]]; default 300, and a tenth of it. ION_TEST_PACKAGE: the
// package.
import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {bundled} from '../bundle.mjs';
import {installForTests} from '../install.mjs';

const root = path.dirname(path.dirname(import.meta.dirname));
const [rounds = 300, commandLines = Math.ceil(rounds / 10)] = process.argv.slice(2).map(Number);
/** A heap that has grown by more than this, whatever the number of rounds, leaks memory in each run. */
const most = {heapBytes: 4 << 20, residentBytes: 48 << 20};

const scratch = mkdtempSync('/var/tmp/ion-leaks-');
process.on('exit', () => rmSync(scratch, {recursive: true, force: true}));
const packageRoot = process.env.ION_TEST_PACKAGE ?? (await installForTests(root));
const environment = {
  PATH: process.env.PATH,
  HOME: `${scratch}/home`,
  TMPDIR: `${scratch}/temp`,
  LANG: 'C.UTF-8',
};
const workspace = `${scratch}/home/work`;
for (const folder of [workspace, environment.TMPDIR]) mkdirSync(folder, {recursive: true});
// Limits of every kind, a control group where possible, a private temp folder, a closed loopback.
writeFileSync(
  `${scratch}/home/leaks.toml`,
  '[sandbox]\ntmp = "private"\nnetwork = "loopback"\n[sandbox.limits]\ntimeout = "1m"\nprocesses = 200\nmemory = "1G"\ncpu = 50\ndisk = "100G"\n[environment]\nexclude = ["LD_PRELOAD"]\n',
);
spawnSync('git', ['init', '-q', workspace], {env: environment});

const [rounder] = await bundled(['leaks/rounds.ts']);

function inSession() {
  const preload = process.env.ION_TEST_PRELOAD;
  const {status, stdout, stderr} = spawnSync(
    process.execPath,
    ['--expose-gc', rounder, packageRoot, String(rounds)],
    {
      cwd: workspace,
      env: {
        ...environment,
        ...(preload ? {LD_PRELOAD: preload, ASAN_OPTIONS: process.env.ASAN_OPTIONS} : {}),
      },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`exit ${status}\n${stderr}`);
  return JSON.parse(stdout);
}

/** For the command line: each run is a process of its own, so only the machine can keep something. */
function onCommandLine() {
  const count = () => ({
    temps: readdirSync(environment.TMPDIR).length,
    runFolders: readdirSync(`${environment.HOME}/.ion/run`).length,
    inWorkspace: readdirSync(workspace).length,
  });
  const run = () =>
    spawnSync(
      process.execPath,
      [
        `${packageRoot}/bin/ion`,
        'run',
        '--config',
        '../leaks.toml',
        'setsid sleep 100 & git status --short; exit 3',
      ],
      {cwd: workspace, env: environment, stdio: 'ignore'},
    ).status;
  run();
  const before = count();
  for (let round = 0; round < commandLines; round++) {
    const status = run();
    if (status !== 3) throw new Error(`run ${round} ended with ${status}`);
  }
  return {before, after: count()};
}

let failed = false;
function compare(what, {before, after}) {
  for (const [name, was] of Object.entries(before)) {
    const grown = after[name] - was;
    const leaks = grown > (most[name] ?? 0);
    failed ||= leaks;
    console.log(`${what}: ${name}: ${was} -> ${after[name]}${leaks ? '  LEAK' : ''}`);
  }
}
compare(`${rounds} runs in one session`, inSession());
if (commandLines > 0) compare(`${commandLines} runs of the command`, onCommandLine());
process.exitCode = failed ? 1 : 0;
