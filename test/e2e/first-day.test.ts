import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {release} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {testCases, testOnce, type Case} from '../harness/cases.ts';
import {isWhole} from '../harness/extent.ts';
import {makeRepository} from '../harness/git.ts';
import {plain, spawnAs, testers} from '../harness/identity.ts';
import {installed} from '../harness/installed.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {openPty} from '../harness/pty.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles} from '../harness/scratch.ts';

/** Refusals of a user's first day. Each one is reported, and its help leads to the right grant. */

const ofWrite = (folder: string): string =>
  `for this run: --set sandbox.write_roots+=${folder}; for all: sandbox.write_roots = ["${folder}"] in ~/.ion/config.toml`;

const ofMade = (folder: string): string =>
  `for this run: --set 'sandbox.write_roots+={ path = "${folder}", create = true }'; for all: sandbox.write_roots = [{ path = "${folder}", create = true }] in ~/.ion/config.toml`;

/** The help of the first refusal, exactly. `{home}` and the like are filled in. */
const writes: readonly {name: string; command: string; help: string; files?: Case['files']}[] = [
  {
    name: 'a worktree beside the repository: that folder, not the one that holds it',
    command:
      'git init -q .; git -c user.name=n -c user.email=a@b commit -q --allow-empty -m x; git worktree add -q ../tree',
    help: ofMade('{home}/tree'),
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
    help: ofMade('{home}/.cache/tool'),
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
      /^ion: the command does not get "GITHUB_TOKEN": [^\n]*\nhelp: for this run: --set environment\.keep\+=GITHUB_TOKEN; [^\n]*\n$/,
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
    files: {'~/.npm/_cacache/x': ''},
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

const tracked = 'git -c user.name=n -c user.email=a@b';
testOnce('first day: a protected file that git tracks', [
  {
    name: 'is named with its setting, also where the command ends with 0',
    files: {'.vscode/settings.json': '{}\n'},
    before: (scratch, as) => {
      makeRepository(scratch, as);
      const made = `git add .vscode && ${tracked} commit -qm x && git checkout -qb other && echo '{"a": 1}' > .vscode/settings.json && ${tracked} commit -qam y && git checkout -q -`;
      spawnSync('bash', ['-c', made], {cwd: scratch.work, env: environmentOf(scratch), ...spawnAs(as)});
    },
    args: ['run', 'git checkout -q other 2> errors; true'],
    stderr:
      /^ion: blocked: git \(pid \d+\) could not change "\S+\/\.vscode(?:\/settings\.json)?" [^\n]*\nhelp: for this run: --set sandbox\.unprotect\+=\.vscode; [^\n]*\n$/,
    needs: ['git'],
  },
]);

test('first day: keys of an untrusted project are reported once for each content', async (t) => {
  const as = plain;
  const scratch = makeScratch(t, as);
  const reports = async (content: string): Promise<boolean> => {
    writeFiles(scratch, {'.ion/config.toml': content});
    giveTo(scratch.root, as);
    const terminal = openPty(scratch, as, {
      columns: 120,
      argv: [process.execPath, ionFile, 'run', 'true'],
      env: {NO_COLOR: '1'},
    });
    try {
      assert.equal(await terminal.code, 0, terminal.output());
      return terminal.output().includes('ignored: sandbox.network');
    } finally {
      await terminal.close();
    }
  };
  assert.deepEqual(
    [
      await reports('sandbox.network = "full"\n'),
      await reports('sandbox.network = "full"\n'),
      await reports('# x\nsandbox.network = "loopback"\n'),
      await reports('# x\nsandbox.network = "loopback"\n'),
    ],
    [true, false, true, false],
  );
});

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

/** The set-up opens files itself. A limit for the command does not apply to it. */
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
    // The first program continues without the file; the second one fails.
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

/** A package that asks for a file outside during its installation: directly, and after its installer has ended. */
const script = `cat '{home}/notes'; echo x > '{root}/made'; (setsid sh -c 'sleep 0.2; echo x > {root}/made2' &); sleep 0.5`;
const installers: readonly {
  name: string;
  command: string;
  needs: readonly string[];
  files: Readonly<Record<string, string>>;
  /** A package of npm that has the program. Only in the whole suite. */
  from?: string;
  isSlow?: true;
}[] = [
  {
    name: 'npm, of a package with a scope',
    // The title of npm is its command line: it ends with "/evil.tgz" here, and with "@scope/name" elsewhere.
    command: 'tar czf evil.tgz package && npm install --offline --no-audit --no-fund ./evil.tgz',
    needs: ['npm'],
    files: {
      'package.json': '{"name": "mine", "version": "1.0.0"}',
      'package/package.json':
        '{"name": "@scope/evil", "version": "1.0.0", "scripts": {"postinstall": "sh evil.sh"}}',
      'package/evil.sh': script,
    },
  },
  // pnpm 10 runs no script of a dependency by itself.
  ...[
    {from: 'pnpm@9', command: 'pnpm install --offline'},
    {from: 'yarn@1', command: 'yarn install --offline --non-interactive'},
  ].map(({from, command}) => ({
    name: from,
    command: `tar czf evil.tgz package && ${command}`,
    from,
    needs: ['npm'],
    files: {
      'package.json': '{"name": "mine", "version": "1.0.0", "dependencies": {"evil": "file:./evil.tgz"}}',
      'package/package.json':
        '{"name": "evil", "version": "1.0.0", "scripts": {"postinstall": "sh evil.sh"}}',
      'package/evil.sh': script,
    },
  })),
  {
    name: 'pip, of a source package',
    command:
      'python3 -m venv v && v/bin/pip install -q --no-index --no-build-isolation --disable-pip-version-check ./evil',
    needs: ['python3', 'python3:ensurepip', 'python3:setuptools'],
    isSlow: true,
    files: {
      'evil/setup.py':
        'import os\nfrom setuptools import setup\nos.system("sh evil.sh")\nsetup(name="evil", version="1.0")\n',
      'evil/evil.sh': script,
    },
  },
  {
    name: 'python, as pip starts it',
    command: 'python3 setup.py install',
    needs: ['python3'],
    files: {'setup.py': 'import os\nos.system("sh evil.sh")\n', 'evil.sh': script},
  },
];
for (const as of testers) {
  for (const {name, command, needs, files, from, isSlow} of installers) {
    if (!isWhole && (from !== undefined || isSlow)) continue;
    test(`first day: what ${name} installs gets nothing by "all" (${as.name})`, async (t) => {
      if (!requireProgram(t, ...needs)) return;
      const scratch = makeScratch(t, as, {'~/notes': 'x\n'});
      const filled = Object.entries(files).map(([file, text]) => [
        file,
        text.replaceAll('{root}', scratch.root).replaceAll('{home}', scratch.home),
      ]);
      writeFiles(scratch, Object.fromEntries(filled) as Record<string, string>);
      giveTo(scratch.root, as);
      const programs = from === undefined ? undefined : installed(from);
      const reads = programs === undefined ? [] : ['--set', `sandbox.read_roots+=${path.dirname(programs)}`];
      const env = programs === undefined ? {} : {PATH: `${programs}:${process.env['PATH']}`};
      await runIon(scratch, ['run', '--explain', ...reads, `(${command}) > out 2>&1; sleep 0.5`], {
        as,
        env,
        timeoutMs: 120_000,
      });
      const {stdout, stderr} = await runIon(scratch, ['allow'], {as});
      const [first = '', second = ''] = stdout.split('# not part of "all": look at each of these\n');
      assert.doesNotMatch(first, /^sandbox\./m, stdout);
      assert.match(second, /^sandbox\.read_roots = \["[^"]*\/notes"\]/m, stdout + stderr);
    });
  }
}

const reads = `import json, os
for name in json.load(open('files.json')):
    try: os.listdir(name) if os.path.isdir(name) else open(name).read()
    except OSError: pass
`;

/** Names that a script chooses to make a line of the list misleading, or to lead it elsewhere. */
const forged = [
  '/e\u001b[2J\u001b[1;1Hx/f',
  '/n\nsandbox.write_roots = ["~"]/f',
  '/r\rsandbox.read_roots = ["x"]/f',
  '/q"]; x = ["/f',
  '/\u202ecod/f',
  '/n\u043etes/f',
];
for (const as of testers) {
  test(`first day: what ion allow shows is one line for each entry, and no secret behind a link (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {
      ...Object.fromEntries(forged.map((file) => [file, 'x'])),
      '~/.ssh/id': 'secret',
      '/beside/to-ssh': {link: '../home/.ssh'},
      '/beside/to-home': {link: '../home'},
      'to-id': {link: '../home/.ssh/id'},
    });
    const files = [...forged.map((file) => `${scratch.root}${file}`), 'to-id', '/', scratch.home].concat(
      ['to-ssh/id', 'to-home', 'to-home/.ssh/id'].map((name) => `${scratch.root}/beside/${name}`),
    );
    writeFiles(scratch, {'files.json': JSON.stringify(files), 'read.py': reads});
    giveTo(scratch.root, as);
    await runIon(scratch, ['run', '--explain', 'python3 read.py; false'], {as});
    const {stdout, stderr} = await runIon(scratch, ['allow'], {as});
    const [, list = ''] = stdout.split(/^# would be written .*\n/m);
    const lines = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.equal(lines.length, forged.length, stdout + stderr);
    for (const line of lines) assert.match(line, /^sandbox\.read_roots = \["(?:[^"\\]|\\.)+"\] {2}# /);
    assert.doesNotMatch(list, /(?!\n)[\p{Cc}\p{Cf}]|\.ssh|to-/u);
    assert.match(list, /mixes alphabets/);
  });
}

test('first day: under a lock ion allow refuses, and stored grants do not count', async (t) => {
  const as = plain;
  const scratch = makeScratch(t, as, {'~/data/x': ''});
  const run = (...args: string[]) => runIon(scratch, args, {as});
  assert.equal((await run('run', 'echo x > ~/data/y')).code, 1);
  writeFiles(scratch, {'~/.ion/config.toml': '[permissions]\nlocked = true\n'});
  const refused = await run('run', 'echo x > ~/data/y');
  assert.match(refused.stderr, /^help: ask the user; denial [\da-f]+-1$/m);
  const {code, stderr} = await run('allow');
  assert.equal(code, 125);
  assert.match(stderr, /^ion: "?ion allow"? .*\n --> ~\/\.ion\/config\.toml:2\n/);
  assert.ok(!existsSync(`${scratch.home}/.ion/grants`));
});
