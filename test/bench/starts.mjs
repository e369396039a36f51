// The cost of a start, compared with Node's own, for each given Node. Also shows where the time goes.
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {compare, environment, median, nothing, time} from './measure.mjs';

export function starts({report, ion, scratch, rounds, node}) {
  const run =
    (...args) =>
    () =>
      time(node, args, {cwd: scratch});
  const times = compare(
    {
      run: run(ion, 'run', 'true'),
      any: run(ion, 'run', nothing),
      free: run(ion, 'run', '--no-sandbox', 'true'),
      check: run(ion, 'check', 'true'),
      version: run(ion, '--version'),
      node: run('-e', '0'),
      bash: () => time('bash', ['-c', 'true'], {cwd: scratch}),
    },
    rounds,
  );
  const bare = ['node -e 0', times.node];
  report.ratio('ion run true', times.run, bare, '<= 1.80');
  report.ratio('ion run true', times.run, ['bash -c true', times.bash]);
  report.ratio('ion run, any command', times.any, bare);
  report.ratio('ion run --no-sandbox true', times.free, bare);
  report.ratio('ion check true', times.check, bare);
  report.ratio('ion --version', times.version, bare, '<= 1.35');
}

/** ion-sh as a caller's shell: compared with `ion run`, and as npm's script shell for a script that does nothing. */
export function sh({report, ion, root, scratch, rounds, node}) {
  const cwd = path.join(scratch, 'sh');
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, 'package.json'), '{"name": "sh", "scripts": {"x": "true"}}\n');
  const ionSh = path.join(root, 'bin/ion-sh');
  const times = compare(
    {
      sh: () => time(ionSh, ['-c', 'true'], {cwd}),
      run: () => time(node, [ion, 'run', 'true'], {cwd}),
      npmSh: () => time('npm', ['run', '--silent', `--script-shell=${ionSh}`, 'x'], {cwd}),
      npm: () => time('npm', ['run', '--silent', 'x'], {cwd}),
    },
    rounds,
  );
  report.difference('ion-sh -c true', times.sh, ['ion run true', times.run], '<= +1 ms');
  report.ratio('npm run with ion-sh as script-shell', times.npmSh, ['npm run', times.npm], '<= 1.25');
}

/** The same under other major versions of Node, from npm. */
export function otherNodes({report, ion, scratch, rounds, root}) {
  for (const major of [20, 22, 24]) {
    const prefix = path.join(scratch, `node${major}`);
    mkdirSync(prefix);
    time('npm', ['install', '--silent', '--no-save', '--prefix', prefix, `node@${major}`], {cwd: prefix});
    const node = path.join(prefix, 'node_modules/node/bin/node');
    // The code cache that an installation under that Node would make.
    const maker = pathToFileURL(path.join(root, 'native/code-cache.mjs')).href;
    time(node, [
      '-e',
      `import(${JSON.stringify(maker)}).then((made) => made.makeCodeCache(${JSON.stringify(root)}))`,
    ]);
    const run =
      (...args) =>
      () =>
        time(node, args, {cwd: scratch});
    const times = compare(
      {run: run(ion, 'run', 'true'), version: run(ion, '--version'), node: run('-e', '0')},
      rounds,
    );
    report.ratio(`Node ${major}: ion run true`, times.run, ['node -e 0', times.node], '<= 1.80');
    report.ratio(`Node ${major}: ion --version`, times.version, ['node -e 0', times.node], '<= 1.35');
  }
}

/** Medians of the output of ION_TIMING=1. `load` begins with the process, so it includes Node's own start. */
export function phases({report, ion, scratch, rounds, node}) {
  const seen = new Map();
  for (let round = 0; round < rounds; round++) {
    const {stderr} = spawnSync(node, [ion, 'run', 'true'], {
      cwd: scratch,
      env: {...environment, ION_TIMING: '1'},
      encoding: 'utf8',
    });
    for (const [, phase, ms] of stderr.matchAll(/timing: (\w+) ([\d.]+) ms/g)) {
      seen.set(phase, [...(seen.get(phase) ?? []), Number(ms)]);
    }
  }
  for (const [phase, times] of seen) report.row(`phase: ${phase}`, median(times).toFixed(2), '', '', '');
}

export async function memory({report, ion, scratch, node}) {
  const ionPeak = await peak(node, [ion, 'run', 'cat'], scratch);
  const nodePeak = await peak(node, ['-e', 'process.stdin.resume()'], scratch);
  const ratio = (ionPeak / nodePeak).toFixed(2);
  report.row('peak memory of ion, MiB', ionPeak.toFixed(1), 'node -e', nodePeak.toFixed(1), ratio, '<= 1.40');
}

/** The peak resident memory of this process without its children, in MiB, as the kernel reports it. */
async function peak(node, args, cwd) {
  const child = spawn(node, args, {cwd, env: environment, stdio: ['pipe', 'ignore', 'inherit']});
  let most = 0;
  const timer = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // the process has ended
    }
  }, 5);
  await new Promise((resolve) => {
    setTimeout(() => child.stdin.end(), 400);
    child.once('exit', resolve);
  });
  clearInterval(timer);
  return most / 1024;
}
