// Ratios, medians of paired runs: in each round every contestant runs once, so that a slow moment of the machine hits all.
// usage: npm run bench [-- rounds]; default 25 rounds for starts, 15 for workloads.
import {spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {cpus, homedir, release} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {presets} from '../../profiles/compile.mjs';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const ion = path.join(root, 'bin/ion');
const rounds = Number(process.argv[2] ?? 25);
// A certificate file that Node reads at start costs 28 ms on Node 20: not what is measured here.
const environment = {...process.env};
delete environment.NODE_EXTRA_CA_CERTS;
const scratch = mkdtempSync(path.join(homedir(), '.ion-bench-'));
process.on('exit', () => rmSync(scratch, {recursive: true, force: true}));

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

function time(command, args, options = {}) {
  const before = process.hrtime.bigint();
  const {status, error, stderr} = spawnSync(command, args, {
    cwd: scratch,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...options,
  });
  const ms = Number(process.hrtime.bigint() - before) / 1e6;
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `exit ${status}\n${stderr}`}`);
  return ms;
}

/** Paired medians: contestants by name → milliseconds; the ratio is the median of the ratios of each round. */
function compare(contestants, count) {
  const names = Object.keys(contestants);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) contestants[name]();
  for (let round = 0; round < count; round++) for (const name of names) times[name].push(contestants[name]());
  return times;
}

const rows = [];
function report(what, times, subject, against, goal) {
  const ratios = times[subject].map((ms, round) => ms / times[against][round]);
  rows.push({
    what,
    ms: median(times[subject]).toFixed(1),
    against,
    'against ms': median(times[against]).toFixed(1),
    ratio: median(ratios).toFixed(2),
    goal,
  });
}

const starts = compare(
  {
    'ion run true': () => time(process.execPath, [ion, 'run', 'true']),
    'ion run --no-sandbox true': () => time(process.execPath, [ion, 'run', '--no-sandbox', 'true']),
    'ion check true': () => time(process.execPath, [ion, 'check', 'true']),
    'ion --version': () => time(process.execPath, [ion, '--version']),
    'node -e 0': () => time(process.execPath, ['-e', '0']),
    'bash -c true': () => time('bash', ['-c', 'true']),
  },
  rounds,
);
report('ion run true', starts, 'ion run true', 'node -e 0', '<= 2.00');
report('ion run true', starts, 'ion run true', 'bash -c true', '');
report('ion run --no-sandbox true', starts, 'ion run --no-sandbox true', 'node -e 0', '');
report('ion check true', starts, 'ion check true', 'node -e 0', '');
report('ion --version', starts, 'ion --version', 'node -e 0', '');

// In process: one session, many commands.
const inProcess = path.join(scratch, 'in-process.mjs');
await build({
  entryPoints: [path.join(root, 'test/bench/in-process.ts')],
  outfile: inProcess,
  bundle: true,
  platform: 'node',
  format: 'esm',
  plugins: [presets],
  target: 'node20',
  banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
  define: {ION_VERSION: '"bench"'},
});
mkdirSync(path.join(scratch, 'workspace'));
const inner = spawnSync(process.execPath, [inProcess, root, '60'], {
  cwd: path.join(scratch, 'workspace'),
  env: environment,
  encoding: 'utf8',
});
if (inner.status !== 0) throw new Error(inner.stderr);
const {session, plain} = JSON.parse(inner.stdout);
rows.push({
  what: 'session.run("true"), over spawn, ms',
  ms: median(session).toFixed(2),
  against: 'spawn("bash")',
  'against ms': median(plain).toFixed(2),
  ratio: `+${median(session.map((ms, round) => ms - plain[round])).toFixed(2)} ms`,
  goal: '<= +3 ms',
});

const workloads = {
  'find /usr -type f': 'find /usr -type f',
  '1000 x fork and exec': 'for ((i = 0; i < 1000; i++)); do /bin/true; done',
  'tar c /usr/share': 'tar cf - /usr/share 2>/dev/null | cat',
  '3000 small files':
    'mkdir d && cd d && for ((i = 0; i < 3000; i++)); do echo $i > f$i; done && cd .. && rm -r d',
};
for (const [name, command] of Object.entries(workloads)) {
  const times = compare(
    {
      inside: () => time(process.execPath, [ion, 'run', command]),
      outside: () => time('bash', ['-c', command]),
      start: () => time(process.execPath, [ion, 'run', 'true']),
      bash: () => time('bash', ['-c', 'true']),
    },
    Math.max(15, Math.min(rounds, 15)),
  );
  // Start-up is measured above: here only what the boundary costs while the work goes on.
  const inside = times.inside.map((ms, round) => ms - times.start[round]);
  const outside = times.outside.map((ms, round) => ms - times.bash[round]);
  report(`${name} (start-up taken out)`, {inside, outside}, 'inside', 'outside', '<= 1.10');
}

/** Peak resident memory of the ion process alone, by the kernel's own count. */
async function peak(args) {
  const child = spawn(process.execPath, args, {
    cwd: scratch,
    env: environment,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  let most = 0;
  const timer = setInterval(() => {
    try {
      most = Math.max(
        most,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0),
      );
    } catch {
      // ended
    }
  }, 5);
  await new Promise((resolve) => {
    setTimeout(() => child.stdin.end(), 400);
    child.once('exit', resolve);
  });
  clearInterval(timer);
  return most / 1024;
}
const ionMemory = await peak([ion, 'run', 'cat']);
const nodeMemory = await peak(['-e', 'process.stdin.resume()']);
rows.push({
  what: 'peak memory of ion, MiB',
  ms: ionMemory.toFixed(1),
  against: 'node -e',
  'against ms': nodeMemory.toFixed(1),
  ratio: (ionMemory / nodeMemory).toFixed(2),
  goal: '<= 1.60',
});

console.log(
  `${new Date().toISOString().slice(0, 10)}, Linux ${release()}, node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}`,
);
console.table(rows);
if (process.env.ION_BENCH_MARKDOWN) {
  const lines = rows.map(
    (row) =>
      `| ${row.what} | ${row.ms} | ${row.against} | ${row['against ms']} | ${row.ratio} | ${row.goal} |`,
  );
  writeFileSync(
    process.env.ION_BENCH_MARKDOWN,
    [
      '| what | median ms | against | median ms | ratio | goal |',
      '| --- | --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n'),
  );
}
