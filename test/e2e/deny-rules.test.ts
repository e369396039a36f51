import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {noListener, noNamespaces} from '../conformance/kernels.ts';
import {plain, testers} from '../harness/identity.ts';
import {compiled} from '../harness/native.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles} from '../harness/scratch.ts';

/** `tool` and `other` print their arguments. They are outside the workspace. */
const program = {text: '#!/bin/sh\necho "${0##*/} $*"\n', mode: 0o755};
const files = {
  '/tools/tool': program,
  '/tools/other': {text: '#!/bin/sh\necho "${0##*/}: $*"\n', mode: 0o755},
  secret: 'secret\n',
  'folder/secret': 'secret in it\n',
  'folder/open/file': 'open\n',
};

const rule = (effect: string, scope: string, match: string, more = ''): string =>
  `[[permissions.rules]]\neffect = "${effect}"\nscope = "${scope}"\nmatch = "${match}"\n${more}`;

interface Row {
  readonly name: string;
  /** Rules of `~/.ion/config.toml`, and of an untrusted project. */
  readonly rules: readonly string[];
  readonly project?: readonly string[];
  /** Sourced from a file, so that the command's text does not contain them. */
  readonly lines: readonly string[];
  readonly outside: string;
  readonly inside: string;
}

const rows: readonly Row[] = [
  {
    name: 'a command prefix',
    rules: [rule('deny', 'command_prefix', 'tool push')],
    lines: [
      'tool push',
      'tool push x',
      '"$(command -v tool)" push',
      'sh "$(command -v tool)" push',
      'cp "$(command -v tool)" x; ./x push',
      '(exec -a tool other push)',
      'tool pull',
      'tool pushed',
      'other push',
    ],
    outside:
      'tool push\ntool push x\ntool push\ntool push\nx push\nother: push\ntool pull\ntool pushed\nother: push\n',
    inside: 'tool pull\ntool pushed\nother: push\n',
  },
  {
    name: 'a command prefix with a star in it, which is not a wildcard',
    rules: [rule('deny', 'command_prefix', 'tool *')],
    lines: ['tool push', "tool '*'", "tool '*' x"],
    outside: 'tool push\ntool *\ntool * x\n',
    inside: 'tool push\n',
  },
  {
    name: 'a more specific rule that allows',
    rules: [rule('deny', 'command_prefix', 'tool'), rule('allow', 'command_prefix', 'tool list')],
    lines: ['tool list', 'tool list x', 'tool', 'tool lists', 'cp "$(command -v tool)" tool; ./tool list y'],
    outside: 'tool list\ntool list x\ntool \ntool lists\ntool list y\n',
    inside: 'tool list\ntool list x\ntool list y\n',
  },
  {
    name: 'a rule that allows another program of the same name',
    rules: [rule('deny', 'command_prefix', 'tool push'), rule('allow', 'command_prefix', 'mine push it')],
    lines: ['cp "$(command -v tool)" mine; ./mine push it', '(exec -a mine "$(command -v tool)" push it)'],
    outside: 'mine push it\ntool push it\n',
    inside: '',
  },
  {
    name: "a rule of an untrusted project, which the user's own rule does not override",
    rules: [rule('allow', 'command_prefix', 'tool push x')],
    project: [rule('deny', 'command_prefix', 'tool push'), rule('allow', 'command_prefix', 'tool push y')],
    lines: ['tool push x', 'tool push y', 'tool pull'],
    outside: 'tool push x\ntool push y\ntool pull\n',
    inside: 'tool pull\n',
  },
  {
    name: 'a path',
    rules: [rule('deny', 'path', '{work}/secret'), rule('deny', 'path', '{work}/later')],
    lines: ['cat secret', 'echo made > later; cat later', 'ln -s secret link; cat link', 'cat folder/secret'],
    outside: 'secret\nmade\nsecret\nsecret in it\n',
    inside: 'secret in it\n',
  },
  {
    name: 'a path with an exception in it',
    rules: [rule('deny', 'path', '{work}/folder'), rule('allow', 'path', '{work}/folder/open')],
    lines: [
      'cat folder/secret',
      'cat folder/open/file',
      'cd folder; cat secret',
      'cp -r folder copied; cat copied/secret',
      'cat secret',
    ],
    outside: 'secret in it\nopen\nsecret in it\nsecret in it\nsecret\n',
    inside: 'open\nsecret\n',
  },
  {
    name: 'a path for another tool',
    rules: [rule('deny', 'path', '{work}/secret', 'tool = "read"\n')],
    lines: ['cat secret'],
    outside: 'secret\n',
    inside: 'secret\n',
  },
];

const script = (lines: readonly string[]): string =>
  lines.map((line) => `( ${line} ) 2> /dev/null\n`).join('');

function configOf(root: string, rules: readonly string[]): string {
  const text = rules.join('').replaceAll('{work}', `${root}/home/work`);
  return `${text}[sandbox]\nread_roots = ["${root}/tools"]\n`;
}

