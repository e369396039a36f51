/** A file system that treats several spellings as one name: a protected or denied file is so in each of them. */
import assert from 'node:assert/strict';
import {test, type TestContext} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {own, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {packageRoot} from '../harness/package.ts';
import {collect, environmentOf} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';
import {spawn} from 'node:child_process';

/** Each writes `$E` and its number. Afterwards it is in `place`, which git or an editor outside obeys. */
const writes: readonly (readonly [name: string, script: string, place: string])[] = [
  ['another case', 'echo $E >> .GIT/CONFIG', '.git/config'],
  ['another case of one name', 'echo $E >> .git/CONFIG', '.git/config'],
  ['a short name', 'echo $E >> GIT~1/config', '.git/config'],
  ['a rename', 'cat .git/config > c; echo $E >> c; mv -f c .git/Config', '.git/config'],
  ['a hook', 'echo $E > .GIT/HOOKS/a', '.git/hooks/a'],
  ['dots', 'echo $E > .git./hooks./b', '.git/hooks/b'],
  ['an invisible character', "echo $E > $'.g\\u200cit/hooks/c'", '.git/hooks/c'],
  ['from inside', '(cd .GIT/Hooks && echo $E > d)', '.git/hooks/d'],
  ['tasks', 'echo $E > .VSCODE/tasks.json', '.vscode/tasks.json'],
  ['tasks by a short name', 'echo $E > VSCODE~1/launch.json', '.vscode/launch.json'],
  ['made', 'mkdir .CURSOR; echo $E > .CURSOR/a', '.cursor/a'],
  ['made with dots', "mkdir '.gemini. .'; echo $E > .gemini/a", '.gemini/a'],
  ['made by a rename', 'mkdir z; echo $E > z/a; mv z .CoDeX', '.codex/a'],
  ['made as a file', 'echo $E > .ENVRC', '.envrc'],
  ['below: another case', 'echo $E > below/.GIT/HOOKS/a', 'below/.git/hooks/a'],
  ['below: dots', 'echo $E > below/.git./hooks./b', 'below/.git/hooks/b'],
  ['below: a blank', "echo $E > 'below/.git/hooks /c'", 'below/.git/hooks/c'],
  ['below: an invisible character', "echo $E > $'below/.git/ho\\u200coks/d'", 'below/.git/hooks/d'],
  ['below: a short name', 'echo $E > below/GIT~1/hooks/e', 'below/.git/hooks/e'],
  ['below: the config', 'echo $E >> below/.git/config.', 'below/.git/config'],
  [
    'below: the config, by a rename',
    "cat below/.git/config > c; echo $E >> c; mv c $'below/.git/con\\u200cfig'",
    'below/.git/config',
  ],
  ['below: a new file', 'echo $E > below/.git/commondir.', 'below/.git/commondir'],
  ['below: attributes', 'echo $E >> below/.git/info./attributes.', 'below/.git/info/attributes'],
  ['below: attributes, short', 'echo $E >> below/.git/info/ATTRIB~1', 'below/.git/info/attributes'],
  ['below: a .git file', "echo $E > 'tree/.git. '", 'tree/.git'],
  ['below: HEAD out of the way', 'mv bare/HEAD. z; echo $E > bare/hooks/a', 'bare/hooks/a'],
];

/** Each prints `secret`. */
const reads: Readonly<Record<string, string>> = {
  'another case': 'cat SECRET',
  dots: 'cat secret..',
  'an invisible character': "cat $'sec\\u200cret'",
  'a wildcard, another case': 'cat KEY.PEM',
  'a wildcard, dots': "cat 'key.pem. '",
  'a link': 'ln -s SECRET. l; cat l',
  'a descriptor': "exec 5< 'secret '; cat <&5",
  'a folder': 'cat Closed./file',
  'a short name': 'cat CLOSED~1/file',
  'a file with a short name': 'cat LONGER~1',
  'a wildcard, a short name': 'cat DEPLOY~1.SEC',
  'a wildcard for a folder, a short name': 'cat OPEN-B~1/file',
  'a wildcard below a short name': 'cat SUBFOL~1/DEPLOY~1.SEC',
  'a wildcard, a link to a short name': 'ln -s DEPLOY~1.SEC m; cat m',
  'a wildcard, a renamed folder with a short name': 'mv OPEN-B~1 p; cat p/file',
  'a folder that is renamed': "mv 'closed folder.' o; cat o/file",
  'a file that is renamed': 'mv SECRET. y; cat y',
};

const setUp = `for f in .git below/.git bare; do mkdir -p $f/hooks $f/objects $f/refs $f/info; echo x > $f/HEAD; echo > $f/config; echo > $f/info/attributes; done
mkdir -p .vscode tree closed 'closed folder' open-by-name subfolder-of-it; echo 'gitdir: x' > tree/.git; for f in secret key.pem longer-secret closed/file 'closed folder/file' deploy-key.secret subfolder-of-it/deploy-key.secret open-by-name/file; do echo secret > "$f"; done`;
const denied = [
  'secret',
  '*.pem',
  '*.secret',
  'longer-secret',
  'closed/**',
  'closed folder/**',
  'open*name/file',
];

const attack = [
  ...writes.map(([, script], n) => `(E=evil-${n}-; ${script})`),
  ...Object.entries(reads).map(
    ([name, script]) => `(${script}) | grep -q secret && echo 'read: ${name}' >> read`,
  ),
].join('\n');
const check = [
  ...writes.map(([name, , place], n) => `grep -qs evil-${n}- ${place} && echo '${name}'`),
  'cat read 2> /dev/null; true',
].join('\n');

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
      const gotThrough = async (how: 'ion' | ''): Promise<string[]> => {
        const script = `${setUp}; cat > attack; ${how === 'ion' ? "ion 'bash attack'" : 'bash attack'} > $ROOT/home/out 2>&1; ${check}`;
        const entries = denied.map((one) => (one.startsWith('*') ? one : `{work}/${one}`));
        const config = `[permissions]\ndenied_paths = ${JSON.stringify(entries)}\n`;
        const printed = await inFolding(t, as, {...setting, script, config, input: attack});
        return printed.split('\n').filter(Boolean);
      };
      const all = [...writes.map(([one]) => one), ...Object.keys(reads).map((one) => `read: ${one}`)];
      assert.deepEqual((await gotThrough('')).toSorted(), all.toSorted());
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
