import assert from 'node:assert/strict';
import {once} from 'node:events';
import {chmodSync, readdirSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {runInside} from '../corpus/run.ts';
import {settings} from '../corpus/settings.ts';
import {testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {collect, startIon} from '../harness/run.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';

/** A private temp folder is writable, with and without namespaces. */
const cases = [
  {mode: 'read', command: 'seq 3 | tac', want: '3\n2\n1\n'},
  {
    mode: 'write',
    command: 'f=$(mktemp) && echo x > "$f" && cat "$f" && case $f in "$TMPDIR"/*) echo private;; esac',
    config: '[sandbox]\ntmp = "private"\n',
    want: 'x\nprivate\n',
  },
] as const;

for (const setting of settings) {
  for (const {want, ...row} of cases) {
    test(`a private temp folder in ${row.mode} mode (${setting.name})`, async (t) => {
      const scratch = makeScratch(t, setting.as);
      const {code, stdout, stderr} = await runInside({project: 'data', ...row}, setting, scratch);
      assert.deepEqual({code, stdout, stderr}, {code: 0, stdout: want, stderr: ''});
    });
  }
}

/**
 * A process outside, of the same user. It fills the private temp folder, and replaces a part of it by a symlink as soon as ion
 * begins to remove it.
 */
const swapper = `
import os, sys
tmp, victim, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
print('ready', flush=True)
while not (found := [name for name in os.listdir(tmp) if name.startswith('ion-')]): pass
folder = f'{tmp}/{found[0]}/d'
os.mkdir(folder)
for i in range(count): open(f'{folder}/f{i}', 'w').close()
print('filled', flush=True)
while len(os.listdir(folder)) == count: pass
os.rename(folder, f'{tmp}/old')
try: os.symlink(victim, folder)
except FileNotFoundError: pass
`;

for (const as of testers) {
  test(`a process outside cannot make the removal of a private temp folder remove other files (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const count = 3000;
    const scratch = makeScratch(t, as, {
      'swap.py': swapper,
      '~/.ion/tmp/': '',
      '~/other/': '',
      '/victim/': '',
    });
    const victim = `${scratch.root}/victim`;
    for (let i = 0; i < count; i++) writeFileSync(`${victim}/f${i}`, '');
    giveTo(scratch.root, as);
    const temp = `${scratch.home}/.ion/tmp`;
    chmodSync(temp, 0o700);
    const hostile = startIon(scratch, ['run', '--no-sandbox', `python3 swap.py ${temp} ${victim} ${count}`], {
      as,
    });
    const ended = collect(hostile, 60_000);
    await once(hostile.stdout!, 'data');
    const attacked = startIon(scratch, ['run', '--read', 'cat'], {as});
    const end = collect(attacked, 60_000);
    await once(hostile.stdout!, 'data');
    attacked.stdin!.end();
    await end;
    const {code, stderr} = await ended;
    assert.equal(code, 0, stderr);
    assert.equal(readdirSync(victim).length, count);
  });
}
