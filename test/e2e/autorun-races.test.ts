import assert from 'node:assert/strict';
import {test} from 'node:test';
import {inFolding} from '../harness/folding.ts';
import {own, plain, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch, type Files} from '../harness/scratch.ts';

/** The supervisor must act on the entry that it checked, whatever other threads do with the names at the same time. */
const races: readonly {
  readonly name: string;
  readonly program: string;
  readonly files: Files;
  readonly flags: string[];
}[] = [
  {
    name: 'a folder takes the name of a file that moves across a pinned folder',
    program: 'exchange-race.c',
    files: {'in/d/': '', 'in/p/keep': '', 'in/x': 'file\n'},
    flags: ['--config', 'protect.toml'],
  },
  {
    name: 'another text takes the name of a harmless change of a config',
    program: 'config-race.c',
    files: {
      'below/.git/HEAD': 'ref: refs/heads/main\n',
      'below/.git/config': '[core]\n\tbare = false\n',
      'below/.git/objects/': '',
      'below/.git/refs/': '',
    },
    flags: [],
  },
];

for (const {name, program, files, flags} of races) {
  test(`auto-run files, races: ${name}`, async (t) => {
    if (!requireProgram(t, 'cc')) return;
    const race = compiled(program);
    const scratch = makeScratch(t, plain, {...files, 'protect.toml': '[sandbox]\nprotect = ["in/p"]\n'});
    // Where the name is not checked again, the attack wins within a second.
    const {code, stderr} = await runIon(scratch, ['run', ...flags, `${race} 2`], {as: plain});
    assert.equal(code, 1, stderr);
  });
}

const setUp =
  'mkdir -p s below/.git/objects below/.git/refs; echo ref: refs/heads/main > below/.git/HEAD; echo > below/.git/config';

/** The file system decides which of the two comes first, so the race is won at the first try. */
for (const as of own.name === 'root' ? testers : []) {
  test(`auto-run files, races: a path that changes while the supervisor writes a config (${as.name})`, async (t) => {
    if (!requireProgram(t, 'cc')) return;
    const attack = compiled('stale-look.c');
    const script = `${setUp}; ion ${attack} > $ROOT/home/out 2>&1; echo $?`;
    assert.equal(await inFolding(t, as, {script}), '1\n');
  });

  test(`auto-run files, races: another process replaces the file that a config was read from (${as.name})`, async (t) => {
    if (!requireProgram(t, 'cc')) return;
    const script = `${setUp}; echo '[core]' > new; echo other > other
(until ls below/.git | grep -q config.ion-; do sleep 0.02; done; mv -f other new) &
ion 'mv -f new below/.git/config' > $ROOT/home/out 2>&1; echo $?; wait; cat below/.git/config new`;
    assert.equal(await inFolding(t, as, {script}), '0\n[core]\nother\n');
  });
}
