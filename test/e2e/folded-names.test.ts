/** A file system that treats several spellings as one name: a protected or denied file is so in each of them. */
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {inFolding} from '../harness/folding.ts';
import {attacksOn, deniedIn} from '../harness/folded-names.ts';
import {own, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';

const changing = {name: 'inode numbers that change at each look', inodes: ':changing'} as const;
const settings = [
  {name: 'namespaces'},
  {name: 'no namespaces', deny: noNamespaces},
  changing,
  {...changing, name: `no namespaces, ${changing.name}`, deny: noNamespaces},
];

for (const as of own.name === 'root' ? testers : []) {
  for (const {name, ...setting} of settings)
    test(`names that a file system takes for the same (${as.name}, ${name})`, async (t) => {
      if (!requireProgram(t, 'cc')) return;
      const {setUp, attack, check, names} = attacksOn('all of them');
      const gotThrough = async (how: 'ion' | ''): Promise<string[]> => {
        const script = `${setUp}; cat > attack; ${how === 'ion' ? "ion 'bash attack'" : 'bash attack'} > $ROOT/home/out 2>&1; ${check}`;
        const config = `[permissions]\ndenied_paths = ${JSON.stringify(deniedIn('{work}'))}\n`;
        const printed = await inFolding(t, as, {...setting, script, config, input: attack});
        return printed.split('\n').filter(Boolean);
      };
      assert.deepEqual((await gotThrough('')).toSorted(), names.toSorted());
      assert.deepEqual(await gotThrough('ion'), []);
    });

  test(`a file given for appending that could not be recognised is not handed over (${as.name})`, async (t) => {
    if (!requireProgram(t, 'cc')) return;
    const truncate = "'echo new > /dev/stdout'";
    const log = (how: string): string =>
      `mkdir work; echo old > log; cd work; ${how} ${truncate} >> ../log 2> $ROOT/home/out; cat ../log; grep -o 'cannot hand over /dev/stdout' $ROOT/home/out; true`;
    assert.equal(await inFolding(t, as, {script: log('bash -c')}), 'new\n');
    assert.equal(await inFolding(t, as, {script: log('ion')}), 'old\nnew\n');
    assert.equal(
      await inFolding(t, as, {script: log('ion'), inodes: ':changing'}),
      'old\ncannot hand over /dev/stdout\n',
    );
  });
}
