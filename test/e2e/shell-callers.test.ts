import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {isWhole} from '../harness/extent.ts';
import {installed} from '../harness/installed.ts';
import {plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {patience} from '../harness/patience.ts';
import {collect, startProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, type Files, type Scratch} from '../harness/scratch.ts';

/** The command that each caller runs in its shell: it writes in the workspace, and tries to write outside. */
const command = 'echo in > done; touch ../outside || true';

/** A program that starts a shell, and how a user makes ion-sh that shell. */
interface Caller {
  readonly name: string;
  readonly needs: readonly string[];
  readonly files?: Files;
  readonly program: string;
  readonly args?: readonly string[];
  /** `{shell}` is the absolute path of the shell. */
  readonly env?: Readonly<Record<string, string>>;
  /** A package of npm that has the program. Only in the whole suite. */
  readonly from?: string;
  /** The program runs until the test ends it. */
  readonly goesOn?: true;
}

const script: Files = {'package.json': JSON.stringify({name: 'x', version: '1.0.0', scripts: {go: command}})};
const recipe: Files = {
  Makefile: `go:\n\t@${command}\n`,
  'top.mk': 'go:\n\t@$(MAKE) --no-print-directory go\n',
};

const callers: readonly Caller[] = [
  {
    name: 'npm run',
    needs: ['npm'],
    files: script,
    program: 'npm',
    args: ['run', '--silent', 'go'],
    env: {npm_config_script_shell: '{shell}'},
  },
  {
    name: 'an npm script that calls npm',
    needs: ['npm'],
    files: {'package.json': JSON.stringify({scripts: {all: 'npm run --silent go', go: command}})},
    program: 'npm',
    args: ['run', '--silent', 'all'],
    env: {npm_config_script_shell: '{shell}'},
  },
  {
    name: 'pnpm run',
    needs: ['npm'],
    from: 'pnpm@10',
    files: script,
    program: 'pnpm',
    args: ['run', '--silent', 'go'],
    env: {npm_config_script_shell: '{shell}'},
  },
  {
    name: 'yarn 1',
    needs: ['npm'],
    from: 'yarn@1',
    files: {...script, '~/.yarnrc': 'script-shell "{shell}"\n'},
    program: 'yarn',
    args: ['--silent', 'run', 'go'],
  },
  {name: 'make', needs: ['make'], files: recipe, program: 'make', args: ['SHELL={shell}', 'go']},
  {
    name: 'make -j with a sub-make',
    needs: ['make'],
    files: recipe,
    program: 'make',
    args: ['-j2', '-f', 'top.mk', 'SHELL={shell}', 'go'],
  },
  {
    name: 'a git hook',
    needs: ['git'],
    files: {'~/hooks/pre-commit': {text: `#!{shell}\n${command}\n`, mode: 0o755}},
    program: 'git',
    args: [
      '-c',
      'core.hooksPath={home}/hooks',
      '-c',
      'user.name=x',
      '-c',
      'user.email=x',
      'commit',
      '--allow-empty',
      '-qm',
      'x',
    ],
  },
  {
    name: 'a git alias',
    needs: ['git'],
    program: 'git',
    args: ['-c', `alias.go=!{shell} -c '${command}'`, 'go'],
  },
  {
    name: '$SHELL of Python',
    needs: ['python3'],
    program: 'python3',
    args: ['-c', `import os, subprocess; subprocess.run([os.environ["SHELL"], "-c", "${command}"])`],
    env: {SHELL: '{shell}'},
  },
  {
    name: "Node's exec with its option shell",
    needs: [],
    program: process.execPath,
    args: ['-e', `require("child_process").execSync("${command}", {shell: process.env.SHELL})`],
    env: {SHELL: '{shell}'},
  },
  {
    name: 'find -exec',
    needs: ['find'],
    program: 'find',
    args: ['.', '-maxdepth', '0', '-exec', '{shell}', '-c', command, ';'],
  },
  {
    name: 'xargs',
    needs: ['xargs', 'sh'],
    program: 'sh',
    args: ['-c', `echo x | xargs -I@ "$SHELL" -c '${command}' @`],
    env: {SHELL: '{shell}'},
  },
  {
    name: 'watch',
    needs: ['watch', 'script'],
    program: 'script',
    args: ['-qec', `watch -x "$SHELL" -c '${command}'`, '/dev/null'],
    env: {SHELL: '{shell}'},
    goesOn: true,
  },
  {
    name: "ion-exec as an agent's prefix",
    needs: ['sh'],
    program: 'sh',
    args: ['-c', `"$PREFIX" '${command}'`],
    env: {PREFIX: '{exec}'},
  },
  {
    name: 'GitHub: shell: ion-sh {0}',
    needs: [],
    files: {'/_temp/step': `${command}\n`},
    program: '{shell}',
    args: ['{root}/_temp/step'],
  },
  {
    name: 'GitHub: --noprofile --norc -eo pipefail {0}',
    needs: [],
    files: {'/_temp/step': `${command}\n`},
    program: '{shell}',
    args: ['--noprofile', '--norc', '-eo', 'pipefail', '{root}/_temp/step'],
  },
];

async function run(
  t: TestContext,
  caller: Caller,
  confined: boolean,
): Promise<{scratch: Scratch; ended: Ended}> {
  const scratch = makeScratch(t, plain);
  const {root, home, work} = scratch;
  const folder = shellElsewhere(scratch);
  const put = (text: string): string =>
    text
      .replaceAll('{shell}', confined ? `${folder}/ion-sh` : '/bin/bash')
      .replaceAll('{exec}', confined ? `${folder}/ion-exec` : '/bin/eval')
      .replaceAll('{home}', home)
      .replaceAll('{root}', root);
  writeAll(scratch, caller.files ?? {}, put);
  if (caller.needs.includes('git')) spawnSync('git', ['init', '-q', work]);
  giveTo(root, plain);
  const bin = caller.from === undefined ? [] : [installed(caller.from)];
  const child = startProgram(scratch, [caller.program, ...(caller.args ?? [])].map(put), {
    as: plain,
    env: {
      PATH: [...bin, process.env['PATH']].join(':'),
      npm_config_update_notifier: 'false',
      ...Object.fromEntries(Object.entries(caller.env ?? {}).map(([name, value]) => [name, put(value)])),
    },
  });
  if (caller.goesOn)
    await until(() => existsSync(`${work}/done`) && (confined || existsSync(`${home}/outside`)));
  if (caller.goesOn) child.kill();
  return {scratch, ended: await collect(child, 60_000 * patience)};
}

function writeAll({root, home, work}: Scratch, files: Files, put: (text: string) => string): void {
  for (const [name, content] of Object.entries(files)) {
    const file = name.startsWith('~/')
      ? path.join(home, name.slice(2))
      : name.startsWith('/')
        ? root + name
        : path.join(work, name);
    mkdirSync(path.dirname(file), {recursive: true});
    if (typeof content === 'string') writeFileSync(file, put(content));
    else if ('text' in content) writeFileSync(file, put(content.text), {mode: content.mode});
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000 * patience; !holds() && Date.now() < end;)
    await new Promise((done) => setTimeout(done, 50));
}

for (const caller of callers) {
  if (caller.from !== undefined && !isWhole) continue;
  test(`${caller.name} with ion-sh as its shell`, async (t) => {
    if (!requireProgram(t, ...caller.needs)) return;
    const {scratch, ended} = await run(t, caller, true);
    assert.equal(existsSync(`${scratch.work}/done`), true, `it did not run: ${JSON.stringify(ended)}`);
    assert.equal(existsSync(`${scratch.home}/outside`), false);
    if (caller.goesOn === undefined) assert.match(ended.stderr, /could not change/);
    if (!isWhole || caller.env?.['PREFIX'] !== undefined) return;
    const without = await run(t, caller, false);
    assert.equal(existsSync(`${without.scratch.home}/outside`), true, 'without ion it writes outside');
  });
}
