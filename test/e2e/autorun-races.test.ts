import assert from 'node:assert/strict';
import {test} from 'node:test';
import {plain} from '../harness/identity.ts';
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
