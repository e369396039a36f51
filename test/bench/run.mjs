// Prints a table of the medians of paired runs.
// usage: npm run bench [-- rounds] [section ...]
// sections: starts sh phases in-process library mcp memory growth figures steady minimal all older floor network, and nodes (fetches
// Node 20, 22 and 24 from npm); default: all of them.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {cpus, homedir, release} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {bundled} from '../bundle.mjs';
import {byFiles, byGlobs, byRules, byRuns} from './growth.mjs';
import {mcp} from './mcp.mjs';
import {environment, Report} from './measure.mjs';
import {network} from './network.mjs';
import {memory, otherNodes, phases, sh, starts} from './starts.mjs';
import {all, floor, minimal, older, steady} from './workloads.mjs';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const scratch = mkdtempSync(path.join(homedir(), '.ion-bench-'));
process.on('exit', () => rmSync(scratch, {recursive: true, force: true}));

let configs = 0;
const bench = {
  report: new Report(),
  root,
  scratch,
  ion: path.join(root, 'bin/ion'),
  node: process.execPath,
  rounds: 25,
  /** A config file of the user with this text. */
  configFile(text) {
    const file = path.join(scratch, `config-${configs++}.toml`);
    writeFileSync(file, text);
    return file;
  },
};

/** Many commands in one session, compared with a plain spawn of bash. */
async function inProcess({report}) {
  const cwd = path.join(scratch, 'workspace');
  mkdirSync(cwd);
  const [program] = await bundled(['bench/in-process.ts']);
  const {status, stdout, stderr} = spawnSync(process.execPath, [program, root, '200'], {
    cwd,
    env: environment,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const {session, prompt, plain} = JSON.parse(stdout);
  report.difference('a command in an open session', session, ['spawn("bash")', plain], '<= +2 ms');
  report.difference('a command of the prompt', prompt, ['spawn("bash")', plain], '<= +2 ms');
}

/** The library, against child_process.spawn: pipes, and the audit log as by default. */
function library({report}) {
  const cwd = path.join(scratch, 'library');
  mkdirSync(cwd);
  const program = path.join(root, 'test/bench/library.mjs');
  const {status, stdout, stderr} = spawnSync(process.execPath, [program, root, '200'], {
    cwd,
    env: environment,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const {imported, opened, inside, plain, together, plainTogether, failed} = JSON.parse(stdout);
  report.row('import of the library', imported.toFixed(1), '', '', '', '<= 15 ms');
  report.row('open()', opened.toFixed(1), '', '', '', '');
  report.difference('a command of the library', inside, ['spawn("bash")', plain], '<= +2 ms');
  const ratio = (together / plainTogether).toFixed(2);
  report.row(
    `100 at once, ${failed} failed`,
    together.toFixed(0),
    '100 x spawn("bash")',
    plainTogether.toFixed(0),
    ratio,
    '0 failed',
  );
}

/** Decisions, analysis and the audit log, in a table of their own. */
async function figures() {
  const [program] = await bundled(['bench/figures.ts']);
  spawnSync(process.execPath, [program, root], {stdio: ['ignore', 'inherit', 'inherit']});
}

const sections = {
  starts: [starts],
  sh: [sh],
  phases: [phases],
  'in-process': [inProcess],
  library: [library],
  mcp: [mcp],
  memory: [memory],
  growth: [byFiles, byRules, byGlobs, byRuns],
  figures: [figures],
  steady: [steady],
  minimal: [minimal],
  all: [all],
  older: [older],
  floor: [floor],
  network: [network],
  nodes: [otherNodes],
};

let wanted = process.argv.slice(2);
if (/^\d+$/.test(wanted[0] ?? '')) bench.rounds = Number(wanted.shift());
const unknown = wanted.find((name) => !(name in sections));
if (unknown !== undefined) throw new Error(`no such section: ${unknown}`);
if (wanted.length === 0) wanted = Object.keys(sections);
for (const name of wanted) {
  for (const section of sections[name]) await section(bench);
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, Linux ${release()}, node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}`,
);
console.table(bench.report.rows);
if (process.env.ION_BENCH_MARKDOWN) writeFileSync(process.env.ION_BENCH_MARKDOWN, bench.report.markdown());
