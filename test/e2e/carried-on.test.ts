import assert from 'node:assert/strict';
import {test} from 'node:test';
import {plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const as = plain;

/**
 * When standard output is a pipe, the run writes into another pipe, and the launcher copies from that one. Nothing may
 * notice the difference.
 */
const cases: readonly {name: string; script: string; stdout: string}[] = [
  {
    name: 'a reader that reads only after the run gets many small writes',
    script: `python3 -c 'import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE); p.wait(); print(len(p.stdout.read()))' "$@" run 'for i in $(seq 1000); do echo x; done'`,
    stdout: '2000\n',
  },
  {
    name: 'lines of concurrent runs that write to one pipe stay whole',
    script:
      '{ for i in 1 2 3 4; do "$@" run "for i in \\$(seq 300); do printf %0100d\\\\\\\\n 0; done" & done; wait; } | grep -cvE "^0{100}$"',
    stdout: '0\n',
  },
  {
    name: 'both streams in one pipe stay in order',
    script: '{ echo a; "$@" run "echo b; echo c >&2; echo d"; echo e; } 2>&1 | cat',
    stdout: 'a\nb\nc\nd\ne\n',
  },
  {
    name: 'a reader that has ended also ends a command that writes nothing',
    script: '"$@" run "tail -f /dev/null" | true; echo ended',
    stdout: 'ended\n',
  },
  {
    name: 'a reader that reads nothing does not delay a time limit',
    script:
      '{ "$@" run --timeout 200ms yes 2>/dev/null; echo $? > ../rc; } | { until [ -s ../rc ]; do sleep 0.1; done; cat ../rc; }',
    stdout: '124\n',
  },
  {
    name: 'output from before a time limit arrives',
    script: '{ "$@" run --timeout 300ms "echo a; sleep 9" 2>/dev/null; echo $?; } | cat',
    stdout: 'a\n124\n',
  },
];

for (const {name, script, stdout} of cases) {
  test(`carried on: ${name}`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as);
    const ended = await runIon(scratch, [], {as, through: ['bash', '-c', script, 'bash']});
    assert.equal(ended.stdout, stdout, ended.stderr);
  });
}
