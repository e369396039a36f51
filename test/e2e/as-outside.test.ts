import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {spawnAs, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {until} from '../harness/processes.ts';
import {environmentOf, runIon, startProgram, type Ended} from '../harness/run.ts';

import {makeScratch, type Scratch} from '../harness/scratch.ts';

/** Calls whose answer depends on the user's and the process's number. Each prints its name, and `ok` or the error. */
const script = `import ctypes, os, resource, signal, sys
def attempt(name, call):
  try: call(); print(name, 'ok')
  except OSError as error: print(name, os.strerror(error.errno))
new = lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (99, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))
open('file', 'w').close()
child = os.fork()
if child == 0: signal.pause()
attempt('own limits', lambda: new(os.getpid()))
attempt('limits of a child', lambda: new(child))
attempt('a signal to all', lambda: os.kill(-1, 0))
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
attempt('a signal to all, without another process', lambda: os.kill(-1, 0))
if os.getuid() == 0: sys.exit()
for name, call in (('setuid', os.setuid), ('setgid', os.setgid)):
  attempt(name, lambda: call(1))
  attempt(name + ' to the own one', lambda: call(os.getuid() if name == 'setuid' else os.getgid()))
  attempt(name + ' to none', lambda: call(-1))
for name, call in (('setreuid', os.setreuid), ('setregid', os.setregid)):
  for where in range(2): attempt(f'{name} {where}', lambda: call(*(1 if at == where else -1 for at in range(2))))
for name, call in (('setresuid', os.setresuid), ('setresgid', os.setresgid)):
  for where in range(3): attempt(f'{name} {where}', lambda: call(*(1 if at == where else -1 for at in range(3))))
attempt('setresuid to the own one', lambda: os.setresuid(*[os.getuid()] * 3))
attempt('setgroups', lambda: os.setgroups([1]))
attempt('chown', lambda: os.chown('file', 1, -1))
`;

interface Way {
  readonly name: string;
  readonly flags?: readonly string[];
  readonly through?: () => readonly string[];
  readonly env?: () => Readonly<Record<string, string>>;
  /** What is not as outside (docs/limits.md). */
  readonly other: Readonly<Record<string, string>>;
}

const without = (): string[] => [compiled('deny-syscalls.c'), ...noNamespaces, '--'];
const childsLimits = {'limits of a child': 'Operation not permitted'};
/** Only the run's user has a number in its user namespace. */
const oneUser = {chown: 'Invalid argument'};
const ways: readonly Way[] = [
  {
    name: 'a PID namespace',
    other: {...oneUser, 'a signal to all, without another process': 'No such process'},
  },
  {
    name: 'processes = "shared"',
    flags: ['--set', 'sandbox.processes=shared'],
    other: {...oneUser, ...childsLimits},
  },
  {name: 'no namespaces', through: without, other: childsLimits},
  {
    name: 'no namespaces and no scope of Landlock for signals',
    through: without,
    env: () => ({LD_PRELOAD: compiled('older-landlock.c'), ION_TEST_ABI: '5'}),
    other: {...childsLimits, 'a signal to all, without another process': 'No such process'},
  },
];

for (const as of testers) {
  for (const way of ways) {
    test(`limits, signals to all and other users are as outside: ${way.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'python3', 'cc')) return;
      const scratch = makeScratch(t, as, {
        'calls.py': script,
        '/own.toml': '[environment]\nexclude = ["LD_PRELOAD"]\n',
      });
      const outside = answers(outsideOf(scratch, as));
      assert.ok(outside.size > 3);
      const {stdout, stderr, code} = await inside(scratch, as, way, 'python3 calls.py');
      assert.equal(code, 0, stderr);
      const wanted = [...outside].map(([name, answer]) => [name, way.other[name] ?? answer]);
      assert.deepEqual([...answers(stdout)], wanted);
    });
  }
}

/** Says when it gets the signal, which most programs ignore. */
const listener = 'trap "echo got it" WINCH; echo ready; while :; do sleep 0.02; done';
const all = `bash -c '${listener}' > own & until grep -q ready own; do sleep 0.02; done
python3 -c 'import os, signal; os.kill(-1, signal.SIGWINCH)'
for i in {1..500}; do grep -q got own && break; sleep 0.02; done; kill $!; cat own`;

for (const as of testers) {
  for (const way of ways) {
    test(`a signal to all reaches the run alone: ${way.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'python3', 'cc')) return;
      const scratch = makeScratch(t, as, {'/own.toml': '[environment]\nexclude = ["LD_PRELOAD"]\n'});
      const outside = startProgram(scratch, ['bash', '-c', listener], {
        as,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      scratch.companions.push(outside);
      let said = '';
      outside.stdout!.on('data', (text) => (said += text));
      await until('the process outside', () => said === 'ready\n');
      const ended = await inside(scratch, as, way, all);
      assert.deepEqual([ended.stdout, ended.code], ['ready\ngot it\n', 0], ended.stderr);
      assert.equal(said, 'ready\n');
      outside.kill('SIGWINCH');
      await until('the signal to it', () => said === 'ready\ngot it\n');
    });
  }
}

function inside(scratch: Scratch, as: Identity, way: Way, command: string): Promise<Ended> {
  const args = ['run', '--config', `${scratch.root}/own.toml`, ...(way.flags ?? []), command];
  return runIon(scratch, args, {as, through: way.through?.() ?? [], env: way.env?.() ?? {}});
}

function outsideOf(scratch: Scratch, as: Identity): string {
  const {stdout, status, stderr} = spawnSync('python3', ['calls.py'], {
    cwd: scratch.work,
    env: environmentOf(scratch),
    encoding: 'utf8',
    ...spawnAs(as),
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

function answers(text: string): Map<string, string> {
  const line = /^(.*?) (ok|[A-Z].*)$/gm;
  return new Map([...text.matchAll(line)].map(([, name = '', answer = '']) => [name, answer]));
}
