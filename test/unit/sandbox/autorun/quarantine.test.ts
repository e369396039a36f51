import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {shellWord} from '../../../../src/shell/quote.ts';
import {openQuarantine} from '../../../../src/sandbox/autorun/quarantine.ts';

const paths = ['/w/.vscode', "/w/it's", '/w/a b', '/w/$(x)', '/w/a\nb', "/w/\u001b[2K\\'\u202e"];
for (const file of paths) {
  test(`shellWord: bash reads ${JSON.stringify(file)} back, from one line`, () => {
    const word = shellWord(file);
    assert.doesNotMatch(word, /\p{Cc}|\p{Cf}/u);
    const said = execFileSync('bash', ['--norc', '-c', `printf %s ${word}`], {
      env: {LC_ALL: 'C.UTF-8', SHLVL: '1'},
    });
    assert.equal(said.toString(), file);
  });
}

const runId = 'abcd'.repeat(8);

function scratchIn(t: TestContext, folder: string): string {
  const scratch = mkdtempSync(path.join(realpathSync(folder), 'ion-quarantine-'));
  t.after(() => {
    execFileSync('chmod', ['-R', 'u+rwx', scratch]);
    rmSync(scratch, {recursive: true});
  });
  return scratch;
}

/** A folder that is too large to copy, as a run may leave it. */
function plant(hooks: string): void {
  mkdirSync(`${hooks}/closed/deep`, {recursive: true});
  execFileSync('mkfifo', [`${hooks}/fifo`]);
  execFileSync('truncate', ['-s', '1T', `${hooks}/huge`]);
  writeFileSync(`${hooks}/pre-commit`, '#!/bin/sh\n', {mode: 0o755});
  chmodSync(`${hooks}/closed`, 0);
  chmodSync(hooks, 0);
}

test('quarantine: files that can be copied go to another file system, and files that could block are not opened', (t) => {
  const [work, home] = [scratchIn(t, tmpdir()), scratchIn(t, '/dev/shm')];
  plant(`${work}/hooks`);
  chmodSync(`${work}/hooks`, 0o700);
  rmSync(`${work}/hooks/huge`);
  writeFileSync(`${work}/outside`, 'outside\n');
  execFileSync(
    'bash',
    ['-c', 'ln -s ../outside l; ln -s nowhere n; echo closed > c; chmod 0 c; chmod 750 .'],
    {
      cwd: `${work}/hooks`,
    },
  );
  execFileSync('/usr/bin/python3', ['-c', 'import socket; socket.socket(socket.AF_UNIX).bind("s")'], {
    cwd: `${work}/hooks`,
  });
  const place = openQuarantine(home, runId).move(`${work}/hooks`);
  assert.equal(place, `${home}/.ion/quarantine/${runId}/hooks`);
  assert.deepEqual(readdirSync(work), ['outside']);
  const kept = Object.fromEntries(readdirSync(place).map((name) => [name, lstatSync(`${place}/${name}`)]));
  assert.deepEqual(Object.keys(kept).sort(), ['c', 'closed', 'fifo', 'l', 'n', 'pre-commit', 's']);
  assert.equal(lstatSync(place).mode & 0o7777, 0o750);
  assert.equal(kept['pre-commit']!.mode & 0o7777, 0o755);
  assert.equal(kept['c']!.mode & 0o7777, 0o400);
  assert.equal(readFileSync(`${place}/c`, 'utf8'), 'closed\n');
  assert.equal(readlinkSync(`${place}/l`), '../outside');
  assert.equal(readFileSync(`${place}/fifo`, 'utf8'), 'this was a FIFO\n');
  assert.equal(readFileSync(`${place}/s`, 'utf8'), 'this was a unix socket\n');
  assert.equal(readFileSync(`${work}/outside`, 'utf8'), 'outside\n');
});

/** Where no quarantine is possible, planted files stay in place under a name that no program runs. */
const homes: readonly {name: string; home: (t: TestContext) => string | undefined}[] = [
  {name: 'a home on another file system, and too large to copy', home: (t) => scratchIn(t, '/dev/shm')},
  {name: 'no home', home: () => undefined},
  {
    name: 'a home that is a file',
    home: (t) => {
      const file = `${scratchIn(t, tmpdir())}/home`;
      writeFileSync(file, '');
      return file;
    },
  },
];
for (const {name, home} of homes) {
  test(`quarantine: planted files are moved away: ${name}`, (t) => {
    const work = scratchIn(t, tmpdir());
    const quarantine = openQuarantine(home(t), runId);
    for (const end of ['.ion-quarantine-abcdabcd', '.1.ion-quarantine-abcdabcd']) {
      plant(`${work}/hooks`);
      assert.equal(quarantine.move(`${work}/hooks`), `${work}/hooks${end}`);
      assert.ok(!existsSync(`${work}/hooks`));
      assert.ok(lstatSync(`${work}/hooks${end}/pre-commit`).isFile());
    }
  });
}
