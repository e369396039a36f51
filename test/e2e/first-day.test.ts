import assert from 'node:assert/strict';
import {release} from 'node:os';
import {test} from 'node:test';
import {testCases, testOnce, type Case} from '../harness/cases.ts';
import {testers} from '../harness/identity.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** Refusals of a user's first day. Each one is reported, and its help leads to the right grant. */

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

testOnce('first day: named once, where it may be why a command failed', [
  {
    name: 'a variable that was removed',
    args: ['run', 'test -n "$GITHUB_TOKEN"'],
    env: {GITHUB_TOKEN: 'x'},
    code: 1,
    stderr:
      /^ion: the command did not get "GITHUB_TOKEN": [^\n]*\nhelp: for this run: --set environment\.keep\+=GITHUB_TOKEN; [^\n]*\n$/,
  },
  {
    name: 'the top folder, which cannot be listed',
    args: ['run', 'ls / 2> errors'],
    code: 2,
    stderr:
      /^ion: "\/" is outside the read roots\nhelp: list the folders that you need by name: ls \/usr \/etc; --explain [^\n]*\n$/,
  },
  {
    name: 'a name that could not be looked up',
    args: ['run', 'curl -sS https://example.com/x 2> errors'],
    code: 6,
    // Without a resolver in /etc/resolv.conf nothing is refused.
    stderr:
      /^(?:ion: blocked: curl [^\n]*\nhelp: [^\n]*\nion: no name was looked up for "https:\/\/example\.com\/x": the name server is behind the closed network\n)?$/,
    needs: ['curl'],
  },
  {
    name: 'a cache in home that is hidden',
    args: ['run', 'npm install left-pad --offline > errors 2>&1'],
    code: 1,
    stderr:
      /^ion: "npm" cannot see its cache in home: [^\n]*\nhelp: let it download once: --set sandbox\.network=full\n$/,
    needs: ['npm'],
  },
  {
    name: 'nothing false of a folder that was listed',
    args: ['run', 'ls /etc/ssh > list; false'],
    code: 1,
  },
  {
    name: 'a rule that a Makefile meets, by file and line',
    files: {
      Makefile: 'all:\n\t@sleep 0\n',
      '~/.ion/config.toml':
        '\n[[permissions.rules]]\neffect = "deny"\nscope = "command_prefix"\nmatch = "sleep"\n',
    },
    args: ['run', 'make 2> errors'],
    code: 2,
    stderr:
      /^ion: blocked: make [^\n]*denied by the rule command_prefix "sleep"\)\n --> ~\/\.ion\/config\.toml:2\nhelp: [^\n]*\n$/,
  },
]);

const setId = (path: string, call = 'fchmodat'): RegExp =>
  new RegExp(
    `^ion: blocked: [\\w.]+ \\(pid \\d+\\) could not set the setuid or setgid bit of ".*/${path}" \\(${call}: such a file would run with more rights outside the sandbox(?:, \\d times)?\\)\nhelp: no setting allows it: leave the bit out, or set it outside ion$`,
    'm',
  );
testCases('first day: a set-id bit', [
  {
    name: 'of a file, in a script: refused and reported',
    files: {Makefile: 'all:\n\ttouch f; chmod 4755 f\n'},
    args: ['run', 'make -s 2> errors'],
    code: 2,
    stderr: setId('f'),
  },
  {
    name: 'the group bit of a file',
    args: ['run', 'touch f; chmod g+s f 2> errors'],
    code: 1,
    stderr: setId('f'),
  },
  {
    name: 'the user bit of a folder, by a descriptor',
    args: ['run', `mkdir d; python3 -c 'import os; os.fchmod(os.open("d", 0), 0o4755)' 2> errors`],
    code: 1,
    stderr: setId('d', 'fchmod'),
    needs: ['python3'],
  },
  {
    name: 'the group bit of a folder is set',
    args: ['run', 'mkdir d; chmod g+s d; stat -c %a d'],
    stdout: '2755\n',
  },
  {
    name: 'a file that does not exist is no refusal of ion',
    args: ['run', 'chmod u+s nothing 2> errors'],
    code: 1,
  },
]);

/** The set-up opens files itself: a limit for the command does not count for it. */
testCases(
  'first day: a limit of open files',
  [4, 12, 16].map((limit) => ({
    name: `of ${limit}`,
    args: ['run', '--set', `sandbox.limits.open_files=${limit}`, 'ulimit -n; ulimit -Hn'],
    stdout: `${limit}\n${limit}\n`,
    stderr: /^(?:ion: limited: [^]*)?$/,
  })),
);
testOnce('first day: a limit of open files', [
  {
    name: 'that no program starts with: the limit is named',
    args: ['run', '--set', 'sandbox.limits.open_files=3', 'true'],
    code: 127,
    stderr: /\nion: limited: a process \(pid \d+\) reached its limit of open_files, which is 3\n/,
  },
]);

for (const as of testers) {
  test(`first day: ion why and ion allow begin with what a program did not survive (${as.name})`, async (t) => {
    // PIDFD_INFO_EXIT: how a process ended is known after it was reaped.
    const [major, minor] = release().split('.').map(Number);
    if (major! < 6 || (major === 6 && minor! < 15)) return t.skip('Linux 6.15');
    const scratch = makeScratch(t, as, {'~/probe/x': '', '~/data/x': ''});
    // The first program goes on without the file; the second one fails.
    const command = '(echo x > ~/probe/y || true) 2> errors; sh -c "echo x > ~/data/y" 2> errors; false';
    await runIon(scratch, ['run', command], {as});
    const {stdout, stderr} = await runIon(scratch, ['allow'], {as});
    const lines = stdout.split('\n').filter((line) => /^(?:#|sandbox)/.test(line));
    assert.deepEqual(
      lines.map((line) => line.replace(/ {2}# .*/, '').replaceAll(scratch.home, '~')),
      [
        lines[0],
        '# not part of "all": look at each of these',
        '# bash > sh, which failed',
        'sandbox.write_roots = ["~/data"]',
        '# bash',
        'sandbox.write_roots = ["~/probe"]',
      ],
      stdout + stderr,
    );
  });
}
