import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {isWhole} from '../harness/extent.ts';
import {plain} from '../harness/identity.ts';
import {installed} from '../harness/installed.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {patience} from '../harness/patience.ts';
import {runProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, withTexts, writeFiles, type Files, type Scratch} from '../harness/scratch.ts';

/**
 * A hostile project against the setting by which a tool starts ion-sh. Where a row is lost, the tool runs code of the project
 * without ion-sh: docs/recipes.md says so, and to run the tool itself inside. Each lost row shows that this holds.
 */
interface Row {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Chosen by the project, and by the user (`~/`). `{mark}`, `{shell}` and `{home}` are filled in. */
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  /** The package of npm that has the program. Only in the whole suite. */
  readonly from?: string;
  /** Keys of the repository's own config. */
  readonly git?: Readonly<Record<string, string>>;
  readonly lost?: true;
}

const attack = 'touch {mark}; echo in > done';
const program = (text: string): {text: string; mode: number} => ({text, mode: 0o755});
const evil = program(`#!/bin/sh\n${attack}\n`);
const project = (script: string): Files => ({
  'package.json': JSON.stringify({name: 'x', version: '1.0.0', license: 'MIT', scripts: {go: script}}),
});
const evilNode = `require('node:fs').writeFileSync('{mark}', '');`;
const npmShell = {npm_config_script_shell: '{shell}'};
const yarnShell = {yarn_script_shell: '{shell}'};
const commit = ['-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--allow-empty', '-qm', 'x'];
const userHook: Files = {'~/hooks/pre-commit': program(`#!{shell}\n${attack}\n`)};

const npm: readonly Row[] = [
  {
    name: 'npm exec of a program of a dependency',
    program: 'npm',
    args: ['exec', 'tool'],
    files: {...project('true'), 'node_modules/.bin/tool': evil},
    env: npmShell,
  },
  {
    name: 'npm exec -c',
    program: 'npm',
    args: ['exec', '-c', attack],
    files: project('true'),
    env: npmShell,
  },
  {
    name: 'npm: script-shell and shell-emulator in .npmrc',
    program: 'npm',
    args: ['run', 'go'],
    files: {...project(attack), '.npmrc': 'script-shell=./evil.sh\nshell-emulator=true\n', 'evil.sh': evil},
    env: npmShell,
  },
];

const pnpm = {program: 'pnpm', args: ['run', 'go'], from: 'pnpm@10', env: npmShell} as const;
const yarn1 = {program: 'yarn', args: ['run', 'go'], from: 'yarn@1', env: yarnShell} as const;
const berry = {program: 'yarn', args: ['run', 'go'], from: '@yarnpkg/cli-dist@4.18.1'} as const;
const berryFiles: Files = {
  'yarn.lock': [
    '__metadata:\n  version: 10\n  cacheKey: 10c0\n',
    '"x@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "x@workspace:."\n  languageName: unknown\n  linkType: soft\n',
  ].join('\n'),
  '.pnp.cjs': '',
};

const others: readonly Row[] = [
  {
    ...pnpm,
    name: 'pnpm: script-shell in .npmrc',
    files: {...project(attack), '.npmrc': 'script-shell=./evil.sh\n', 'evil.sh': evil},
  },
  {
    ...pnpm,
    name: 'pnpm: scriptShell in pnpm-workspace.yaml',
    files: {...project(attack), 'pnpm-workspace.yaml': 'scriptShell: ./evil.sh\n', 'evil.sh': evil},
    lost: true,
  },
  {
    ...pnpm,
    name: 'pnpm: its own shell, by shell-emulator in .npmrc',
    files: {...project('./evil.sh'), '.npmrc': 'shell-emulator=true\n', 'evil.sh': evil},
    lost: true,
  },
  {
    ...pnpm,
    name: 'pnpm: .pnpmfile.cjs',
    files: {...project('echo in > done'), '.pnpmfile.cjs': evilNode},
    lost: true,
  },
  {
    ...yarn1,
    name: 'Yarn 1: script-shell in .yarnrc',
    files: {...project(attack), '.yarnrc': 'script-shell "./evil.sh"\n', 'evil.sh': evil},
  },
  {
    ...yarn1,
    name: "Yarn 1: script-shell in .yarnrc, against npm's variable",
    env: npmShell,
    files: {...project(attack), '.yarnrc': 'script-shell "./evil.sh"\n', 'evil.sh': evil},
    lost: true,
  },
  {
    ...yarn1,
    name: 'Yarn 1: script-shell in .yarnrc, against the file of the user',
    env: {},
    files: {
      ...project(attack),
      '.yarnrc': 'script-shell "./evil.sh"\n',
      'evil.sh': evil,
      '~/.yarnrc': 'script-shell "{shell}"\n',
    },
    lost: true,
  },
  {
    ...yarn1,
    name: 'Yarn 1: yarn-path in .yarnrc',
    files: {...project(attack), '.yarnrc': 'yarn-path "./evil.cjs"\n', 'evil.cjs': evilNode},
    lost: true,
  },
  {
    ...yarn1,
    name: 'Yarn 1: yarn-path in .yarnrc, with YARN_IGNORE_PATH',
    env: {...yarnShell, YARN_IGNORE_PATH: '1'},
    files: {...project(attack), '.yarnrc': 'yarn-path "./evil.cjs"\n', 'evil.cjs': evilNode},
  },
  {
    ...berry,
    name: 'Yarn 4: its own shell',
    files: {...project('./evil.sh'), ...berryFiles, 'evil.sh': evil},
    env: npmShell,
    lost: true,
  },
  {
    ...berry,
    name: 'Yarn 4: yarnPath in .yarnrc.yml',
    files: {...project(attack), ...berryFiles, '.yarnrc.yml': 'yarnPath: ./evil.cjs\n', 'evil.cjs': evilNode},
    lost: true,
  },
];