for (const {name, rules, project = [], lines, outside, inside} of rows) {
  for (const as of testers) {
    for (const without of [false, true]) {
      const where = `${as.name}${without ? ', no namespaces' : ''}`;
      test(`deny rules apply where the command's text shows nothing: ${name} (${where})`, async (t) => {
        const [scratch, other] = [makeScratch(t, as, files), makeScratch(t, as, files)];
        for (const {root, work} of [scratch, other]) {
          writeFiles(
            {root, work, home: `${root}/home`, companions: []},
            {
              '~/.ion/config.toml': configOf(root, rules),
              ...(project.length > 0 ? {'.ion/config.toml': project.join('')} : {}),
              lines: script(lines),
            },
          );
          giveTo(root, as);
        }
        const env = (root: string) => ({PATH: `${root}/tools:/usr/bin:/bin`});
        const plainly = execFileSync('/bin/bash', ['-c', '. ./lines; true'], {
          cwd: other.work,
          env: environmentOf(other, env(other.root)),
          encoding: 'utf8',
        });
        assert.equal(plainly, outside, 'outside');
        const through = without ? [compiled('deny-syscalls.c'), ...noNamespaces, '--'] : [];
        const {stdout, stderr} = await runIon(scratch, ['run', '. ./lines; true'], {
          as,
          through,
          env: env(scratch.root),
        });
        assert.equal(stdout, inside, stderr);
      });
    }
  }
}

test('deny rules: the message', async (t) => {
  const scratch = makeScratch(t, plain, files);
  const reason = 'reason = "releases go through CI"\n';
  const rules = [
    rule('deny', 'command_prefix', 'tool push', reason),
    rule('deny', 'path', '{work}/later', reason),
  ];
  const lines = 'tool push now\necho x > later\n';
  writeFiles(scratch, {'~/.ion/config.toml': configOf(scratch.root, rules), lines});
  giveTo(scratch.root, plain);
  const env = {PATH: `${scratch.root}/tools:/usr/bin:/bin`};
  const {stderr} = await runIon(scratch, ['run', '. ./lines 2> /dev/null; true'], {as: plain, env});
  // The advice that both refusals share comes once, after the last.
  assert.equal(
    stderr.replaceAll(/pid \d+/g, 'pid N').replaceAll(scratch.root, '{root}'),
    'ion: blocked: bash (pid N) could not execute "{root}/tools/tool push now" (execve: denied by the rule command_prefix "tool push": "releases go through CI")\n' +
      ' --> ~/.ion/config.toml:1\n' +
      'ion: blocked: bash (pid N) could not change "{root}/home/work/later" (openat: denied by the rule path "{root}/home/work/later": "releases go through CI")\n' +
      ' --> ~/.ion/config.toml:6\nhelp: remove the rule from that config to allow it\n',
  );
});

test('deny rules, and deny_commands: the text only, without a sandbox', async (t) => {
  const scratch = makeScratch(t, plain, {deploy: program});
  writeFiles(scratch, {'~/.ion/config.toml': rule('deny', 'command_prefix', 'touch')});
  giveTo(scratch.root, plain);
  const run = (command: string) => runIon(scratch, ['run', '--no-sandbox', command], {as: plain});
  const said =
    'ion: no sandbox: the command is not confined, and no path is checked; deny_commands and rules are checked only in its text\n';
  assert.deepEqual(await run('./deploy'), {code: 0, signal: null, stdout: 'deploy \n', stderr: said});
  const denied = await run('touch x');
  assert.deepEqual(
    [denied.code, denied.stderr.startsWith(`${said}ion: denied: "touch x"`)],
    [126, true],
    denied.stderr,
  );
});

for (const [command, unclear] of [
  ['. ./lines', '. runs a file in this shell'],
  ['bash lines', 'what the script file runs is known only when it runs'],
  ['$WHAT x', 'the program is known only when it runs'],
  ['tool $WHAT', '"tool $WHAT" may become "tool push *" when it runs'],
] as const) {
  test(`deny rules: without a listener an unclear command is denied: ${command}`, async (t) => {
    const scratch = makeScratch(t, plain, {lines: ''});
    writeFiles(scratch, {'~/.ion/config.toml': rule('deny', 'command_prefix', 'tool push')});
    giveTo(scratch.root, plain);
    const through = [compiled('deny-syscalls.c'), ...noListener, '--'];
    const {code, stderr} = await runIon(scratch, ['run', command], {as: plain, through});
    assert.equal(
      stderr,
      `ion: denied: "${command}" can't be checked against the rules that deny: ${unclear}\n` +
        ' --> ~/.ion/config.toml:1\nhelp: write the command out in full: executions cannot be checked here\n',
    );
    assert.equal(code, 126);
  });
}

test('deny rules for a path: reported where only the text is checked', async (t) => {
  const scratch = makeScratch(t, plain, files);
  writeFiles(scratch, {
    '~/.ion/config.toml': rule('deny', 'path', '{work}/later').replace('{work}', scratch.work),
  });
  giveTo(scratch.root, plain);
  const through = [compiled('deny-syscalls.c'), ...noListener, '--'];
  const {code, stderr} = await runIon(scratch, ['run', 'true'], {as: plain, through});
  assert.deepEqual(
    [code, stderr],
    [
      0,
      `ion: the rule that denies the path "${scratch.work}/later" is checked only in the command's text here\n` +
        ' --> ~/.ion/config.toml:1\nhelp: "ion doctor" shows what is missing; with an entry of denied_paths instead, ion refuses to run\n',
    ],
  );
});

test('deny rules: the facts of a run without a listener report that only the text is checked', async (t) => {
  const scratch = makeScratch(t, plain);
  writeFiles(scratch, {'~/.ion/config.toml': rule('deny', 'command_prefix', 'tool push')});
  giveTo(scratch.root, plain);
  const through = [compiled('deny-syscalls.c'), ...noListener, '--'];
  const {stderr} = await runIon(scratch, ['run', '--json', 'true'], {as: plain, through});
  const {sandbox} = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as {
    sandbox: {enforcement: readonly {protection: string; level: string; by: string}[]};
  };
  const {level, by} = sandbox.enforcement.find(({protection}) => protection === 'denied-exec')!;
  assert.deepEqual([level, by], ['not', "the command's text only"]);
});
