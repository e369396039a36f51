import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {testCases} from '../harness/cases.ts';
import {identities} from '../harness/identity.ts';
import {until} from '../harness/processes.ts';
import {runIon, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** /proc is never writable. For the settings that a process may change for itself, the supervisor opens the file. */
testCases('own files in /proc', [
  {
    name: 'a name',
    args: ['run', 'echo renamed > /proc/$$/comm; read -r name < /proc/$$/comm; echo $name'],
    stdout: 'renamed\n',
  },
  {
    name: "another thread's name",
    args: [
      'run',
      `python3 -c 'import threading, time
t = threading.Thread(target=time.sleep, args=(1,)); t.start()
open(f"/proc/self/task/{t.native_id}/comm", "w").write("named"); print(open(f"/proc/self/task/{t.native_id}/comm").read(), end="")'`,
    ],
    stdout: 'named\n',
    needs: ['python3'],
  },
  {
    name: 'the oom score, of itself and of a child',
    args: [
      'run',
      'sleep 9 & echo 500 > /proc/$$/oom_score_adj; echo 600 > /proc/$!/oom_score_adj; cat /proc/$$/oom_score_adj /proc/$!/oom_score_adj; kill $!; wait',
    ],
    stdout: '500\n600\n',
  },
  {
    name: 'the content of a core dump',
    args: ['run', 'echo 0x33 > /proc/$$/coredump_filter; cat /proc/$$/coredump_filter'],
    stdout: '00000033\n',
  },
  {
    name: "not the launcher's",
    args: [
      'run',
      '--set',
      'sandbox.processes=shared',
      'echo 500 > /proc/$PPID/oom_score_adj; echo $?; cat /proc/$PPID/oom_score_adj',
    ],
    stdout: '1\n0\n',
    stderr: /could not change "\/proc\/\d+\/oom_score_adj"|Permission denied/,
  },
  {
    name: 'not those of process 1',
    args: ['run', 'cat /proc/1/comm; echo 500 > /proc/1/oom_score_adj; echo $?; cat /proc/1/oom_score_adj'],
    stdout: 'ion\n1\n0\n',
    stderr: /could not change "\/proc\/1\/oom_score_adj"|Permission denied/,
  },
  {
    name: 'not other files',
    args: ['run', 'echo 0 > /proc/$$/uid_map; echo $?; echo 1 > /proc/$$/sched; echo $?'],
    stdout: '1\n1\n',
    stderr: /denied|Read-only/,
  },
]);

for (const as of identities) {
  test(`own files in /proc: not those of a process outside, of the same user (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const other = startIon(scratch, ['run', '--no-sandbox', 'touch up; exec sleep 60'], {
      as,
      stdio: 'ignore',
    });
    scratch.companions.push(other);
    await until('the other process', () => readFileSync(`/proc/${other.pid}/comm`, 'utf8') === 'node\n');
    const write = `echo 300 > /proc/${other.pid}/oom_score_adj`;
    const {code, stderr} = await runIon(scratch, ['run', '--set', 'sandbox.processes=shared', write], {as});
    assert.equal(code, 1);
    assert.match(stderr, /could not change "\/proc\/\d+\/oom_score_adj"/);
    assert.equal(readFileSync(`/proc/${other.pid}/oom_score_adj`, 'utf8'), '0\n');
    const hidden = await runIon(scratch, ['run', write], {as});
    assert.match(hidden.stderr, /No such file or directory|could not change "\/proc/);
    assert.equal(readFileSync(`/proc/${other.pid}/oom_score_adj`, 'utf8'), '0\n');
    // The attack works without a sandbox.
    assert.equal((await runIon(scratch, ['run', '--no-sandbox', write], {as})).code, 0);
    assert.equal(readFileSync(`/proc/${other.pid}/oom_score_adj`, 'utf8'), '300\n');
  });
}