const git: readonly Row[] = [
  {
    name: 'git: core.hooksPath of the repository, against -c',
    program: 'git',
    args: ['-c', 'core.hooksPath={home}/hooks', ...commit],
    files: {...userHook, 'own/pre-commit': evil},
    git: {'core.hooksPath': 'own'},
  },
  {
    name: 'git: core.hooksPath of the repository, against ~/.gitconfig',
    program: 'git',
    args: commit,
    files: {...userHook, 'own/pre-commit': evil, '~/.gitconfig': '[core]\nhooksPath = {home}/hooks\n'},
    git: {'core.hooksPath': 'own'},
    lost: true,
  },
  {
    name: 'git: core.sshCommand of the repository, against GIT_SSH_COMMAND',
    program: 'git',
    args: ['ls-remote', 'ssh://host.invalid/x'],
    git: {'core.sshCommand': attack},
    env: {GIT_SSH_COMMAND: `{shell} -c '${attack}'`},
  },
  {
    name: 'git: an alias of the repository, against -c',
    program: 'git',
    args: ['-c', `alias.go=!{shell} -c '${attack}'`, 'go'],
    git: {'alias.go': `!${attack}`},
  },
  {
    name: 'git: core.fsmonitor of the repository, although SHELL is ion-sh',
    program: 'git',
    args: ['status'],
    git: {'core.fsmonitor': './evil.sh'},
    files: {'evil.sh': evil},
    env: {SHELL: '{shell}'},
    lost: true,
  },
];

/** `inside`: ion runs the tool itself. */
async function run(
  t: TestContext,
  row: Row,
  how: 'bash' | 'ion-sh' | 'inside',
): Promise<{scratch: Scratch; ended: Ended; isMarked: boolean}> {
  const scratch = makeScratch(t, plain);
  const {root, home, work} = scratch;
  const shell = how === 'bash' ? '/bin/bash' : `${shellElsewhere(scratch)}/ion-sh`;
  const mark = `${home}/mark`;
  const put = (text: string): string =>
    text.replaceAll('{shell}', shell).replaceAll('{mark}', mark).replaceAll('{home}', home);
  // Inside, no program reads the settings of the user.
  const files = Object.entries(row.files ?? {}).filter(([file]) => how !== 'inside' || !file.startsWith('~'));
  writeFiles(scratch, withTexts(Object.fromEntries(files), put));
  if (row.git) {
    spawnSync('git', ['init', '-q', work]);
    for (const [key, value] of Object.entries(row.git))
      spawnSync('git', ['config', '--file', `${work}/.git/config`, key, put(value)]);
  }
  giveTo(root, plain);
  const bin = row.from === undefined ? [] : [installed(row.from)];
  const readable = [
    '--set',
    `sandbox.read_roots=${JSON.stringify(bin.map((folder) => folder.replace('/.bin', '')))}`,
  ];
  const words = [row.program, ...row.args.map(put)];
  const argv = how === 'inside' ? [process.execPath, ionFile, 'run', ...readable, '--', ...words] : words;
  const variables = Object.entries(row.env ?? {}).map(([name, value]) => [name, put(value)]);
  const ended = await runProgram(scratch, argv, {
    as: plain,
    env: {
      PATH: [...bin, process.env['PATH']].join(':'),
      npm_config_update_notifier: 'false',
      YARN_ENABLE_TELEMETRY: '0',
      ...(how === 'inside' ? {} : Object.fromEntries(variables)),
    },
    timeoutMs: 60_000 * patience,
  });
  return {scratch, ended, isMarked: existsSync(mark)};
}

for (const row of [...npm, ...git, ...others]) {
  if (row.from !== undefined && !isWhole) continue;
  test(`${row.lost ? 'the project wins' : 'ion-sh holds'}: ${row.name}`, async (t) => {
    if (!requireProgram(t, row.from === undefined ? row.program : 'npm')) return;
    const outside = await run(t, row, 'bash');
    assert.equal(outside.isMarked, true, `the attack does not work: ${JSON.stringify(outside.ended)}`);
    const {scratch, ended, isMarked} = await run(t, row, 'ion-sh');
    assert.equal(isMarked, row.lost === true, JSON.stringify(ended));
    if (!row.lost) return assert.equal(existsSync(`${scratch.work}/done`), true, JSON.stringify(ended));
    const inside = await run(t, row, 'inside');
    assert.equal(inside.isMarked, false, JSON.stringify(inside.ended));
    assert.match(inside.ended.stderr + inside.ended.stdout, /mark|could not change/);
  });
}
