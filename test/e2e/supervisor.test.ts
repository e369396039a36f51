import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {isWhole} from '../harness/extent.ts';
import {identities, own, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {startIon, collect, runIon, type Ended} from '../harness/run.ts';
import {until} from '../harness/processes.ts';
import {giveTo, makeScratch, writeFiles, type Scratch} from '../harness/scratch.ts';

/**
 * `below` is the mount point of a file system that takes every request and never answers. `$silent` is its path in two pieces.
 */
interface Silent {
  readonly name: string;
  readonly args?: readonly string[];
  readonly command: string;
  readonly config?: string;
  readonly code: number;
  readonly stdout?: string;
}

/** The call waits, as it does outside. */
const waits = 'sleep 0.2; [[ $(jobs -r) ]] || exit 9;';
const hang = `(echo > $silent/x) & ${waits}`;
const waiting: readonly Silent[] = [
  {
    name: 'other processes go on, and the run ends',
    command: `${hang} for i in 1 2 3; do echo $i > f$i; mkdir d$i; done; cat f*; exit 7`,
    code: 7,
    stdout: '1\n2\n3\n',
  },
  {
    name: 'so many looks that each thread waits',
    command: `for i in {1..40}; do (echo > $silent/$i) & done; ${waits} echo 1 > f; cat f; exit 7`,
    code: 7,
    stdout: '1\n',
  },
  {name: 'the clock goes on', args: ['--timeout', '1s'], command: 'echo > $silent/x', code: 124},
  {
    name: 'limits go on',
    config: '[sandbox.limits]\ncpu = 1\nopen_files = 500\n',
    command: `${hang} while :; do :; done`,
    code: 137,
  },
  {name: 'an execution', args: ['--timeout', '1s'], command: '$silent/program', code: 124},
  {
    name: 'an execution with deny rules, and one beside it',
    config: '[permissions]\ndeny_commands = ["sudo *"]\n',
    command: `($silent/program) & ${waits} echo 1 | cat; exit 7`,
    code: 7,
    stdout: '1\n',
  },
  {
    name: 'a file that is renamed to it, and git beside it',
    command: `git init -q r; echo > f; (mv f $silent/f) & ${waits} git -C r config user.name x; git -C r config user.name; exit 7`,
    code: 7,
    stdout: 'x\n',
  },
];

async function runBeside(t: TestContext, as: Identity, silent: Silent): Promise<void> {
  if (own.name !== 'root') return t.skip('only root mounts such a file system');
  const scratch = makeScratch(t, as, silent.config ? {'.ion.toml': silent.config} : {});
  const {mount, through} = beside(scratch, as);
  const parts = [mount.slice(0, -3), mount.slice(-3)];
  const config = silent.config ? ['--config', path.join(scratch.work, '.ion.toml')] : [];
  const command = `a=${parts[0]}; silent=\${a}${parts[1]}; ${silent.command}`;
  const ended = await runIon(scratch, ['run', ...config, ...(silent.args ?? []), command], {
    as: identities[0]!,
    through,
  });
  assert.equal(ended.code, silent.code, ended.stderr);
  if (silent.stdout !== undefined) assert.equal(ended.stdout, silent.stdout);
}

function beside(scratch: Scratch, {uid, gid}: Identity): {mount: string; through: string[]} {
  const mount = path.join(scratch.root, 'silent');
  mkdirSync(mount);
  return {mount, through: [compiled('silent-fuse.c'), `${uid}:${gid}`, mount]};
}

for (const as of testers) {
  for (const silent of waiting) {
    test(`a file system that never answers: ${silent.name} (${as.name})`, (t) => runBeside(t, as, silent));
  }

  test(`a file system that never answers: signals go on (${as.name})`, async (t) => {
    if (own.name !== 'root') return t.skip('only root mounts such a file system');
    const scratch = makeScratch(t, as);
    const {mount, through} = beside(scratch, as);
    const command = `a=${mount.slice(0, -3)}; echo > ready; echo > \${a}${mount.slice(-3)}/x`;
    const child = startIon(scratch, ['run', '--json', command], {as: identities[0]!, through});
    const ended = collect(child);
    await until('the command', () => exists(path.join(scratch.work, 'ready')));
    const [ion] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ');
    process.kill(Number(ion), 'SIGTERM');
    assert.equal((await ended).code, 143);
  });

  test(`a crowd of processes, and a limit that is sampled (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const ended = await runCrowd(t, as, {
      config: '[sandbox.limits]\nopen_files = 500\ncpu = 600\n',
      script: `
import os, signal
for _ in range(1500):
    if os.fork() == 0: signal.pause()
for i in range(300): open(f'f{i}', 'w').close()
print(len([name for name in os.listdir('.') if name[0] == 'f']), flush=True)
os._exit(7)
`,
    });
    assert.equal(ended.stdout, '300\n');
    assert.equal(ended.code, 7, ended.stderr);
  });

  test(`300 threads that ask, and the clock (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const ended = await runCrowd(t, as, {
      args: ['--timeout', '2s'],
      script: `
import os, threading
def ask(number):
    while True:
        open(f'f{number}', 'w').close()
        os.rename(f'f{number}', f'g{number}')
for number in range(300): threading.Thread(target=ask, args=(number,)).start()
`,
    });
    assert.equal(ended.code, 124, ended.stderr);
  });

  test(`executions of 120,000 words under deny rules, the clock and other processes (${as.name})`, async (t) => {
    if (!isWhole) return t.skip('it takes 20 s');
    if (!requireProgram(t, 'python3')) return;
    const ended = await runCrowd(t, as, {
      // Eight loops and this one share the processors. The limit must only end the run after the line.
      args: ['--timeout', '20s'],
      config: '[permissions]\ndeny_commands = ["sudo *", "git push *"]\n',
      script: `
import os, subprocess, sys
words = ['/bin/true'] + ['word'] * 120000
for _ in range(8):
    if os.fork() == 0:
        while True: os.spawnv(os.P_WAIT, words[0], words)
for i in range(20): open(f'f{i}', 'w').close()
print('others go on', flush=True)
import time
time.sleep(300)
`,
    });
    assert.equal(ended.code, 124, ended.stderr);
    assert.equal(ended.stdout, 'others go on\n');
  });
}

interface Crowd {
  readonly script: string;
  readonly args?: readonly string[];
  readonly config?: string;
}

function runCrowd(t: TestContext, as: Identity, {script, args = [], config}: Crowd): Promise<Ended> {
  const scratch = makeScratch(t, as);
  writeFiles(scratch, {'crowd.py': script, ...(config ? {'limits.toml': config} : {})});
  giveTo(scratch.root, as);
  return runIon(
    scratch,
    ['run', ...(config ? ['--config', 'limits.toml'] : []), ...args, 'python3 crowd.py'],
    {as, timeoutMs: 90_000},
  );
}

function exists(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

/** The supervisor remembers current folders for some milliseconds. It must not use a remembered folder that has changed since. */
const staleFolders = `import os, time
def attempt(name):
    try: os.close(os.open(name, os.O_CREAT | os.O_WRONLY)); print('made')
    except OSError as e: print(type(e).__name__)
top = os.getcwd()
os.makedirs('src/deep'); os.mkdir('t'); os.chdir('t')
time.sleep(0.02)
attempt('x'); os.unlink('x')
os.rmdir('../t')
os.symlink(top + '/src/deep', top + '/t')
attempt('../.envrc')
os.chdir(top)
os.makedirs('a/b'); os.chdir('a/b')
time.sleep(0.02)
attempt('x')
os.rename(top + '/a/b', top + '/c')
attempt('../.envrc')
`;

for (const as of testers) {
  test(`supervisor: a current folder that is removed and replaced by a link, or renamed (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {'stale.py': staleFolders});
    const {stdout} = await runIon(scratch, ['run', 'python3 stale.py'], {as});
    assert.equal(stdout, 'made\nOSError\nmade\nPermissionError\n');
    assert.ok(!existsSync(path.join(scratch.work, '.envrc')));
  });
}
