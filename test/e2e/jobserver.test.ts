import assert from 'node:assert/strict';
import {openSync} from 'node:fs';
import {test} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {identities, plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runProgram} from '../harness/run.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';

for (const as of identities) {
  test(`make -j with ion-sh as its shell: sub-makes share the jobserver (${as.name})`, async (t) => {
    if (!requireProgram(t, 'make')) return;
    const scratch = makeScratch(t, as, {
      Makefile: 'all: a b\na b:\n\t@$(MAKE) --no-print-directory -f sub.mk\n',
      'sub.mk': 'all: x y\nx y:\n\t@echo $(filter -j% --jobserver%,$(MAKEFLAGS))\n',
    });
    const shell = `${shellElsewhere(scratch)}/ion-sh`;
    giveTo(scratch.root, as);
    const {code, stdout, stderr} = await runProgram(scratch, ['make', '-j2', `SHELL=${shell}`], {as});
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^(?:.*--jobserver-(?:auth|fds)=.*\n){4}$/);
    assert.doesNotMatch(stderr, /jobserver/);
  });
}

/** Descriptors 5 and 6 of ion-sh. MAKEFLAGS is only text, and a project can set it. */
const others = {
  'a file outside': (root: string) => [openSync(`${root}/secret`, 'r'), openSync(`${root}/secret`, 'r+')],
  'no descriptor at all': () => ['ignore', 'ignore'] as const,
};

for (const [name, open] of Object.entries(others)) {
  test(`MAKEFLAGS names ${name}: the command does not get it`, async (t) => {
    const scratch = makeScratch(t, plain, {'/secret': 'secret'});
    const shell = `${shellElsewhere(scratch)}/ion-sh`;
    giveTo(scratch.root, plain);
    const {stdout, stderr} = await runProgram(scratch, [shell, '-c', 'ls /proc/$$/fd; cat <&5'], {
      as: plain,
      env: {MAKEFLAGS: ' -j --jobserver-auth=5,6'},
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', ...open(scratch.root)],
    });
    assert.doesNotMatch(stdout, /secret|^[3-9]$/m, stderr);
    assert.match(stderr, /5: Bad file descriptor/);
  });
}
