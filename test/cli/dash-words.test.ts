import {testOnce, type Case} from '../harness/cases.ts';

/** A word in the place of the command is the command, even if it looks like an option of bash. */
const rows: readonly (readonly [args: readonly string[], stdout: string])[] = [
  [['-'], '-: \n'],
  [['-', 'x'], '-: x\n'],
  [['--', '-'], '-: \n'],
  [['--', '--'], '--: \n'],
  [['--', '--', 'x'], '--: x\n'],
  [['--timeout=30', '--', '--', 'x'], '--: x\n'],
  [['--', '--version'], '--version: \n'],
  [['--timeout=30', '--', '--version'], '--version: \n'],
  [['--', '-c', 'echo bash ran this'], '-c: echo bash ran this\n'],
  [['--', '-c', 'echo bash ran this', 'x'], '-c: echo bash ran this x\n'],
  [['--', '-i'], '-i: \n'],
  [['--', '+x'], '+x: \n'],
  [['+x; echo $-'], '+x: \nhBc\n'],
  [['true', '--', '-c'], ''],
];

const names = ['-', '--', '--version', '-c', '-i', '+x'];
const program = {text: '#!/bin/sh\necho "${0##*/}: $*"\n', mode: 0o755};
const files = Object.fromEntries(names.map((name) => [`bin/${name}`, program]));
const env = {PATH: '{work}/bin:/usr/bin:/bin'};

testOnce('a word with a dash', [
  ...rows.map(([args, stdout]): Case => ({name: args.join(' '), files, env, args: ['run', ...args], stdout})),
  {
    name: 'a program that does not exist',
    args: ['run', '--', '--version'],
    code: 127,
    stderr: '/bin/bash: line 1: --version: command not found\n',
  },
  {
    name: 'a hook',
    files: {
      ...files,
      '~/.ion/config.toml': '[[hooks]]\nevent = "PreToolUse"\ncommand = "+x hook >&2; exit 2"\n',
    },
    env,
    args: ['run', 'true'],
    code: 126,
    stderr: /\+x/,
  },
]);
