import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {isWhole} from '../harness/extent.ts';
import {plain, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {processes, until} from '../harness/processes.ts';
import {runIon, startProgram, type Ended} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/**
 * One way to use more than a limit allows, and the message about it. Without the limit the script exits with 0 and prints
 * `got it`.
 */
interface Greed {
  readonly name: string;
  readonly limit: string;
  readonly script: string;
  readonly code: number;
  readonly says: RegExp;
  /** The script is not run without the limit. */
  readonly bomb?: true;
  readonly needs?: readonly string[];
}

const python = (code: string): string => `python3 -c '${code.replaceAll("'", `'"'"'`)}' && echo got it`;
/** An amount as a person would write it: no number above 1023 for bytes. */
const amount = '(?:\\d{1,3}(?:\\.\\d)?[KMG]|\\d+s|\\d{1,3})';
const raises = (limit: string): string =>
  `for this run: --set '?sandbox\\.limits\\.${limit}=[^;]*; for all: sandbox\\.limits\\.${limit} = "?${amount}"? in limits\\.toml`;
const passed = (limit: string): RegExp =>
  new RegExp(
    `ion: stopped: the run exceeded its limit of ${limit}(?: \\(${amount}\\))?, which is ${amount}\n` +
      ` --> limits\\.toml:2\nhelp: ${raises(limit)}\n`,
  );
const met = (limit: string): RegExp =>
  new RegExp(
    `ion: limited: a process \\(pid \\d+\\) reached its limit of ${limit}, which is ${amount}\n` +
      ` --> limits\\.toml:2\nhelp: ${raises(limit)}\n`,
  );

const greed: readonly Greed[] = [
  {
    name: 'a fork bomb',
    limit: 'processes = 60',
    // In a script file: a guardrail knows the usual spelling of a fork bomb.
    script: 'cat > b.sh <<< "bash b.sh & bash b.sh & wait"; bash b.sh',
    code: 137,
    says: passed('processes'),
    bomb: true,
  },
  {
    name: 'a fork bomb whose processes leave their sessions',
    limit: 'processes = 60',
    script: 'cat > b.sh <<< "setsid bash b.sh & setsid bash b.sh & wait"; bash b.sh',
    code: 137,
    says: passed('processes'),
    bomb: true,
  },
  {
    name: 'threads',
    limit: 'processes = 60',
    script: python(
      'import threading, time\nfor i in range(200): threading.Thread(target=time.sleep, args=(1,)).start()',
    ),
    code: 137,
    says: passed('processes'),
    needs: ['python3'],
  },
  {
    name: 'memory of one process',
    limit: 'memory = "200M"',
    script: python('import time\nx = b"x" * (400 << 20)\ntime.sleep(1)'),
    code: 137,
    says: passed('memory'),
    needs: ['python3'],
  },
  {
    name: 'memory of a process whose first thread has ended',
    limit: 'memory = "200M"',
    script: python(
      'import ctypes, threading, time\ndef eat():\n    x = b"x" * (400 << 20)\n    time.sleep(1)\nthreading.Thread(target=eat).start()\nctypes.CDLL(None).pthread_exit(None)',
    ),
    code: 137,
    says: passed('memory'),
    needs: ['python3'],
  },
  {
    name: 'memory of many processes',
    limit: 'memory = "200M"',
    script: `for i in 1 2 3 4 5 6 7 8; do python3 -c 'import time; x = b"x" * (50 << 20); time.sleep(1)' & done; wait; echo got it`,
    code: 137,
    says: passed('memory'),
    needs: ['python3'],
  },
  {
    name: 'memory that no process maps',
    limit: 'memory = "200M"',
    script: python(
      'import os, time\nf = os.memfd_create("x")\nfor i in range(400): os.write(f, b"x" * (1 << 20))\ntime.sleep(1)',
    ),
    code: 137,
    says: passed('memory'),
    needs: ['python3'],
  },
  {
    name: 'processor time of one process',
    limit: 'cpu = 1',
    script: python('import time\nwhile time.process_time() < 1.5: pass'),
    code: 137,
    says: passed('cpu'),
    needs: ['python3'],
  },
  {
    name: 'processor time of many processes in turn',
    limit: 'cpu = 1',
    script: `for i in 1 2 3 4; do python3 -c 'import time
while time.process_time() < 0.5: pass'; done; echo got it`,
    code: 137,
    says: passed('cpu'),
    needs: ['python3'],
  },
  {
    name: 'descriptors',
    limit: 'open_files = 64',
    script: python(
      'import os, time\ntry:\n  for i in range(100): os.open("/dev/null", 0)\nfinally: time.sleep(0.5)',
    ),
    code: 1,
    says: met('open_files'),
    needs: ['python3'],
  },
  {
    name: 'a big file',
    limit: 'file_size = "1M"',
    script: 'head -c 4M /dev/zero > big && echo got it || exit',
    code: 153,
    says: met('file_size'),
  },
];

const onlyWhole = isWhole
  ? {}
  : {skip: 'in .ci/run whole: it forks 600 processes with 19,000 descriptors each'};

test('limits: a tree with millions of descriptors obeys its time limit', onlyWhole, async (t) => {
  if (!requireProgram(t, 'python3')) return;
  const many = `import os, time
null = os.open("/dev/null", 0)
try:
  while null < 19000: null = os.dup(null)
except OSError: pass
for i in range(600):
  if os.fork() == 0: break
time.sleep(300)`;
  // Without a control group the supervisor measures the memory. When it read all descriptors in one pass, that took half a
  // minute. A busy machine takes longer, so the test only requires that the limit ends the run.
  const limit = 'memory = "10G"\nopen_files = 19500\ntimeout = "3s"';
  const {ended} = await runLimited(t, plain, limit, python(many), [], 120_000);
  assert.equal(ended.code, 124, ended.stderr);
});

for (const as of testers) {
  for (const one of greed) {
    test(`limits: ${one.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, ...(one.needs ?? []))) return;
      if (isWhole && !one.bomb) {
        const {ended} = await runLimited(t, as, 'open_files = 4096', one.script);
        assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'got it\n', '']);
      }
      const {ended, word} = await runLimited(t, as, one.limit, one.script);
      assert.deepEqual([ended.code, ended.stdout], [one.code, ''], ended.stderr);
      assert.match(ended.stderr, one.says);
      assert.deepEqual(withEnvironment(word), []);
    });
  }

  test(`limits: a memory limit bounds /dev/shm, if the run has its own (${as.name})`, async (t) => {
    const fill = 'head -c 60M /dev/zero > /dev/shm/$WORD; stat -c %s /dev/shm/$WORD; rm /dev/shm/$WORD';
    const {ended: free} = await runLimited(t, as, 'open_files = 4096', fill);
    assert.equal(free.stdout, '62914560\n', free.stderr);
    const {ended} = await runLimited(t, as, 'memory = "40M"', fill);
    const isOwn = !ended.stdout.includes('62914560');
    assert.ok(isOwn || ended.code === 137, 'the file was neither cut nor the run ended');
  });

  test(`limits: a memory limit does not count other processes' files in /dev/shm (${as.name})`, async (t) => {
    const others = `/dev/shm/${ownWord()}`;
    t.after(() => rmSync(others, {force: true}));
    writeFileSync(others, Buffer.alloc(60 << 20, 1));
    for (const limit of ['memory = "40M"', 'disk = "40M"']) {
      const {ended} = await runLimited(t, as, limit, 'sleep 0.2; echo ran');
      assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'ran\n', ''], limit);
    }
  });

  test(`limits: a time limit ends a stopped tree (${as.name})`, async (t) => {
    const script = 'setsid sleep 300 & sleep 300 & kill -STOP $! $(jobs -p) $$; echo went on; sleep 300';
    const {ended, word} = await runLimited(t, as, 'timeout = "700ms"', script);
    assert.equal(ended.code, 124, ended.stderr);
    assert.equal(
      ended.stderr,
      'ion: timed out after 700ms: killed the command and everything it started\n --> limits.toml:2\n' +
        'help: for this run: --timeout 1400ms; for all: sandbox.limits.timeout = "1400ms" in limits.toml\n',
    );
    assert.deepEqual(withEnvironment(word), []);
  });

  for (const limit of ['timeout = "700ms"', 'processes = 60\ntimeout = "700ms"']) {
    test(`limits: a process that constantly forks and exits is stopped, ${limit.replace('\n', ', ')} (${as.name})`, async (t) => {
      // Each process lives for 20 ms, in a session of its own. It ends when its script is removed.
      const comet = 'sleep 0.02; setsid bash comet.sh & exit\n';
      const scratch = makeScratch(t, as, {'comet.sh': comet});
      const outside = ownWord();
      void startProgram(scratch, ['bash', 'comet.sh'], {as, env: {WORD: outside}, stdio: 'ignore'});
      await until('the comet far from its parent', () =>
        withEnvironment(outside).some(({parent}) => parent === 1),
      );
      rmSync(path.join(scratch.work, 'comet.sh'));
      await until('the end of the comet', () => withEnvironment(outside).length === 0);

      const {ended, word} = await runLimited(
        t,
        as,
        limit,
        `echo '${comet}' > comet.sh; bash comet.sh; sleep 300`,
      );
      assert.equal(ended.code, 124, ended.stderr);
      assert.deepEqual(withEnvironment(word), []);
    });
  }

  test(`limits: the facts report what enforces each (${as.name})`, async (t) => {
    const all =
      'timeout = "10s"\nmemory = "1G"\nprocesses = 500\nopen_files = 512\nfile_size = "1G"\ncpu = "10s"\ndisk = "10G"';
    const {ended} = await runLimited(t, as, all, 'true', ['--json']);
    const {sandbox} = JSON.parse(ended.stderr) as {
      sandbox: {process_limits_by: Readonly<Record<string, string>>};
    };
    const by = Object.fromEntries(
      Object.entries(sandbox.process_limits_by).map(([name, text]) => [name, text.split(' ')[0]]),
    );
    const {memoryBytes: tree} = by;
    assert.ok(tree === 'cgroup' || tree === 'supervisor', tree);
    assert.deepEqual(by, {
      timeoutMs: 'supervisor',
      memoryBytes: tree,
      processes: tree,
      openFiles: 'rlimit',
      fileSizeBytes: 'rlimit',
      cpuSeconds: 'rlimit',
      diskBytes: 'supervisor',
    });
  });
}

async function runLimited(
  t: TestContext,
  as: Identity,
  limit: string,
  script: string,
  options: readonly string[] = [],
  timeoutMs = 60_000,
): Promise<{ended: Ended; word: string}> {
  const scratch = makeScratch(t, as, {'limits.toml': `[sandbox.limits]\n${limit}\n`});
  const word = ownWord();
  const ended = await runIon(scratch, ['run', '--config', 'limits.toml', ...options, script], {
    as,
    env: {WORD: word},
    timeoutMs,
  });
  return {ended, word};
}

/** A word in the environment of every process of one run, and of no other process. */
function ownWord(): string {
  return `w${randomBytes(8).toString('hex')}`;
}

function withEnvironment(word: string): {pid: number; parent: number}[] {
  return processes().filter(({pid}) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`WORD=${word}`);
    } catch {
      return false;
    }
  });
}
