import assert from 'node:assert/strict';
import {chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {analyzeCommand} from '../../../src/session/analyze-command.ts';
import {namedPrograms} from '../../../src/session/named-programs.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'ion-named-')));
after(() => rmSync(base, {recursive: true, force: true}));

function program(file: string, text: string): string {
  const at = path.join(base, file);
  mkdirSync(path.dirname(at), {recursive: true});
  writeFileSync(at, text);
  chmodSync(at, 0o755);
  return at;
}

const binary = '\x7fELF';
program('bin/bash', binary);
program('bin/sh', binary);
program('bin/ls', binary);
program('bin/cat', binary);
program('bin/interpreter', binary);
program('bin/tool', `#!${base}/bin/interpreter -x\n`);
program('bin/by-env', '#!/usr/bin/env -S tool --flag\n');
program('bin/endless', `#!${base}/bin/endless\n`);
program('bin/git', binary);
program('lib/git-core/git-remote-http', binary);
program('store/0abc/bin/wrapped', `#!${base}/bin/sh\n`);
program('store/0abc/bin/.wrapped-wrapped', binary);
program('work/ls', binary);
symlinkSync('ls', path.join(base, 'bin/dir'));
symlinkSync('../store/0abc/bin/wrapped', path.join(base, 'bin/wrapped'));

async function named(command: string, executable = [base], noexec = [`${base}/work`]) {
  const searchPath = `${base}/bin`;
  const action = await analyzeCommand(command, {cwd: `${base}/work`, environment: {PATH: searchPath}});
  const {files, folders} = namedPrograms(action, {searchPath, bash: `${base}/bin/bash`, executable, noexec});
  const short = (file: string): string => path.relative(base, file);
  return {files: files.map(short).sort(), folders: folders.map(short)};
}

const rows: readonly {readonly name: string; readonly command: string; readonly files: readonly string[]}[] =
  [
    {name: 'bash is always included', command: 'echo x', files: ['bin/bash']},
    {name: 'a named program, by its file', command: 'dir | cat', files: ['bin/bash', 'bin/cat', 'bin/ls']},
    {
      name: 'the interpreter of a script',
      command: 'tool',
      files: ['bin/bash', 'bin/interpreter', 'bin/tool'],
    },
    {
      name: 'the program that env looks up, and its interpreter',
      command: 'by-env',
      files: ['bin/bash', 'bin/by-env', 'bin/interpreter', 'bin/tool'],
    },
    {name: 'a script that is its own interpreter', command: 'endless', files: ['bin/bash', 'bin/endless']},
    {
      name: "the program that a store's wrapper starts",
      command: 'wrapped',
      files: ['bin/bash', 'bin/sh', 'store/0abc/bin/.wrapped-wrapped', 'store/0abc/bin/wrapped'],
    },
    {
      name: 'no program that is known only at run time',
      command: 'read -r x <<< ls; $x; "$(echo cat)"',
      files: ['bin/bash'],
    },
    {name: 'no program of a folder without programs', command: './ls', files: ['bin/bash']},
  ];
for (const {name, command, files} of rows) {
  test(`the programs that read mode executes: ${name}`, async () => {
    const found = await named(command);
    assert.deepEqual(
      found.files.filter((file) => !file.startsWith('..')),
      files,
    );
  });
}

test('the programs that read mode executes: those of git', async () => {
  const {files, folders} = await named('git log');
  assert.deepEqual(folders, ['lib/git-core']);
  assert.deepEqual(
    files.filter((file) => !file.startsWith('..')),
    ['bin/bash', 'bin/cat', 'bin/git', 'bin/sh'],
  );
});
