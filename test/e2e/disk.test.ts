import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {closeSync, mkdirSync, openSync, readdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {isFull, isWhole} from '../harness/extent.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {skip} from '../harness/must-run.ts';
import {runIon, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';

/**
 * One use of the disk under a limit of 20 MiB. It runs on a file system of its own, so that other processes' writes do not
 * count.
 */
interface Use {
  readonly name: string;
  readonly script: string;
  /** True if the run goes over the limit. */
  readonly passes: boolean;
}

const fill = (count: number): string =>
  `mkdir many; for i in {1..${count}}; do head -c 100K /dev/zero > many/$i; done`;

const uses: readonly Use[] = [
  {name: 'many small files', script: fill(600), passes: true},
  {name: 'many small files in the temp folder', script: `cd $TMPDIR; ${fill(600)}`, passes: true},
  {
    name: 'files of processes that leave their sessions',
    script: `for n in 1 2 3 4; do mkdir $n; (cd $n; setsid bash -c '${fill(150)}') & done; wait`,
    passes: true,
  },
  {name: 'a file system that is mounted in the workspace', script: `cd vol; ${fill(600)}`, passes: true},
  {
    name: 'data that the command wrote just before it ended',
    script: 'head -c 30M /dev/zero > one',
    passes: true,
  },
  {name: 'allocated space without data', script: 'fallocate -l 30M one', passes: true},
  {name: 'a few files', script: fill(100), passes: false},
  {name: 'holes', script: 'truncate -s 1G holes; sleep 0.2', passes: false},
  {
    name: 'files that are removed again',
    script: 'for n in 1 2 3 4 5; do head -c 10M /dev/zero > one; sleep 0.1; rm one; done',
    passes: false,
  },
];

/** cpu: a control group where one is available, otherwise only the supervisor. The launcher also runs without a sandbox. */
const settings = ['', 'cpu = 60', 'memory = "10G"\nprocesses = 1000'];

for (const as of testers) {
  for (const use of uses) {
    test(`disk: ${use.name} (${as.name})`, async (t) => {
      if (isWhole) {
        const free = await runOnDisk(t, as, '', use.script);
        if (!free) return;
        assert.deepEqual([free.code, free.stdout, free.stderr], [0, 'done\n', '']);
      }
      for (const others of use.passes && isFull ? settings : settings.slice(0, 1)) {
        const ended = await runOnDisk(t, as, `disk = "20M"\n${others}`, use.script);
        if (ended) judge(ended, use.passes);
      }
    });
  }

  test(`disk: what the closing line says works when it is pasted (${as.name})`, async (t) => {
    const refused = await runOnDisk(t, as, 'disk = "20M"', fill(300));
    if (!refused) return;
    const [, option = '', line = ''] =
      /^help: for this run: (.*?); for all: sandbox\.limits\.(.*?) in disk\.toml; /m.exec(refused.stderr) ??
      [];
    const words = spawnSync('bash', ['-c', `printf '%s\\n' ${option}`], {encoding: 'utf8'}).stdout;
    judge((await runOnDisk(t, as, 'disk = "20M"', fill(300), words.trim().split('\n')))!, false);
    judge((await runOnDisk(t, as, line, fill(300)))!, false);
  });

  test(`disk: without a sandbox (${as.name})`, async (t) => {
    const ended = await runOnDisk(t, as, 'disk = "20M"', fill(600), ['--no-sandbox']);
    if (!ended) return;
    assert.equal(ended.code, 137, ended.stderr);
    assert.match(ended.stderr, passed);
  });

  test(`disk: a file on standard output counts, wherever it is (${as.name})`, async (t) => {
    const ended = await runOnDisk(t, as, 'disk = "20M"', 'head -c 60M /dev/zero; sleep 1', ['--read'], true);
    if (!ended) return;
    assert.equal(ended.code, 137, ended.stderr);
    assert.match(ended.stderr, passed);
  });

  test(`disk: a private temp folder counts, in read mode too (${as.name})`, async (t) => {
    const ended = await runOnDisk(t, as, 'disk = "20M"', 'sort -S 1M lines | wc -l', ['--read']);
    if (ended) judge(ended, true);
  });
}

const passed =
  /^ion: stopped: the run exceeded its limit of disk(?: \(\d+(?:\.\d)?M\))?, which is 20M\n --> disk\.toml:2\nhelp: for this run: --set 'sandbox\.limits\.disk="40M"'; for all: sandbox\.limits\.disk = "40M" in disk\.toml; writes of other processes count too\n/m;

function judge(ended: Ended, passes: boolean): void {
  if (!passes) return assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'done\n', '']);
  assert.equal(ended.code, 137, ended.stderr);
  assert.match(ended.stderr, passed);
}

/**
 * Home with the workspace is on one tmpfs, the temp folder on another. undefined: mounting is not possible here, and the
 * test is skipped.
 */
async function runOnDisk(
  t: TestContext,
  as: Identity,
  limits: string,
  script: string,
  options: readonly string[] = [],
  intoFile = false,
): Promise<Ended | undefined> {
  if (process.getuid!() !== 0) {
    t.skip('only root can mount a file system');
    return undefined;
  }
  const scratch = makeScratch(t, as);
  const temp = path.join(scratch.root, 'temp');
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200M,mode=755', 'none', scratch.home]).status !== 0) {
    skip(t, 'no file system can be mounted here');
    return undefined;
  }
  try {
    const volume = path.join(scratch.work, 'vol');
    for (const folder of [scratch.work, temp, volume]) mkdirSync(folder, {recursive: true});
    for (const folder of [volume, temp])
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200M,mode=777', 'none', folder]);
    writeFileSync(path.join(scratch.work, 'disk.toml'), `[sandbox.limits]\n${limits}\n`);
    writeFileSync(path.join(scratch.work, 'lines'), 'a line of a file that is sorted\n'.repeat(1 << 20));
    for (const folder of [scratch.home, temp]) giveTo(folder, as);
    const done = options.includes('--read') ? script : `${script}; echo done`;
    const output = path.join(volume, 'output');
    const file = intoFile ? openSync(output, 'w') : undefined;
    const ended = await runIon(scratch, ['run', '--config', 'disk.toml', ...options, done], {
      as,
      env: {TMPDIR: temp},
      timeoutMs: 60_000,
      ...(file === undefined ? {} : {stdio: ['ignore', file, 'pipe']}),
    });
    if (file !== undefined) closeSync(file);
    return ended;
  } finally {
    for (const folder of [path.join(scratch.work, 'vol'), temp]) spawnSync('umount', [folder]);
    spawnSync('umount', [scratch.home]);
    assert.deepEqual(readdirSync(scratch.home), ['work'], 'the file system is still mounted');
  }
}
