import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import os from 'node:os';
import {test, type TestContext} from 'node:test';
import {gitEnvironment, makeRepository} from '../harness/git.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {until} from '../harness/processes.ts';
import {runIon, startProgram} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

interface Lock {
  readonly name: string;
  /** Starts a process outside that holds the lock and says `held`. `$$` is its number. */
  readonly holder: string;
  /** Tries to take the lock. */
  readonly command: string;
  readonly file: string;
  /** With the processes of the machine, and in a PID namespace. */
  readonly says: Readonly<Record<'shared' | 'own', RegExp>>;
}

const both = (says: RegExp): Lock['says'] => ({shared: says, own: says});
/** As dpkg, apt and npm's own lock: the kernel knows the holder, whatever its number inside. */
const takeRecord = `import fcntl
try: fcntl.lockf(open('record', 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB); print('taken')
except BlockingIOError: print('held')`;
const locks: readonly Lock[] = [
  {
    name: "git's index.lock",
    holder: 'echo $$ > .git/index.lock; echo held; exec sleep 300',
    command: 'echo x > new; git add new',
    file: '.git/index.lock',
    says: both(/index\.lock': File exists/),
  },
  {
    name: 'a record lock, as of dpkg and apt',
    holder:
      "exec python3 -c \"import fcntl, time; f = open('record', 'w'); fcntl.lockf(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(300)\"",
    command: `python3 -c "${takeRecord}"`,
    file: 'record',
    says: both(/^held$/m),
  },
  {
    name: 'flock',
    holder: 'exec flock --no-fork whole sh -c "echo held; exec sleep 300"',
    command: 'flock --nonblock whole echo taken || echo held',
    file: 'whole',
    says: both(/^held$/m),
  },
  {
    name: 'a folder, as of npm',
    holder: 'mkdir folder.lock; echo held; exec sleep 300',
    command: 'mkdir folder.lock && echo taken',
    file: 'folder.lock',
    says: both(/folder\.lock.*: File exists/),
  },
  {
    // The only kind for which the number counts (docs/limits.md).
    name: "a number in a file, as git's gc.pid",
    holder: `echo $$ ${os.hostname()} > .git/gc.pid; echo held; exec sleep 300`,
    command: 'git gc && echo taken',
    file: '.git/gc.pid',
    says: {shared: /gc is already running/, own: /^taken$/m},
  },
];

for (const as of testers) {
  for (const lock of locks) {
    test(`a lock of a process outside: ${lock.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'git', 'flock', 'python3')) return;
      for (const processes of ['shared', 'own'] as const) {
        const scratch = makeScratch(t, as);
        makeRepository(scratch, as);
        await hold(t, scratch, as, lock.holder);
        const before = readLock(scratch, lock);
        const {stdout, stderr} = await runIon(
          scratch,
          ['run', '--set', `sandbox.processes=${processes}`, lock.command],
          {as, env: gitEnvironment},
        );
        assert.match(stdout + stderr, lock.says[processes], processes);
        // ion itself takes no lock for a dead process's.
        if (lock.says.own === lock.says.shared) assert.equal(readLock(scratch, lock), before, processes);
      }
    });
  }
}

async function hold(t: TestContext, scratch: Scratch, as: Identity, script: string): Promise<void> {
  const holder = startProgram(scratch, ['bash', '-c', script], {as, stdio: ['ignore', 'pipe', 'inherit']});
  scratch.companions.push(holder);
  let said = '';
  holder.stdout!.on('data', (text) => (said += text));
  await until('the lock', () => said === 'held\n');
}

function readLock({work}: Scratch, {file}: Lock): string {
  const place = `${work}/${file}`;
  if (!existsSync(place)) return 'gone';
  return file.endsWith('folder.lock') ? 'a folder' : readFileSync(place, 'utf8');
}
