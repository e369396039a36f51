import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {schema} from '../../src/config/schema.ts';
import {runOptions} from '../../src/cli/run-options.ts';
import {plain, spawnAs} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {collect, environmentOf} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {examplesOf, matches} from './examples.ts';
import {withTable} from './tables.ts';

const readme = readFileSync('README.md', 'utf8');

test('README: the table is what the enforcement matrix says (npm run readme)', () => {
  assert.equal(readme, withTable(readme));
});

test('README: every key of the config is in the reference', () => {
  const missing = Object.keys(schema).filter((key) => !readme.includes(key.split('.').at(-1)!));
  assert.deepEqual(missing, []);
});

test('README: every option of ion run is there', () => {
  assert.deepEqual(
    runOptions.filter(({flag}) => !readme.includes(flag)),
    [],
  );
});

test('README: the config reference is valid', async (t) => {
  const block = /^```toml reference\n([^]*?)^```$/m.exec(readme)?.[1];
  assert.ok(block);
  const scratch = makeScratch(t, plain, {'reference.toml': block});
  const {code, stderr} = await typed(`ion check --config reference.toml true`, scratch);
  assert.equal(code, 0, stderr);
});

for (const {line, steps} of examplesOf(readme)) {
  test(`README: the example at line ${line}`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, plain, {
      '~/.gitconfig': '[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n',
      '~/.ssh/id_ed25519': 'PRIVATE\n',
      'README.md': 'hello\n',
    });
    const ready = await typed('git init -q . && git add . && git commit -qm first', scratch);
    assert.equal(ready.code, 0, ready.stderr);
    for (const {command, output} of steps) {
      const {stdout} = await typed(`{ ${command}\n} 2>&1`, scratch);
      assert.ok(matches(stdout, output), `${command}\nprints:\n${stdout}\nand the README says:\n${output}`);
    }
  });
}

function typed(command: string, scratch: Scratch): ReturnType<typeof collect> {
  const script = `ion() { '${process.execPath}' '${ionFile}' "$@"; }; ${command}`;
  const asUser = spawnAs(plain);
  return collect(
    spawn('bash', ['-c', script], {
      cwd: scratch.work,
      // npm tells of its own new versions between the lines, on some days.
      env: {...environmentOf(scratch), npm_config_update_notifier: 'false'},
      stdio: ['ignore', 'pipe', 'pipe'],
      ...asUser,
    }),
  );
}
