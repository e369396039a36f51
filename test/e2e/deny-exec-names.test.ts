import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {symlinkSync} from 'node:fs';
import {test} from 'node:test';
import {plain, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Scratch} from '../harness/scratch.ts';

const deploy = {text: '#!/bin/sh\necho through\n', mode: 0o755};
const module = 'import sys\nprint("through" if "install" in sys.argv else "fine")\n';

/** `tools` is on PATH, outside the workspace. Every program of the workspace and of `tools` prints `through`. */
const files = {
  deploy,
  '/tools/tool-1.2': deploy,
  '/tools/impl': deploy,
  '/tools/systemctl': deploy,
  '/tools/other': {text: '#!/bin/sh\necho fine\n', mode: 0o755},
  '/tools/pip3': {text: '#!/bin/sh\necho through # pip\n', mode: 0o755},
  'pip/__init__.py': '',
  'pip/__main__.py': module,
  'pip/_internal/__init__.py': '',
  'pip/_internal/__main__.py': module,
};

const links: readonly (readonly [name: string, target: string])[] = [
  ['tool', 'tool-1.2'],
  ['al', 'alternatives-al'],
  ['alternatives-al', 'impl'],
  ['halt', 'systemctl'],
  ['pip', 'pip3'],
];

interface Row {
  readonly name: string;
  readonly deny: string;
  /** Each attack prints `through` unless it is denied. The row is skipped where a program of `needs` is missing. */
  readonly attacks: readonly string[];
  readonly fine?: readonly string[];
  readonly needs?: readonly string[];
}

const busybox = 'cp "$(command -v busybox)" bb';

const rows: readonly Row[] = [
  {
    name: 'the target of a name on PATH',
    deny: 'tool *',
    attacks: [
      'tool',
      'tool-1.2',
      '"$(command -v tool-1.2)"',
      'cp "$(command -v tool-1.2)" x && ./x',
      'sh "$(command -v tool-1.2)"',
      'cp "$(command -v tool-1.2)" y && sh -u y',
    ],
    fine: ['other'],
  },
  {
    name: 'a name that is a symlink to it',
    deny: 'tool-1.2 *',
    attacks: ['tool', 'tool-1.2'],
    fine: ['other'],
  },
  {name: 'through two symlinks', deny: 'al *', attacks: ['al', 'impl', 'alternatives-al'], fine: ['other']},
  {name: 'from their end', deny: 'impl *', attacks: ['al', 'impl', 'alternatives-al'], fine: ['other']},
  {
    name: 'a program that contains many, by one of its names',
    deny: 'halt *',
    attacks: ['halt', '(exec -a halt systemctl)', 'ln -s "$(command -v systemctl)" halt && ./halt'],
    fine: ['systemctl | sed s/through/fine/', 'other'],
  },
  {
    name: 'the script of an interpreter',
    deny: 'deploy *',
    attacks: [
      './deploy',
      'sh deploy',
      'sh ./deploy 1',
      'sh -e +x -- ./deploy',
      'bash - deploy',
      'bash -eo pipefail deploy',
      'bash --norc +o posix deploy',
      'ln -s deploy z && bash z',
      'cp "$(command -v bash)" b && ./b -e deploy',
      '(exec -a x bash deploy)',
    ],
    fine: [
      "sh -c 'echo fine' deploy",
      'bash -ec "echo fine" deploy',
      'echo echo fine | sh -s deploy',
      'bash "$(command -v other)" deploy',
    ],
  },
  {
    name: 'a module',
    deny: 'pip install *',
    needs: ['python3'],
    attacks: [
      'pip install x',
      'pip3 install x',
      'python3 -m pip install x',
      'python3 -mpip install x',
      'python3 -B -W ignore -Bm pip --no-input install x',
      'python3 -m pip._internal install x',
      'python3 -m runpy pip install x',
      'python3 -m cProfile -o /dev/null -m pip install x',
      'python3 ./pip install x',
      'cp "$(readlink -f "$(command -v python3)")" p && ./p -m pip install x',
    ],
    fine: [
      'python3 -m pip list',
      'python3 -c \'print("fine")\' -m pip install',
      'echo \'print("fine")\' > f.py; python3 f.py -m pip install',
    ],
  },
  {
    name: 'busybox and its shell',
    deny: 'deploy *',
    needs: ['busybox'],
    attacks: [
      `${busybox}; ln -s bb busybox.2; ./busybox.2 sh deploy`,
      'busybox sh ./deploy',
      '(exec -a busybox ./bb ash deploy)',
      'ln -s bb ash; ./ash deploy',
    ],
    fine: ["busybox sh -c 'echo fine'", 'busybox echo fine'],
  },
  {
    name: 'commands that the shell of busybox runs in its own process',
    deny: 'touch *',
    needs: ['busybox'],
    attacks: [
      'busybox touch t && echo through',
      "busybox sh -c 'touch t && echo through'",
      `${busybox}; (exec -a busybox ./bb sh -c 'touch t && echo through')`,
      "ln -s bb sh; ./sh -c 'touch t && echo through'",
    ],
    fine: ['busybox echo fine', 'busybox awk \'BEGIN {print "fine"}\'', 'sh -c "echo fine"'],
  },
  {
    name: "git's scripts",
    deny: 'git sh-i18n--envsubst *',
    needs: ['git'],
    attacks: [
      '"$(git --exec-path)"/git-sh-i18n--envsubst --variables a && echo through',
      'git sh-i18n--envsubst --variables a && echo through',
    ],
    fine: ['printf "#!/bin/sh\\necho fine\\n" > git-sh-i18n--envsubst.sh; sh git-sh-i18n--envsubst.sh'],
  },
  {
    name: 'the shell that ion itself starts',
    deny: 'bash *',
    attacks: [
      "bash -c 'echo through'",
      'cp "$(command -v bash)" b; ./b -c "echo through"',
      'printf "#!/bin/bash\\necho through\\n" > s; chmod +x s; ./s',
    ],
    fine: ['echo fine', "sh -c 'echo fine'"],
  },
];

