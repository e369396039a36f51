import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {orphansLimitMs} from '../../src/sandbox/linux/orphans.ts';
import {monotonicMs} from '../../src/system/clock.ts';
import {howMany} from '../harness/extent.ts';
import {plain, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {launcherFile} from '../harness/package.ts';
import {childrenOf, endThoseThatName, killTogether, processes, until} from '../harness/processes.ts';
import {collect, runIon, startIon} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles} from '../harness/scratch.ts';

/** A word in the environment of every process of one run, and of no other process. */
const ownWord = (): string => `w${randomBytes(8).toString('hex')}`;

/** Ways in which a process leaves its parent, its group, its session or its descriptors. `$S` is a sleep with the word. */
const leftovers: readonly {name: string; script: string; reported?: string}[] = [
  {name: 'in the background', script: '$S & exit 3', reported: 'one process'},
  {name: 'setsid and disown', script: 'setsid $S & disown; exit 3'},
  {name: 'nohup', script: 'nohup $S >/dev/null 2>&1 & exit 3'},
  {name: 'a double fork', script: '( ( $S & ) & ); exit 3'},
  {
    name: 'a double fork with setsid and other descriptors',
    script: '(setsid bash -c "$S & :" <&- >&- 2>&- &); exit 3',
  },
  {name: 'a process that ignores signals', script: 'bash -c "trap : TERM HUP INT; $S; $S" & exit 3'},
  {name: 'a stopped process', script: '$S & kill -STOP $!; exit 3'},
  {
    name: 'a hundred processes',
    script: 'for i in {1..100}; do setsid $S & done; exit 3',
    reported: '100 processes',
  },
  {name: 'a daemon in the foreground', script: 'setsid -f $S; exit 3', reported: ''},
];

/** Connects to its own socket with a full queue as often as the launcher allows. Each connection waits. */
const crowd = `
import os, socket, time
server = socket.socket(socket.AF_UNIX); server.bind('crowd'); server.listen(0)
answers, said = os.pipe()
for _ in range(300):
    if os.fork() == 0:
        try: socket.socket(socket.AF_UNIX).connect('crowd')
        except BlockingIOError: os.write(said, b'x')
        time.sleep(300)
os.read(answers, 1)
print('refused', flush=True)
`;

