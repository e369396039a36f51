import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {gitEnvironment, makeRepository} from '../harness/git.ts';
import {identities, plain, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

/** How many calls with paths, and how many folder reads, a start makes. */
async function callsOfStart(scratch: Scratch, as: Identity): Promise<number> {
  const trace = `${scratch.root}/trace`;
  const {code, stderr} = await runIon(scratch, ['run', 'true'], {
    as,
    env: gitEnvironment,
    through: ['strace', '-f', '-qq', '-o', trace, '-e', 'trace=%file,getdents64'],
  });
  assert.equal(code, 0, stderr);
  // A call that another thread interrupts has two lines. Signals and exits have lines of their own.
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /^\d+ +\w+\(/.test(line)).length;
}

function fill({work}: Scratch, as: Identity): void {
  for (let folder = 0; folder < 20; folder++) {
    mkdirSync(`${work}/d${folder}`);
    for (let file = 0; file < 100; file++) writeFileSync(`${work}/d${folder}/f${file}`, '');
    for (let nested = 0; nested < 5; nested++) {
      for (const name of ['hooks', 'objects', 'refs'])
        mkdirSync(`${work}/d${folder}/r${nested}/.git/${name}`, {recursive: true});
      writeFileSync(`${work}/d${folder}/r${nested}/.git/HEAD`, 'ref: refs/heads/main\n');
    }
  }
  giveTo(work, as);
}

for (const as of identities) {
  test(`a start does not read the workspace: 2,000 files and 100 repositories (${as.name})`, async (t) => {
    if (!requireProgram(t, 'strace', 'git')) return;
    const [small, large] = [makeScratch(t, as), makeScratch(t, as)];
    for (const scratch of [small, large]) makeRepository(scratch, as);
    fill(large, as);
    const more = (await callsOfStart(large, as)) - (await callsOfStart(small, as));
    // Node itself opens one or two more files in some runs. Reading each folder would be a hundred calls.
    assert.ok(more < 10, `${more} calls more`);
  });
}

/** Commands that only read. */
const looks: readonly (readonly string[])[] = [
  ['check', 'echo x; npm ci'],
  ['check', '--tool', 'write', 'f'],
  ['permissions'],
  ['config', '--all'],
  ['rules', 'list'],
  ['trusts'],
  ['audit', 'list'],
];

test('a command that only reads starts no launcher and makes no folder', async (t) => {
  if (!requireProgram(t, 'strace')) return;
  const scratch = makeScratch(t, plain, {
    'package.json': '{}',
    'yarn.lock': '',
    '.ion/config.toml': '[sandbox]\nmode = "read"\n',
  });
  await Promise.all(
    looks.map(async (args, index) => {
      const trace = `${scratch.root}/look-${index}`;
      await runIon(scratch, args, {
        as: plain,
        through: ['strace', '-f', '-qq', '-o', trace, '-e', 'trace=execve,mkdir,mkdirat'],
      });
      const calls = readFileSync(trace, 'utf8').split('\n');
      const made = calls.filter((line) => /mkdir(?:at)?\(.* = 0$/.test(line));
      const started = calls.filter((line) => /ion-launcher|"bash"/.test(line));
      assert.deepEqual([...made, ...started], [], args.join(' '));
      assert.ok(
        calls.some((line) => line.includes('execve(')),
        'the trace is there',
      );
    }),
  );
});
