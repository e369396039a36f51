import assert from 'node:assert/strict';
import {testCases, type Case} from '../harness/cases.ts';

/** What a user meets on the first day: each refusal leads to its grant, none is silent, and nothing false is said. */

const ofWrite = (folder: string): string =>
  `for this run: --set sandbox.write_roots+=${folder}; for all: sandbox.write_roots = ["${folder}"] in ~/.ion/config.toml`;

/** The help of the first refusal, exactly. `{home}` and the like are filled in. */
const writes: readonly {name: string; command: string; help: string; files?: Case['files']}[] = [
  {
    name: 'a worktree beside the repository: that folder, not the one that holds it',
    command:
      'git init -q .; git -c user.name=n -c user.email=a@b commit -q --allow-empty -m x; git worktree add -q ../tree',
    help: `${ofWrite('{home}/tree')}; it must exist first: mkdir {home}/tree`,
  },
  {
    name: 'a file of home',
    command: 'echo x > ~/notes',
    files: {'~/notes': ''},
    help: `${ofWrite('{home}/notes')}; it must exist first: touch {home}/notes`,
  },
  {
    name: 'a cache in home',
    command: 'mkdir ~/.cache/tool',
    files: {'~/.cache/x': ''},
    help: `${ofWrite('{home}/.cache/tool')}; it must exist first: mkdir {home}/.cache/tool`,
  },
  {
    name: 'a folder of settings in home: not by a yes, only in the file',
    command: 'echo x > ~/.config/tool/x',
    files: {'~/.config/tool/y': ''},
    help: `${ofWrite('{home}/.config/tool')}; programs outside ion use what lies there`,
  },
  {
    name: 'a start-up file of the shell: never',
    command: 'echo x >> ~/.bashrc',
    files: {'~/.bashrc': ''},
    help: 'write below the workspace or the temp folder instead',
  },
];
testCases(
  'first day: a refused write',
  writes.map(({name, command, help, files = {}}): Case => ({
    name,
    args: ['run', `{ ${command}; } 2> errors; false`],
    files,
    code: 1,
    stderr: /^ion: blocked: /,
    after: ({home}, {stderr}) => {
      assert.equal(/^help: (.*)$/m.exec(stderr)?.[1], help.replaceAll('{home}', home), stderr);
    },
  })),
);

testCases('first day: what the help says works', [
  {
    name: 'a worktree beside the repository',
    files: {'~/tree/': ''},
    args: [
      'run',
      '--set',
      'sandbox.write_roots+={home}/tree',
      'git init -q .; git -c user.name=n -c user.email=a@b commit -q --allow-empty -m x; git worktree add -q ../tree; cat ../tree/.git',
    ],
    stdout: /^gitdir: /,
  },
  {
    name: 'a file of home',
    files: {'~/notes': 'old\n'},
    args: ['run', '--set', 'sandbox.write_roots+={home}/notes', 'echo new > ~/notes'],
  },
]);
