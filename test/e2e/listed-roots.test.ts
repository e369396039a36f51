import assert from 'node:assert/strict';
import {existsSync, lstatSync, readFileSync, statSync} from 'node:fs';
import {testCases} from '../harness/cases.ts';
import {runIon} from '../harness/run.ts';
import type {Scratch} from '../harness/scratch.ts';

const creates = (path: string): string[] => [
  '--set',
  `sandbox.write_roots+={path = "${path}", create = true}`,
];
const never =
  (path: string) =>
  ({root}: Scratch) =>
    assert.equal(existsSync(`${root}/${path}`), false);

testCases('roots that do not exist', [
  {
    name: 'an optional one is left out',
    files: {
      '~/.ion/config.toml':
        'sandbox.read_roots = [{path = "~/gone", optional = true}]\nsandbox.write_roots = [{path = "~/gone2", optional = true}]\n',
    },
    args: ['run', 'echo done'],
    stdout: 'done\n',
    after: never('home/gone2'),
  },
  {
    name: 'an optional one that exists is granted',
    files: {
      '~/.ion/config.toml': 'sandbox.read_roots = [{path = "~/there", optional = true}]\n',
      '~/there': 'text\n',
    },
    args: ['run', 'cat ../there'],
    stdout: 'text\n',
  },
  {
    name: 'one that is made, with its parents, as the user',
    args: ['run', ...creates('~/new/cache/deep'), 'echo x > ../new/cache/deep/file; echo x > ../new/beside'],
    code: 1,
    stderr: /\/home\/new\/beside/,
    after({home}, _, as) {
      assert.equal(readFileSync(`${home}/new/cache/deep/file`, 'utf8'), 'x\n');
      assert.equal(statSync(`${home}/new`).uid, as.uid);
    },
  },
  {
    name: 'one that exists',
    files: {'~/there/': ''},
    args: ['run', ...creates('~/there'), 'echo x > ../there/file'],
  },
  {
    name: 'not in read mode',
    args: ['run', '--read', ...creates('~/new'), 'ls'],
    after: never('home/new'),
  },
  {
    name: 'not by ion check',
    args: ['check', ...creates('~/new'), 'ls'],
    stdout: /^ion: allowed/,
    after: never('home/new'),
  },
  {
    name: 'not for an untrusted project',
    files: {'.ion/config.toml': 'sandbox.write_roots = [{path = "../new", create = true}]\n'},
    args: ['run', 'true'],
    stderr: /^ion: ignored: sandbox\.write_roots/,
    after: never('home/new'),
  },
  {
    name: 'a link in the workspace leads nowhere',
    files: {'~/secret/': '', out: {link: '../secret'}},
    args: ['run', ...creates('out/cache'), 'echo x > out/cache/file'],
    code: 125,
    stderr:
      'ion: cannot make "{work}/out/cache": "{work}/out" is a symlink, which a run may have made\n --> --set sandbox.write_roots+={path = "out/cache", create = true}\nhelp: list the path that it leads to\n',
    after: never('home/secret/cache'),
  },
  {
    name: 'nor does one in the place of the folder itself',
    files: {'~/secret/': '', out: {link: '../secret'}},
    args: ['run', ...creates('out'), 'echo x > out/file'],
    code: 125,
    stderr: /is a symlink, which a run may have made/,
    after: never('home/secret/file'),
  },
  {
    name: "a link of the user's own, in home",
    files: {'~/disk/': '', '~/.cache': {link: 'disk'}},
    args: ['run', ...creates('~/.cache/tool'), 'echo x > ~/.cache/tool/file'],
    after: ({home}) => assert.ok(lstatSync(`${home}/disk/tool/file`).isFile()),
  },
  {
    name: 'a file in its place',
    files: {'~/file': ''},
    args: ['run', ...creates('~/file/x'), 'true'],
    code: 125,
    stderr: /^ion: cannot make "\S+\/file\/x": a file has the name of a folder\n/,
  },
  ...['/proc/new', '/proc/1/new', '/proc/self/new', '/sys/fs/cgroup/new', '/dev/new', '/sys/kernel/new'].map(
    (path) => ({
      name: `never ${path}`,
      args: ['run', ...creates(path), 'true'],
      code: 125,
      stderr: /^ion: cannot (?:make|grant) /,
      after: () => assert.equal(existsSync(path), false),
    }),
  ),
  {
    name: 'where the user may not write',
    only: 'user',
    args: ['run', ...creates('/opt/ion-test-new'), 'true'],
    code: 125,
    stderr: /^ion: cannot make "\/opt\/ion-test-new": no permission\n --> --set/,
  },
  {
    name: 'a read root is not made',
    args: ['run', '--set', 'sandbox.read_roots+={path = "~/new", create = true}', 'true'],
    code: 125,
    stderr: /unknown key "sandbox\.read_roots\[0\]\.create"/,
  },
  {
    name: 'ion config shows what was written',
    args: ['config', ...creates('/srv/new'), 'sandbox.write_roots'],
    stdout: /\{ path = "\/srv\/new", create = true \},  #/,
  },
]);

/** A run replaces a root of the next run by a symlink. */
const relinked = (root: string): RegExp =>
  new RegExp(
    `^ion: cannot grant "\\S+/${root}": "\\S+" is a symlink, which a run may have made\n --> [^\n]+\nhelp: list the path that it leads to\n$`,
  );
testCases('a root that a run replaces by a symlink', [
  {
    name: 'a read root in a write root',
    files: {
      '~/a/b/f': 'old\n',
      '~/private/f': 'private\n',
      '~/.ion/config.toml': 'sandbox.write_roots = ["~/a"]\nsandbox.read_roots = ["~/a/b"]\n',
    },
    before: async (scratch, as) => {
      await runIon(scratch, ['run', 'rm -r ~/a/b && ln -s ~/private ~/a/b'], {as});
    },
    args: ['run', 'cat ~/a/b/f'],
    code: 125,
    stderr: relinked('a/b'),
  },
  {
    name: 'a write root in the workspace',
    files: {'out/': '', '~/private/f': 'private\n'},
    before: async (scratch, as) => {
      await runIon(scratch, ['run', 'rmdir out; ln -s ~/private out'], {as});
    },
    args: ['run', '--set', 'sandbox.write_roots+=out', 'echo x > out/f'],
    code: 125,
    stderr: relinked('out'),
    after: ({home}) => assert.equal(readFileSync(`${home}/private/f`, 'utf8'), 'private\n'),
  },
  {
    name: 'a read root below it, in read mode',
    files: {'data/x/': '', '~/private/x/f': 'private\n'},
    before: async (scratch, as) => {
      await runIon(scratch, ['run', 'mv data old; ln -s ~/private data'], {as});
    },
    args: ['run', '--read', '--set', 'sandbox.read_roots+=data/x', 'cat data/x/f'],
    code: 125,
    stderr: relinked('data/x'),
  },
  {
    name: "a symlink of the user's own elsewhere is followed",
    files: {'~/disk/f': 'text\n', '~/data': {link: 'disk'}},
    args: ['run', '--set', 'sandbox.read_roots+=~/data', 'cat ~/data/f'],
    stdout: 'text\n',
  },
]);
