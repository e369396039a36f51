import assert from 'node:assert/strict';
import {copyFileSync} from 'node:fs';
import {test} from 'node:test';
import {howMany} from '../harness/extent.ts';
import {own, testers, type Identity} from '../harness/identity.ts';
import {kernelRelease, requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {ionFile} from '../harness/package.ts';
import {runProgram} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/**
 * Process 1 of a PID namespace with few numbers. When a run has begun, it takes all numbers but some for itself. Then a number soon
 * means another process: one of the run, or one of the short-lived processes beside it, which report a signal. What a run leaves
 * becomes a child of this process.
 */
const driver = `import json, os, signal, sys, time
free = 12
children = lambda pid: open(f'/proc/{pid}/task/{pid}/children').read().split()
def launcher_of(ion):
  try: return next((int(pid) for pid in children(ion) if open(f'/proc/{pid}/comm').read() == 'ion-launcher\\n'), None)
  except OSError: return None
def has_begun(ion):
  try: return len(children(launcher_of(ion))) > 0
  except OSError: return False
def start(argv, output):
  pid = os.fork()
  if pid > 0: return pid
  os.setpgid(0, 0)
  null = os.open('/dev/null', os.O_RDWR)
  for fd in range(3): os.dup2(output if fd == 1 else null, fd)
  os.execv(argv[0], argv)
def take_numbers():
  taken = []
  while True:
    try: pid = os.fork()
    except BlockingIOError: return give_back(taken, free)
    if pid == 0:
      signal.pause()
      os._exit(0)
    taken.append(pid)
def give_back(taken, count):
  for pid in taken[:count]: os.kill(pid, signal.SIGKILL)
  for pid in taken[:count]: os.waitpid(pid, 0)
  return taken[count:]
def follow(ion, victim):
  began = launched = time.monotonic()
  taken = None
  while os.waitpid(ion, os.WNOHANG)[0] == 0:
    now = time.monotonic()
    if taken is None and has_begun(ion):
      time.sleep(0.2)
      taken, began = take_numbers(), now
    elif taken is not None and victim and now > began + 0.5:
      os.kill(ion if victim == 'ion' else launcher_of(ion) or ion, signal.SIGKILL)
      victim = None
    if now > launched + 60: return 'it did not end'
    time.sleep(0.005)
  if taken is None: return 'it did not begin'
  time.sleep(0.1)
  give_back(taken, len(taken))
def reported(group, reader):
  os.killpg(group, signal.SIGSTOP)
  os.set_blocking(reader, False)
  try: hits = os.read(reader, 65536).decode().split()
  except BlockingIOError: hits = []
  os.killpg(group, signal.SIGKILL)
  return hits
def is_alone():
  until = time.monotonic() + 10
  while time.monotonic() < until:
    try:
      if os.waitpid(-1, os.WNOHANG)[0] == 0: time.sleep(0.01)
    except ChildProcessError: return True
  return False
problems = []
for name, victim, argv in json.loads(sys.argv[1]):
  reader, writer = os.pipe()
  beside = start([sys.argv[2], '10', '1500'], writer)
  ion = start(argv, os.open('/dev/null', os.O_WRONLY))
  problem = follow(ion, victim)
  hits = reported(beside, reader)
  if hits: problem = f'processes outside got the signals {hits}'
  if problem: problems.append([name, problem])
  if not is_alone():
    problems.append([name, 'processes were left'])
    break
  os.close(reader); os.close(writer)
print(json.dumps(problems))
`;

/** Forks as fast as it can, in sessions of its own. */
const storm = 'for i in 1 2 3; do setsid ./short-lived 4 500 >/dev/null & done';
/** Landlock (ABI 6), or the PID namespace, lets none of these signals out. */
const attack = 'for i in {1..1000}; do kill -KILL {300..399}; done 2>/dev/null';
const rows: readonly (readonly [name: string, flags: readonly string[], command: string, victim?: string])[] =
  [
    ['a time limit', ['--timeout', '1s'], `${storm}; wait`],
    ['what the command leaves behind', [], `${storm}; sleep 1`],
    ['a limit of processor time', ['--set', 'sandbox.limits.cpu=1'], `${storm}; while :; do :; done`],
    ['ion is killed', [], `${storm}; wait`, 'ion'],
    ['the launcher is killed', [], `${storm}; wait`, 'launcher'],
    ['signals to all numbers', ['--timeout', '2s'], attack],
  ];
const rounds = howMany({quick: 1, whole: 4, full: 10});
/** The kernel reserves the first 300, and Node needs some. */
const numbers = 400;

for (const as of testers) {
  for (const processes of ['own', 'shared']) {
    test(`no process outside is hit where numbers are soon used again: processes = "${processes}" (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc', 'python3', 'unshare', 'setpriv')) return;
      // Before, the number of a namespace was that of the whole machine.
      if (!isSince(6, 14))
        return t.skip(`kernel.pid_max of a namespace: Linux 6.14, and this is ${kernelRelease()}`);
      const scratch = makeScratch(t, as, {'/driver.py': driver});
      copyFileSync(compiled('short-lived.c'), `${scratch.work}/short-lived`);
      const run = [process.execPath, ionFile, 'run', '--set', `sandbox.processes=${processes}`];
      const runs = Array.from({length: rounds}, () => rows)
        .flat()
        .map(([name, flags, command, victim]) => [name, victim ?? null, [...run, ...flags, command]]);
      const argv = ['python3', `${scratch.root}/driver.py`, JSON.stringify(runs), compiled('short-lived.c')];
      const {stdout, stderr, code} = await runProgram(scratch, inFewNumbers(as, argv), {
        timeoutMs: 300_000,
      });
      assert.deepEqual([stdout, code], ['[]\n', 0], stderr);
    });
  }
}

function inFewNumbers(as: Identity, argv: readonly string[]): string[] {
  const apart = ['--pid', '--fork', '--kill-child', '--mount-proc', ...(own.name === 'root' ? [] : ['-Ur'])];
  const become =
    as.name === own.name ? [] : ['setpriv', `--reuid=${as.uid}`, `--regid=${as.gid}`, '--clear-groups'];
  const script = `echo ${numbers} > /proc/sys/kernel/pid_max && exec "$0" "$@"`;
  return ['unshare', ...apart, 'bash', '-c', script, ...become, ...argv];
}

function isSince(major: number, minor: number): boolean {
  const [has = 0, hasMinor = 0] = kernelRelease().split('.').map(Number);
  return has > major || (has === major && hasMinor >= minor);
}
