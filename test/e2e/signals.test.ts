import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {test} from 'node:test';
import {identities} from '../harness/identity.ts';
import {until} from '../harness/processes.ts';
import {collect, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const numbers = {SIGTERM: 15, SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGUSR2: 12} as const;
type Name = keyof typeof numbers;

interface SignalCase {
  readonly name: string;
  readonly send: Name;
  readonly script: string;
  /** Exit code, or the signal that ion itself ends by. */
  readonly want: number | Name;
  readonly stdout?: string;
}

/** `touch up` says that the traps are set. */
const cases: readonly SignalCase[] = [
  {name: 'SIGTERM ends the command', send: 'SIGTERM', script: 'touch up; sleep 300', want: 143},
  {name: 'SIGHUP ends the command', send: 'SIGHUP', script: 'touch up; sleep 300', want: 129},
  {
    name: 'SIGINT ends the command, and ion the same way',
    send: 'SIGINT',
    script: 'touch up; exec sleep 300',
    want: 'SIGINT',
  },
  {
    name: 'the command may answer SIGTERM and end as it likes',
    send: 'SIGTERM',
    script: 'trap "echo bye; exit 7" TERM; touch up; sleep 300 & wait',
    want: 7,
    stdout: 'bye\n',
  },
  {
    name: 'the command may take SIGINT and go on',
    send: 'SIGINT',
    // No `wait`: a signal that comes before it would leave it waiting.
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

for (const as of identities) {
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