/** A script that is sourced, so that the command's text does not contain its lines. */
const scriptOf = ({attacks, fine = []}: Row): string =>
  [...attacks, ...fine].map((line) => `( ${line} ) 2> /dev/null\n`).join('');

function makeWorld(t: Parameters<typeof makeScratch>[0], as: Identity, config: string): Scratch {
  const scratch = makeScratch(t, as, files);
  writeFiles(scratch, {'~/.ion/config.toml': config.replaceAll('{root}', scratch.root)});
  for (const [name, target] of links) symlinkSync(target, `${scratch.root}/tools/${name}`);
  giveTo(scratch.root, as);
  return scratch;
}

/** The output of the row's commands without ion. It is the same for every user. */
function runOutside(t: Parameters<typeof makeScratch>[0], row: Row): string {
  const scratch = makeWorld(t, plain, '');
  writeFiles(scratch, {lines: scriptOf(row)});
  return execFileSync('/bin/bash', ['-c', '. ./lines; true'], {
    cwd: scratch.work,
    env: environmentOf(scratch, {PATH: searchPath(scratch)}),
    encoding: 'utf8',
  });
}

const searchPath = ({root}: Scratch): string => `${root}/tools:/usr/bin:/bin`;

for (const row of rows) {
  const fine = (row.fine ?? []).map(() => 'fine\n').join('');

  test(`deny_commands at exec, attacks outside: ${row.name}`, (t) => {
    if (!requireProgram(t, ...(row.needs ?? []))) return;
    assert.equal(runOutside(t, row), row.attacks.map(() => 'through\n').join('') + fine);
  });

  for (const as of testers) {
    test(`deny_commands at exec: ${row.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, ...(row.needs ?? []))) return;
      const scratch = makeWorld(
        t,
        as,
        `[permissions]\ndeny_commands = ["${row.deny}"]\n[sandbox]\nread_roots = ["{root}/tools"]\n`,
      );
      writeFiles(scratch, {lines: scriptOf(row)});
      const env = {PATH: searchPath(scratch)};
      const {stdout, stderr} = await runIon(scratch, ['run', '. ./lines; true'], {as, env});
      assert.equal(stdout, fine, stderr);
    });
  }
}
