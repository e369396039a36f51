import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {test} from 'node:test';
import {testers} from '../harness/identity.ts';
import {childrenOf, until} from '../harness/processes.ts';
import {collect, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const numbers = {SIGTERM: 15, SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGUSR2: 12} as const;
type Name = keyof typeof numbers;

interface SignalCase {
  readonly name: string;
  readonly send: Name;
  readonly script: string;
  /** The exit code, or the signal that ends ion itself. */
  readonly want: number | Name;
  readonly stdout?: string;
}

/** `touch up` reports that the traps are set. */
const cases: readonly SignalCase[] = [
  {name: 'SIGTERM ends the command', send: 'SIGTERM', script: 'touch up; sleep 300', want: 143},
  {name: 'SIGHUP ends the command', send: 'SIGHUP', script: 'touch up; sleep 300', want: 129},
  {
    name: 'SIGINT ends the command, and ion by the same signal',
    send: 'SIGINT',
    // No program before exec: bash attributes a SIGINT that arrives while it waits for a program to that program.
    script: ': > up; exec sleep 300',
    want: 'SIGINT',
  },
  {
    name: 'the command may handle SIGTERM and end as it likes',
    send: 'SIGTERM',
    script: 'trap "echo bye; exit 7" TERM; touch up; sleep 300 & wait',
    want: 7,
    stdout: 'bye\n',
  },
  {
    name: 'the command may handle SIGINT and continue',
    send: 'SIGINT',
    // No `wait`: a signal that arrives before it would leave it waiting.
    script: 'trap "echo int; got=1" INT; touch up; while [ -z "$got" ]; do sleep 0.1; done; echo on',
    want: 0,
    stdout: 'int\non\n',
  },
  {
    name: 'a command that ignores SIGTERM is killed after the grace time',
    send: 'SIGTERM',
    script: 'trap "" TERM; touch up; while :; do sleep 1; done',
    want: 143,
  },
  {
    name: 'a stopped command is ended too',
    send: 'SIGTERM',
    script: 'touch up; bash -c "kill -STOP \\$\\$"; sleep 300',
    want: 143,
  },
];

for (const as of testers) {
  for (const {name, send, script, want, stdout = ''} of cases) {
    test(`signals: ${name} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      const child = startIon(scratch, ['run', script], {as, stdio: ['ignore', 'pipe', 'pipe']});
      const ended = collect(child, 20_000);
      await until('the command', () => existsSync(`${scratch.work}/up`));
      child.kill(send);
      const {code, signal, stdout: out, stderr} = await ended;
      assert.equal(code ?? signal, want, stderr);
      assert.equal(out, stdout);
    });
  }
}

/** ion starts the launcher before it knows the command. The hook delays ion in between. */
const slow = '[[hooks]]\nevent = "PreToolUse"\nmatch = "bash"\ncommand = "sleep 1"\n';

/** Reports whether the signal is in this set of the process. SigCgt: it has a handler. ShdPnd: it is pending. */
function has(pid: number, set: 'SigCgt' | 'ShdPnd', name: Name): boolean {
  const line = new RegExp(`^${set}:\\t([0-9a-f]+)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return ((BigInt(`0x${line![1]!}`) >> BigInt(numbers[name] - 1)) & 1n) === 1n;
}

const early = [
  {send: 'SIGTERM', want: 143},
  {send: 'SIGHUP', want: 129},
  {send: 'SIGINT', want: 'SIGINT'},
] as const;

/** The receiver: only ion, or the whole process group, as from a terminal. */
const receivers = ['ion', 'both'] as const;

for (const as of testers) {
  for (const {send, want, to} of early.flatMap((one) => receivers.map((to) => ({...one, to})))) {
    test(`signals: ${send} to ${to} before the launcher has read its command (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as, {'/slow.toml': slow});
      const args = ['run', '--config', `${scratch.root}/slow.toml`, 'exec sleep 10'];
      const child = startIon(scratch, args, {as, stdio: ['ignore', 'pipe', 'pipe']});
      const ended = collect(child, 30_000);
      const launcher = await until('the launcher', () =>
        childrenOf(child.pid!).find(({command}) => command.includes('--wait')),
      );
      process.kill(launcher.pid, 'SIGSTOP');
      // Node itself installs handlers for SIGTERM and SIGINT at its start.
      await until('ion, to have handed over', () => has(child.pid!, 'SigCgt', 'SIGUSR2'));
      if (to === 'both') process.kill(launcher.pid, send);
      child.kill(send);
      await until('the signal', () => has(launcher.pid, 'ShdPnd', send));
      process.kill(launcher.pid, 'SIGCONT');
      const {code, signal, stderr} = await ended;
      assert.equal(code ?? signal, want, stderr);
    });
  }
}
