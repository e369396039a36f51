// Runs the suite: bundles each test file with esbuild (Node 20 does not read TypeScript), then starts node:test.
// usage: node test/run.mjs [--check] [--cpu] [--node <node binary>] [--left | --whole | path prefix under test/ ...]; default:
// everything that `npm test` runs, and with ION_TEST_WHOLE=1 everything.
// --left: the files that `npm test` leaves to `.ci/run`. A prefix selects them too if it has a slash: `e2e/disk`, `e2e/`, but not
// `e2e`.
// --whole: with ION_TEST_WHOLE=1, the files that then run more than `npm test` did: those of --left, and those whose cases
// depend on it (harness/extent.ts).
// --check: runs `npm run check` beside the tests; its output comes last.
// --cpu: at the end, prints the processor seconds of each test file with its descendants, the most expensive first (Linux).
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import path from 'node:path';
import {execa} from 'execa';
import {bundled, importing} from './bundle.mjs';
import {processorSeconds} from './cpu-by-file.mjs';
import {globSync} from './glob.mjs';
import {installForTests} from './install.mjs';
import {withoutShims} from './without-shims.mjs';

/**
 * Files that `npm test` leaves to `.ci/run`. `npm test` has 300 processor seconds in all: for the unit tests, the conformance
 * table with an attack for each protection, and the first everyday commands. These files attack one protection in more ways, or
 * test one feature from end to end. A new file runs in `npm test`; `npm test -- --cpu` shows what it costs. A file of 5 processor
 * seconds or more belongs here, or its expensive rows are `isSlow`.
 */
const left = [
  'conformance/doctor',
  'corpus/corpus',
  'e2e/approvals',
  'e2e/attacks-on-behalf',
  'e2e/autorun',
  'e2e/autorun-elsewhere',
  'e2e/autorun-git',
  'e2e/autorun-races',
  'e2e/autorun-swapped',
  'e2e/autorun-ways',
  'e2e/bad-input',
  'e2e/caller-variables',
  'e2e/ci-documents',
  'e2e/closed-places',
  'e2e/containers',
  'e2e/debris',
  'e2e/denied-metadata',
  'e2e/denied-paths',
  'e2e/deny-exec',
  'e2e/deny-exec-names',
  'e2e/deny-rules',
  'e2e/disk',
  'e2e/etc-existing',
  'e2e/etc-secrets',
  'e2e/few-numbers',
  'e2e/file-systems',
  'e2e/first-day',
  'e2e/foreign-locks',
  'e2e/git-closed',
  'e2e/github-steps',
  'e2e/given-ids',
  'e2e/handed-over',
  'e2e/hook-programs',
  'e2e/ion-sh',
  'e2e/ion-sh-attacks',
  'e2e/ion-sh-inside',
  'e2e/ion-sh-lost',
  'e2e/ion-sh-script',
  'e2e/leaks',
  'e2e/listed-roots',
  'e2e/lock',
  'e2e/loopback-everyday',
  'e2e/loopback-on-behalf',
  'e2e/mounts-meanwhile',
  'e2e/nested',
  'e2e/network-attacks',
  'e2e/network-clients',
  'e2e/network-install',
  'e2e/network-learning',
  'e2e/network-load',
  'e2e/network-names',
  'e2e/network-questions',
  'e2e/network-questions-ends',
  'e2e/network-questions-terminal',
  'e2e/network-refusals',
  'e2e/pasted',
  'e2e/private-temp',
  'e2e/private-temp-attacks',
  'e2e/processes',
  'e2e/prompt',
  'e2e/questions',
  'e2e/random-kills',
  'e2e/read-everyday',
  'e2e/read-mode-git',
  'e2e/read-mode-git-hostile',
  'e2e/record',
  'e2e/repository-workspace',
  'e2e/shell-callers',
  'e2e/streams',
  'e2e/supervisor',
  'e2e/terminal',
  'e2e/toolchains',
  'e2e/unix-sockets',
  'e2e/view',
  'e2e/violations',
  'library/documents',
  'mcp/accept',
  'mcp/documents',
  'mcp/file-arguments',
  'mcp/fuzz',
  'mcp/hub',
  'mcp/kept-folder',
  'mcp/server',
  'mcp/sqlite',
  'mcp/streams',
  'mcp/wrap',
  'oracle/oracle',
  'oracle/read-safety',
];

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
const cpuAt = argv.indexOf('--cpu');
const cpu = cpuAt !== -1 && argv.splice(cpuAt, 1) ? startCpu() : undefined;
const nodeAt = argv.indexOf('--node');
const node = nodeAt === -1 ? process.execPath : argv.splice(nodeAt, 2)[1];
const files = await chosen(globSync(path.join(root, 'test'), '.test.ts'), argv);
if (files.length === 0) {
  console.error(`no test file under test/ starts with ${argv.join(' or ')}`);
  process.exit(1);
}
const isLong = (file) => isIn(longest, file);
files.sort((one, other) => Number(isLong(other)) - Number(isLong(one))); // the sort is stable

