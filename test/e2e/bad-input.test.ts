import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {chmodSync, readdirSync, symlinkSync, truncateSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {testCases, testRefusals, type Case} from '../harness/cases.ts';
import {testers} from '../harness/identity.ts';
import {ionFile} from '../harness/package.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

/** A message of one to three lines. Never a stack trace or a bug report. */
const message = /^ion: (?!this is a bug)[^\n]+\n( --> [^\n]+\n)?(help: [^\n]+\n)?$/;
/** The command is still confined: the last line of the script tries to write outside. */
const confined = 'echo ok; ! touch ../x 2>&-';
const refusalLines = 'ion: blocked: touch [^\n]*\nhelp: [^\n]*\n$';
const nothingRan = ({work}: Scratch): void => assert.ok(!readdirSync(work).includes('ran'));

/**
 * Damaged files of ion's own under `~/.ion`. A rule that cannot be read may be a deny; the log is best effort by default.
 */
testCases('spoilt', [
  ...['x{', '{"version":1,"rul', '\0\0', '[]'].map((text): Case => ({
    name: `rules that are ${JSON.stringify(text)}`,
    files: {'~/.ion/rules.json': {text, mode: 0o600}},
    args: ['run', 'touch ran'],
    code: 125,
    stderr: message,
    after: nothingRan,
  })),
  ...['x{', '{"version":1,"wor', '\0\0', '[]'].map((text): Case => ({
    name: `a trust store that is ${JSON.stringify(text)}`,
    files: {
      '~/.ion/trust.json': {text, mode: 0o600},
      '.ion/config.toml': '[sandbox]\nwrite_roots = [".."]\n',
    },
    args: ['run', 'echo ok; ! touch ../x 2>&-'],
    stdout: 'ok\n',
    stderr: /^ion: ignored: sandbox.write_roots = \[".."\] \(trust is unknown: "~\/.ion\/trust.json" /,
  })),
  {
    name: 'a log that is not writable: ion reports it, and the command runs',
    files: {'~/.ion/audit/audit.jsonl': {text: '', mode: 0o400}},
    before: ({home}) => chmodSync(`${home}/.ion/audit`, 0o700),
    only: 'user',
    args: ['run', 'echo ok'],
    stdout: 'ok\n',
    stderr: /^ion: cannot write the audit log in "[^"]*": no permission\n$/,
  },
  {
    name: 'the same where the log is required: nothing runs',
    files: {
      '~/.ion/audit/audit.jsonl': {text: '', mode: 0o400},
      '~/.ion/config.toml': '[audit]\nmode = "required"\n',
    },
    before: ({home}) => chmodSync(`${home}/.ion/audit`, 0o700),
    only: 'user',
    args: ['run', 'touch ran'],
    code: 125,
    stderr: message,
    after: nothingRan,
  },
  {
    name: 'a log with invalid lines: it is kept, and verify names the place',
    files: {'~/.ion/audit/audit.jsonl': {text: 'noise\n\0\u00ff', mode: 0o600}},
    before: ({home}) => chmodSync(`${home}/.ion/audit`, 0o700),
    args: ['run', 'echo ok'],
    stdout: 'ok\n',
    after: async (scratch, _ended, as) => {
      const {code, stderr} = await runIon(scratch, ['audit', 'verify'], {as});
      assert.equal(code, 1);
      assert.match(stderr, /the audit log is broken at record 1: not a record\n --> .*audit.jsonl:1\n/);
    },
  },
  {
    name: 'rules for a home that is not writable',
    only: 'user',
    before: ({home}) => chmodSync(home, 0o555),
    args: ['rules', 'add', 'deny', 'tool', 'x'],
    code: 125,
    stderr: 'ion: "~/.ion/rules.json" cannot be written: permission denied\n',
  },
]);

/** All invalid forms of a config file, for each place where ion reads one. */
const broken: readonly {name: string; make: (file: string) => void}[] = [
  {name: 'a folder', make: (file) => execFileSync('mkdir', [file])},
  {name: 'a FIFO', make: (file) => execFileSync('mkfifo', [file])},
  {name: 'a symlink to itself', make: (file) => symlinkSync(file, file)},
  {name: 'a symlink out of the project', make: (file) => symlinkSync('/etc/hostname', file)},
  {name: 'a dangling symlink', make: (file) => symlinkSync('nowhere', file)},
  {name: '/dev/zero', make: (file) => symlinkSync('/dev/zero', file)},
  {
    name: '100 MB',
    make: (file) => {
      writeFileSync(file, '');
      truncateSync(file, 100 << 20);
    },
  },
  {name: 'bad TOML', make: (file) => writeFileSync(file, '[permissions\n')},
  {name: 'NUL bytes', make: (file) => writeFileSync(file, '\0\0')},
  {name: 'invalid UTF-8', make: (file) => writeFileSync(file, Buffer.from([0x61, 0x3d, 0x22, 0xff, 0x22]))},
  {name: 'a deep nest', make: (file) => writeFileSync(file, `a = ${'['.repeat(200_000)}`)},
  {name: 'an unknown key', make: (file) => writeFileSync(file, '[permissions]\ndeny_command = []\n')},
  {name: 'a wrong type', make: (file) => writeFileSync(file, '[permissions]\nmode = 3\n')},
  {name: 'a prototype key', make: (file) => writeFileSync(file, '[__proto__]\nmode = "read"\n')},
];

const places: readonly {name: string; folder: string; file: string; args: readonly string[]}[] = [
  {name: 'project', folder: '.ion/', file: '{work}/.ion/config.toml', args: []},
  {name: 'local', folder: '.ion/', file: '{work}/.ion/config.local.toml', args: []},
  {name: 'user', folder: '~/.ion/', file: '{home}/.ion/config.toml', args: []},
  {name: '--config', folder: 'c/', file: '{work}/c/x.toml', args: ['--config', '{work}/c/x.toml']},
];

testRefusals(
  'a config file that is',
  places.flatMap(({name: place, folder, file, args}) =>
    broken.map(({name, make}): Case => ({
      name: `${name} (${place})`,
      files: {[folder]: ''},
      before: ({home, work}) => make(file.replace('{home}', home).replace('{work}', work)),
      args: ['run', ...args, 'touch ran'],
      code: 125,
      stderr: message,
      after: nothingRan,
    })),
  ),
);

testCases('bad input', [
  {
    name: 'a NUL byte cannot be passed as an argument, but a config can contain one',
    files: {'.ion/config.toml': '[permissions]\ndeny_commands = ["a\\u0000b"]\n'},
    args: ['run', 'touch ran'],
    code: 125,
    stderr: message,
    after: nothingRan,
  },
  {
    name: 'no HOME',
    env: {HOME: undefined},
    args: ['run', confined],
    stdout: 'ok\n',
    stderr: new RegExp(`^${refusalLines}`),
  },
  {
    name: 'an empty HOME',
    env: {HOME: ''},
    args: ['run', confined],
    stdout: 'ok\n',
    stderr: new RegExp(`^${refusalLines}`),
  },
  {
    name: 'a HOME that does not exist',
    env: {HOME: '/nonexistent'},
    args: ['run', confined],
    stdout: 'ok\n',
    stderr: new RegExp(
      `^ion: cannot write the audit log in "/nonexistent/\\.ion/audit": [^\n]*\n${refusalLines}`,
    ),
  },
  {
    name: 'a HOME that cannot be written',
    only: 'user',
    before: ({home}) => chmodSync(home, 0o555),
    args: ['run', confined],
    stdout: 'ok\n',
    // A folder that this user cannot write anyway is not reported as a refusal of ion.
    stderr: /^ion: cannot write the audit log [^\n]*\n$/,
  },
  {
    name: 'a HOME that is a file',
    files: {'~/file': ''},
    env: {HOME: '{home}/file'},
    args: ['run', 'touch ran'],
    code: 125,
    stderr: 'ion: "~/.ion/config.toml" cannot be read: a part of its path is not a folder\n',
    after: nothingRan,
  },
  {name: 'a relative HOME', env: {HOME: 'relative'}, args: ['run', 'echo ok'], code: 125, stderr: message},
  {
    name: 'TMPDIR is home',
    env: {TMPDIR: '{home}'},
    args: ['run', 'touch ~/x'],
    code: 1,
    stderr: /Permission denied|Read-only/,
  },
  {
    name: 'TMPDIR does not exist',
    env: {TMPDIR: '/nonexistent'},
    args: ['run', 'echo ok'],
    stdout: 'ok\n',
  },
  {
    name: 'the home folder as workspace',
    cwd: '{home}',
    args: ['run', 'touch ran'],
    code: 125,
    stderr:
      'ion: cannot sandbox write mode in {home}: it is your home folder, and everything below would be writable\nhelp: start ion in a project folder, use --read, or list it; for this run: --set sandbox.write_roots+={home}; for all: sandbox.write_roots = ["{home}"] in ~/.ion/config.toml\n',
    after: ({home}) => assert.ok(!readdirSync(home).includes('ran')),
  },
  {
    name: 'a parent of home as workspace',
    cwd: '{root}',
    args: ['run', 'touch ran'],
    code: 125,
    stderr: message,
  },
  {
    name: 'the root folder as workspace',
    cwd: '/',
    args: ['run', 'touch /ran'],
    code: 125,
    stderr:
      'ion: cannot sandbox write mode in /: it is the root of the file system, and everything below would be writable\nhelp: start ion in a project folder, or use --read\n',
  },
  ...['{work}', '/'].map((cwd): Case => ({
    name: `the root folder as a write root, in ${cwd}`,
    cwd,
    files: {'~/.ion/config.toml': '[sandbox]\nwrite_roots = ["/srv", "/"]\n'},
    args: ['run', 'touch ran'],
    code: 125,
    stderr:
      'ion: sandbox.write_roots = ["/"] would leave no file protected\n --> ~/.ion/config.toml:2\nhelp: list only the folders that are needed; --no-sandbox runs without a sandbox\n',
  })),
  {name: '/etc as workspace', cwd: '/etc', args: ['run', 'touch ran'], code: 125, stderr: message},
  {name: '/usr/lib as workspace', cwd: '/usr/lib', args: ['run', 'touch ran'], code: 125, stderr: message},
  {name: 'the home folder in read mode', cwd: '{home}', args: ['run', '--read', 'pwd'], stdout: '{home}\n'},
  {
    name: 'a cwd that contains a symlink',
    before: ({home, work}) => symlinkSync(work, `${home}/link`),
    cwd: '{home}/link',
    args: ['run', 'echo x > f && cat f && ! touch ../x 2>&-'],
    stdout: 'x\n',
    stderr: new RegExp(`^${refusalLines}`),
  },
  {
    name: 'a command of 100 KB',
    args: ['run', `echo ${'a'.repeat(100_000)}`],
    stdout: `${'a'.repeat(100_000)}\n`,
  },
  {
    name: 'a command that is too long for the kernel',
    args: ['run', '--', ...Array.from({length: 10}, () => 'x'.repeat(100_000))],
    code: 125,
    stderr:
      /^ion: the command has \d+ bytes, and the kernel takes at most 131071 in one argument\nhelp: [^\n]*\n$/,
  },
]);

for (const as of testers) {
  test(`sandbox = "require": everything is enforced, or nothing runs (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'require.toml': '[permissions]\nsandbox = "require"\n'});
    const args = ['run', '--config', 'require.toml', 'touch ran; ! touch ../x 2>&-'];
    const {code, stderr} = await runIon(scratch, args, {as});
    if (code === 0) return assert.equal(stderr, '');
    assert.equal(code, 125);
    assert.match(
      stderr,
      /^ion: the config requires what this machine does not enforce: .*\n --> require\.toml:2\nhelp: .*\n$/,
    );
    nothingRan(scratch);
  });

  test(`bad input: a cwd that was deleted (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'gone/': ''});
    const script = `cd gone && rmdir ../gone && exec "$0" "$@"`;
    const ended = await runIon(scratch, ['run', 'touch /tmp/ran-in-deleted'], {
      as,
      through: ['bash', '-c', script],
    });
    assert.deepEqual(
      [ended.code, ended.stderr],
      [125, 'ion: the current folder no longer exists\nhelp: cd to a folder that exists\n'],
    );
  });

  test(`bad input: invalid UTF-8 in the command (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    // Node itself cannot pass such bytes; bash can.
    const script = `exec "$0" "$1" run $'touch ran\\xff\\xfe'`;
    const {status, stderr} = spawnSync('bash', ['-c', script, process.execPath, ionFile], {
      cwd: scratch.work,
      env: environmentOf(scratch),
      encoding: 'utf8',
      uid: as.uid,
      gid: as.gid,
    });
    assert.equal(status, 125);
    assert.equal(
      stderr,
      'ion: the command is not valid UTF-8\nhelp: put it into a file and run "bash <file>"\n',
    );
    assert.deepEqual(readdirSync(scratch.work), []);
  });

  test(`bad input: a folder that another user owns can only tighten (${as.name})`, async (t) => {
    if (process.getuid!() !== 0) return;
    const scratch = makeScratch(t, as, {'.ion/config.toml': '[sandbox]\nnetwork = "full"\n'});
    execFileSync('chown', ['-R', as.uid === 0 ? '12345' : '0', `${scratch.work}/.ion`]);
    const ended = await runIon(scratch, ['run', 'exec 3<>/dev/udp/127.0.0.1/9'], {as});
    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.stderr, /ignored: sandbox\.network = "full"/);
  });
}

/**
 * The number of descriptors that Node itself has open, which depends on its version. Node can load a file if the limit is one
 * higher.
 */
const openInNode = Number(
  execFileSync(process.execPath, ['-p', 'require("fs").readdirSync("/proc/self/fd").length'], {
    encoding: 'utf8',
  }),
);

/** A resource limit that is too low for one step of ion's start, and the limit that the advice names. */
const short: readonly {limit: string; names: RegExp}[] = [
  {limit: '-f 1', names: /ulimit -f/},
  ...[0, 1, 2, 3, 4, 5, 6].map((more) => ({limit: `-n ${openInNode + more}`, names: /ulimit -n/})),
];

for (const as of testers) {
  for (const {limit, names} of short) {
    test(`ulimit ${limit}: nothing runs, and the message names the limit to raise (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as);
      const through = ['bash', '-c', `ulimit ${limit}; exec "$0" "$@"`];
      const {code, stderr} = await runIon(scratch, ['run', 'touch ran'], {as, through});
      assert.equal(code, 125, stderr);
      assert.doesNotMatch(stderr, /bug/);
      assert.match(stderr.trimEnd().split('\n').at(-1)!, names);
      nothingRan(scratch);
    });
  }

  test(`an open_files that is too low for bash itself is reported (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    writeFileSync(`${scratch.work}/c.toml`, '[sandbox.limits]\nopen_files = 1\n');
    const {code, stderr} = await runIon(scratch, ['run', '--config', 'c.toml', 'touch ran'], {as});
    assert.equal(code, 127, stderr);
    assert.match(stderr, /\nhelp: .*sandbox\.limits\.open_files/);
  });

  test(`ulimit -n 40 is enough (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const through = ['bash', '-c', 'ulimit -n 40; exec "$0" "$@"'];
    const {code, stdout, stderr} = await runIon(scratch, ['run', confined], {as, through});
    assert.deepEqual([code, stdout], [0, 'ok\n'], stderr);
  });
}
