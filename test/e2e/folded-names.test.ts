/** A file system that treats several spellings as one name: a protected or denied file is so in each of them. */
import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {attacksOn, deniedIn} from '../harness/folded-names.ts';
import {own, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {packageRoot} from '../harness/package.ts';
import {collect, environmentOf} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';
import {spawn} from 'node:child_process';

/** Runs bash in the workspace, which is that file system. Returns what it prints. */
async function inFolding(
  t: TestContext,
  as: Identity,
  {script, input = '', inodes = '', deny = [], config = ''}: InFolding,
): Promise<string> {
  const scratch = makeScratch(t, as, {'/config.toml': config});
  const {root, work} = scratch;
  const through = [`${as.uid}:${as.gid}${inodes}`, work, compiled('deny-syscalls.c'), ...deny, '--'];
  const ready = `sed -i "s#{work}#${work}#g" ${root}/config.toml; ion() { ${process.execPath} ${packageRoot}/bin/ion run --config ${root}/config.toml "$@"; }`;
  const child = spawn(compiled('folding-fuse.c'), [...through, 'bash', '-c', `${ready}\n${script}`], {
    cwd: work,
    env: {...environmentOf(scratch), ROOT: root},
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const {stdout, stderr} = await collect(child, 90_000);
  assert.equal(stderr, '');
  return stdout;
}

interface InFolding {
  readonly script: string;
  readonly input?: string;
  readonly inodes?: '' | ':changing';
  readonly deny?: readonly string[];
  readonly config?: string;
}

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