for (const as of testers) {
  for (const {name, script, reported} of leftovers) {
    test(`nothing outlives the run: ${name} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      const word = ownWord();
      // The sleeps last longer than runIon waits: it fails if ion waits for one of them.
      const ended = await runIon(scratch, ['run', `S="sleep 300"; ${script}`], {
        as,
        env: {WORD: word},
      });
      assert.equal(ended.code, 3, ended.stderr);
      assert.deepEqual(withEnvironment(word), []);
      const line = /^ion: killed (.*) that the command left in the background$/m.exec(ended.stderr);
      if (reported !== undefined) assert.equal(line?.[1] ?? '', reported);
    });
  }

  test(`connections that are never accepted do not prevent the launcher from ending the tree (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as);
    const word = ownWord();
    writeFiles(scratch, {'crowd.py': crowd});
    giveTo(scratch.root, as);
    const ended = await runIon(scratch, ['run', '--json', 'setsid sleep 300 & python3 crowd.py; exit 3'], {
      as,
      env: {WORD: word},
      through: ['bash', '-c', 'ulimit -n 256; exec "$0" "$@"'],
    });
    assert.equal(ended.code, 3, ended.stderr);
    assert.doesNotMatch(ended.stderr, /still there/);
    assert.equal(ended.stdout, 'refused\n');
    assert.deepEqual(withEnvironment(word), []);
  });

  test(`kill 0 under a Landlock without signal scope leaves nothing behind (${as.name})`, async (t) => {
    if (!requireProgram(t, 'cc')) return;
    const scratch = makeScratch(t, as, {'/old.toml': '[environment]\nexclude = ["LD_PRELOAD"]\n'});
    const word = ownWord();
    const command = 'setsid sleep 300 & sleep 0.1; kill -KILL 0';
    const ended = await runIon(scratch, ['run', '--config', `${scratch.root}/old.toml`, command], {
      as,
      env: {WORD: word, LD_PRELOAD: compiled('older-landlock.c'), ION_TEST_ABI: '5'},
      through: ['setsid', '--wait'], // the whole process group is killed
    });
    assert.equal(ended.code, 137, ended.stderr);
    assert.deepEqual(withEnvironment(word), []);
  });

  test(`stdout that a background process keeps open does not delay ion (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const ended = await runIon(scratch, ['run', 'sleep 300 & echo done'], {as, timeoutMs: 5000});
    assert.deepEqual([ended.code, ended.stdout], [0, 'done\n']);
  });

  for (const victim of ['ion', 'launcher'] as const) {
    test(`kill -9 of ${victim}: the tree dies too (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      const word = ownWord();
      const script = `setsid sleep 300 & (trap : TERM HUP; sleep 300; sleep 300) & touch up; sleep 300`;
      const child = startIon(scratch, ['run', script], {
        as,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {WORD: word},
      });
      const ended = collect(child);
      await until('the sleeps', () => withEnvironment(word).filter(isSleep).length === 3);
      const launcher = await until('the launcher', () =>
        childrenOf(child.pid!).find(
          ({command}) => command[0] === 'ion-launcher' || command[0] === launcherFile,
        ),
      );
      const killedAt = monotonicMs();
      process.kill(victim === 'ion' ? child.pid! : launcher.pid, 'SIGKILL');
      const {code, signal, stderr} = await ended;
      if (victim === 'launcher') {
        assert.equal(code, 125);
        assert.match(stderr, /^ion: the launcher ended without a report/);
        // ion saw the end of every orphan. It did not give up at its own limit.
        assert.ok(monotonicMs() - killedAt < orphansLimitMs, 'all orphans were reaped');
      } else {
        assert.equal(signal, 'SIGKILL');
      }
      await until('the end of the tree', () => withEnvironment(word).length === 0);
    });
  }

  test(`kill -9 of ion and launcher at once: the tree dies too (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const word = ownWord();
    const script = 'setsid sleep 300 & (trap : TERM HUP; sleep 300; sleep 300) & sleep 300';
    const child = startIon(scratch, ['run', script], {as, env: {WORD: word}});
    const ended = collect(child);
    await until('the sleeps', () => withEnvironment(word).filter(isSleep).length === 3);
    killTogether(child.pid!, await until('the launcher', () => childrenOf(child.pid!)[0]?.pid));
    await ended;
    await until('the end of the tree', () => withEnvironment(word).length === 0);
  });

  test(`kill -9 of ion and launcher at once, without a PID namespace: surviving processes stay confined, and can start nothing (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'~/secret': 'secret'});
    t.after(() => endThoseThatName(scratch.root));
    const orphan =
      ': > up; until test -e go; do sleep 0.05; done; echo x > inside; echo x > ../outside; cat ../secret; : <> /dev/tcp/127.0.0.1/1; cat go';
    const script = `bash -c '${orphan}' 2>&1 & exec sleep 300`;
    const child = startIon(scratch, ['run', '--set', 'sandbox.processes=shared', script], {as});
    const ended = collect(child);
    await until('what lives on', () => existsSync(`${scratch.work}/up`));
    const launcher = await until('the launcher', () => childrenOf(child.pid!)[0]?.pid);
    const command = await until('the command', () => childrenOf(launcher)[0]?.pid);
    killTogether(child.pid!, launcher);
    // PR_SET_PDEATHSIG kills the command. Its children do not have this setting.
    await until('the end of the command', () => !processes().some(({pid}) => pid === command));
    writeFileSync(`${scratch.work}/go`, 'reads\n');
    const {stdout} = await ended;
    const lines = stdout.split('\n').slice(0, -1);
    assert.deepEqual(
      lines.map((line) => line.replace(/^bash: (line \d+: )?/, '')),
      [
        'inside: Function not implemented',
        '../outside: Function not implemented',
        'cat: ../secret: Permission denied',
        'connect: Function not implemented',
        '/dev/tcp/127.0.0.1/1: Function not implemented',
        'reads',
      ],
    );
    assert.ok(!existsSync(`${scratch.work}/inside`) && !existsSync(`${scratch.home}/outside`));
  });

  test(`a fork bomb ends at its limit and leaves the machine usable (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {
      'limits.toml': '[sandbox.limits]\nprocesses = 60\ntimeout = "20s"\n',
    });
    const word = ownWord();
    // In a script file: a guardrail knows the usual spelling of a fork bomb.
    const script = 'cat > b.sh <<< "bash b.sh & bash b.sh & wait"; bash b.sh';
    const ended = await runIon(scratch, ['run', '--config', 'limits.toml', script], {as, env: {WORD: word}});
    assert.equal(ended.code, 137, ended.stderr);
    assert.match(ended.stderr, /ion: stopped: the run exceeded its limit of processes/);
    assert.deepEqual(withEnvironment(word), []);
  });

  test(`a memory limit ends the tree (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'limits.toml': '[sandbox.limits]\nmemory = "200M"\n'});
    const script = 'x=$(head -c 400M /dev/zero | tr "\\0" a); sleep 5; echo survived';
    const ended = await runIon(scratch, ['run', '--config', 'limits.toml', script], {as});
    assert.deepEqual([ended.code, ended.stdout], [137, ''], ended.stderr);
    assert.match(ended.stderr, /limit of memory/);
  });

  test(`another job of the same session cannot be joined, but own groups can (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3', 'setsid')) return;
    const scratch = makeScratch(t, as, {
      'join.py': `import os
for pid, group in (0, int(os.environ['JOB'])), (0, 0), (os.getpid(), os.getpid()):
  try: os.setpgid(pid, group); print('joined')
  except OSError as e: print(type(e).__name__)
child = os.fork()
if child == 0: os.setpgid(0, os.getppid()); os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`,
    });
    const script = 'set -m; sleep 20 & export JOB=$!; "$0" "$@"; code=$?; kill $JOB; exit $code';
    const through = ['setsid', '--wait', 'bash', '-c', script];
    const run = (...flags: string[]) =>
      runIon(scratch, ['run', ...flags, 'python3 join.py; set -m; true | sh -c true | true; echo $?'], {
        as,
        through,
      });
    assert.equal((await run('--no-sandbox')).stdout, 'joined\njoined\njoined\n7\n0\n');
    // In a PID namespace the job has no number.
    assert.equal((await run()).stdout, 'PermissionError\njoined\njoined\n7\n0\n');
    const {stdout, stderr} = await run('--set', 'sandbox.processes=shared');
    assert.equal(stdout, 'PermissionError\njoined\njoined\n7\n0\n');
    assert.match(
      stderr,
      /could not signal "process group \d+" \(setpgid: it belongs to a process outside the run\)/,
    );
  });

  test(`the group that ion was started in gets no SIGHUP (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3', 'setsid')) return;
    const scratch = makeScratch(t, as, {
      'orphan.py': `import ctypes, os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
def try_to(group):
  try: os.setpgid(0, group)
  except OSError as e: print(type(e).__name__, flush=True)
stopped = os.fork()
if stopped == 0: os.kill(os.getpid(), signal.SIGSTOP)
os.waitpid(stopped, os.WUNTRACED)
ends, other = os.pipe(), os.fork()
if other == 0 and sys.argv[1] == 'inherits':
  ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
  apart, between = os.pipe(), os.fork()
  if between == 0:
    if os.fork() == 0:
      os.close(ends[1])
      os.close(apart[1])
      os.read(ends[0], 1)
      os._exit(0)
    os.setsid()
    os.close(apart[1])
    os.read(ends[0], 1)
    os._exit(0)
  os.close(apart[1])
  os.read(apart[0], 1)
  try_to(0)
  os.kill(between, signal.SIGKILL)
  os.waitpid(between, 0)
  os.close(ends[1])
  os.wait()
  os._exit(0)
if other == 0:
  if sys.argv[1] == 'comes': try_to(0)
  child = os.fork()
  if child == 0:
    os.close(ends[1])
    if sys.argv[1] == 'comes': try_to(os.getsid(0))
    os.read(ends[0], 1)
    os._exit(0)
  if sys.argv[1] == 'goes': try_to(0)
  os.close(ends[1])
  os.waitpid(child, 0)
  os._exit(0)
os.close(ends[1])
os.waitpid(other, 0)
os.kill(stopped, signal.SIGKILL)
`,
    });
    const through = (script: string) => ['setsid', '--wait', 'bash', '-c', script];
    // `other` becomes the parent of a process of the group when the process between them, in a session of its own, ends.
    const counts = 'hangups=0; trap "((hangups++))" HUP; "$0" "$@"; echo $hangups';
    // Here the shell with job control that started ion keeps the group from being orphaned.
    const held = 'set -m; "$0" "$@"; echo $?';
    for (const way of ['goes', 'comes', 'inherits']) {
      const run = (by: string, ...flags: string[]) =>
        runIon(scratch, ['run', ...flags, `exec python3 orphan.py ${way}`], {as, through: through(by)});
      assert.equal((await run(counts, '--no-sandbox')).stdout, '1\n', way);
      // In a PID namespace getsid() of that process is 0. No number means a group outside, so the process cannot try to enter
      // one.
      const own = await run(counts);
      assert.equal(own.stdout, way === 'comes' ? '0\n' : 'PermissionError\n0\n', way);
      const {stdout, stderr} = await run(counts, '--set', 'sandbox.processes=shared');
      assert.equal(stdout, 'PermissionError\n0\n', way);
      assert.match(
        stderr,
        /could not signal "process group \d+" \(setpgid: it belongs to a process outside the run\)/,
      );
      if (way === 'goes') assert.equal((await run(held)).stdout, '0\n');
    }
    // The shell moves to a group of its own, and back to its parent's.
    const shell = await runIon(scratch, ['run', 'bash --norc -ic "sleep 0.01 & wait" 2>&1; echo $?'], {
      as,
      through: through(counts),
    });
    assert.match(shell.stdout, /\n0\n0\n$/);
    assert.equal(shell.stderr, '');
  });

  test(`descriptors: only 0, 1 and 2 are inherited (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const script = 'exec 7</dev/null 9>/dev/null; exec "$0" "$@"';
    const ended = await runIon(scratch, ['run', 'ls /proc/self/fd'], {as, through: ['bash', '-c', script]});
    // ls itself opens the folder as descriptor 3.
    assert.equal(ended.stdout, '0\n1\n2\n3\n');
  });

  test(`limits of open files, and handlers of ion's own signals, are as outside (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const script = 'ulimit -Sn 777; "$0" "$@"; exit $?';
    const ended = await runIon(
      scratch,
      ['run', 'ulimit -Sn; grep -E "^Sig(Blk|Ign)" /proc/self/status; umask'],
      {as, through: ['bash', '-c', script]},
    );
    assert.match(ended.stdout, /^777\nSigBlk:\t0{16}\nSigIgn:\t0{16}\n0022\n$/);
  });
}

const isSleep = ({command}: {command: readonly string[]}): boolean => command[0] === 'sleep';

/**
 * The processes whose environment contains the word. The environment stays with a process wherever it moves. Only root and
 * the owner may read it.
 */
function withEnvironment(word: string): {pid: number; command: readonly string[]}[] {
  return processes().filter(({pid}) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`WORD=${word}`);
    } catch {
      return false;
    }
  });
}

const parallel = howMany({quick: 25, whole: 100, full: 100});
test(`${parallel} parallel runs in one directory`, async (t) => {
  const scratch = makeScratch(t, plain);
  const runs = Array.from({length: parallel}, () =>
    runIon(scratch, ['run', 'echo ok'], {as: plain, timeoutMs: 60_000}),
  );
  for (const ended of await Promise.all(runs)) {
    assert.deepEqual(ended, {code: 0, signal: null, stdout: 'ok\n', stderr: ''});
  }
});