const built = await bundled(roomsTogether(files));
// Unit tests import the source; all other tests run the built command.
const needsPackage = files.some((file) => !file.startsWith('unit/'));
const environment = {...process.env, PATH: withoutShims(process.env.PATH), ...cpu?.environment};
if (needsPackage) environment.ION_TEST_PACKAGE = await installForTests(root);
const schedule = path.join(root, 'test/schedule.mjs');
const {status} = spawnSync(node, ['--enable-source-maps', ...(cpu?.options ?? []), schedule, ...built], {
  cwd: root,
  stdio: 'inherit',
  env: environment,
});
process.exitCode = (status ?? 1) || (await check) || 0;
cpu?.print();

/**
 * One process for the unit tests of each room: a process and a bundle of its own cost each file half a processor second. A file
 * that starts itself again as another program stays alone.
 */
function roomsTogether(all) {
  const rooms = new Map();
  for (const file of all) {
    const room = startsItself(file) ? file : (/^unit\/[^/]+(?=\/)/.exec(file)?.[0] ?? file);
    rooms.set(room, [...(rooms.get(room) ?? []), file]);
  }
  return [...rooms].map(([name, together]) =>
    together.length === 1 ? together[0] : {name, files: together},
  );
}

function startsItself(file) {
  return /process\.argv\[1\]|import\.meta/.test(readFileSync(path.join(root, 'test', file), 'utf8'));
}

function isIn(names, file) {
  return names.includes(file.replace('.test.ts', ''));
}

async function chosen(all, words) {
  const missing = left.find((name) => !all.some((file) => isIn([name], file)));
  if (missing !== undefined) throw new Error(`there is no test file ${missing}`);
  if (words[0] === '--left') return all.filter((file) => isIn(left, file));
  if (words[0] === '--whole') {
    const growing = await importing('harness/extent.ts', all);
    return all.filter((file) => isIn(left, file) || growing.includes(file));
  }
  const {ION_TEST_WHOLE: whole, ION_TEST_FULL: full} = process.env;
  const isLeftOut = (file) => whole !== '1' && full !== '1' && isIn(left, file);
  const prefixes = words.length === 0 ? [''] : words.map((name) => name.replace(/^test\//, ''));
  const isNamed = (file) => (prefix) => file.startsWith(prefix) && (prefix.includes('/') || !isLeftOut(file));
  return all.filter((file) => prefixes.some(isNamed(file)));
}

/** Resolves to the exit code. */
async function startCheck() {
  const options = {cwd: root, stdin: 'ignore', all: true, reject: false};
  const {all, exitCode} = await execa('npm', ['run', '--silent', 'check'], options);
  if (all) console.log(all);
  return exitCode ?? 1;
}

/** Options and environment for the test processes, which add their lines to one file. */
function startCpu() {
  const folder = mkdtempSync('/var/tmp/ion-test-cpu-');
  const report = path.join(folder, 'report');
  const preloaded = path.join(root, 'test/cpu-by-file.mjs');
  return {
    options: ['--import', preloaded],
    environment: {ION_TEST_CPU: report},
    print: () => {
      const lines = readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('\t'));
      rmSync(folder, {recursive: true});
      printCpu(lines.map(([own, descendants, file]) => ({own: +own, descendants: +descendants, file})));
    },
  };
}

function printCpu(rows) {
  const total = (row) => row.own + row.descendants;
  const sum = (count) => rows.reduce((all, row) => all + count(row), 0).toFixed(1);
  const {own, descendants} = processorSeconds();
  console.log(`\nprocessor seconds, of the file itself + of what it started`);
  for (const row of rows.sort((one, other) => total(other) - total(one))) {
    console.log(
      `${total(row).toFixed(1).padStart(7)}  ${row.own.toFixed(1).padStart(5)} + ${row.descendants.toFixed(1).padStart(5)}  ${row.file.replace(/^.*?\/build\/test-\d+\//, '').replace('.test.mjs', '')}`,
    );
  }
  console.log(
    `${sum(total).padStart(7)}  ${sum((row) => row.own)} + ${sum((row) => row.descendants)}  all ${rows.length} test files`,
  );
  console.log(
    `${(own + descendants).toFixed(1).padStart(7)}  all of this run, with bundling, building and checking`,
  );
}
