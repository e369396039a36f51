import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {isWhole} from '../harness/extent.ts';
import {testOnce, testRefusals, type Case} from '../harness/cases.ts';

const usageOf = (command: string): string =>
  `help: "ion --help" and "ion ${command} --help" list the options\n`;
const usage = usageOf('run');

/** Wrong usage: one to three lines on stderr, exit code 125, nothing on stdout, no command runs. */
testRefusals('usage', [
  {name: 'no command at all', args: [], code: 125, stderr: /^ion: /},
  {
    name: 'run without a command',
    args: ['run'],
    code: 125,
    stderr: `ion: missing required argument "command"\n${usage}`,
  },
  {
    name: 'an empty command',
    args: ['run', ''],
    code: 125,
    stderr: 'ion: the command is empty\nhelp: usage: ion run "<bash command>"\n',
  },
  {
    name: 'a blank command',
    args: ['run', ' \n\t'],
    code: 125,
    stderr: 'ion: the command is empty\nhelp: usage: ion run "<bash command>"\n',
  },
  {
    name: 'an unknown option',
    args: ['run', '--bogus', 'touch x'],
    code: 125,
    stderr: `ion: unknown option "--bogus"\n${usage}`,
  },
  {
    name: 'an unknown option with a terminal escape in it',
    args: ['run', '--\u001b[2J', 'true'],
    code: 125,
    stderr: `ion: unknown option "--\\e[2J"\n${usage}`,
  },
  {
    name: 'an unknown command',
    args: ['bogus'],
    code: 125,
    stderr:
      'ion: there is no command "bogus"\nhelp: "ion --help" lists the commands; to run a shell command: ion run "<bash command>"\n',
  },
  {
    name: 'a misspelt option',
    args: ['run', '--raed', 'touch x'],
    code: 125,
    stderr: `ion: unknown option "--raed"\nhelp: did you mean --read? ${usage.slice('help: '.length)}`,
  },
  {
    name: 'an option of run, before it',
    args: ['--read', 'ls'],
    code: 125,
    stderr: 'ion: --read is an option of "ion run"\nhelp: write: ion run --read "<bash command>"\n',
  },
  {
    name: 'an option of run with a value, before it',
    args: ['--config', 'x', 'run', 'ls'],
    code: 125,
    stderr:
      'ion: --config is an option of "ion run"\nhelp: write: ion run --config <file> "<bash command>"\n',
  },
  {
    name: 'a word that is nearly a command',
    args: ['rnu', 'ls'],
    code: 125,
    stderr: /^ion: there is no command "rnu"\nhelp: did you mean "ion run"\? /,
  },
  {
    name: 'an unknown command of a group',
    args: ['rules', 'lst'],
    code: 125,
    stderr: `ion: there is no command "rules lst"\nhelp: did you mean "ion rules list"? ${usageOf('rules').slice('help: '.length)}`,
  },
  {
    name: 'an unknown command of another group that has a default',
    args: ['audit', 'lst'],
    code: 125,
    stderr: `ion: there is no command "audit lst"\nhelp: did you mean "ion audit list"? ${usageOf('audit').slice('help: '.length)}`,
  },
  {
    name: 'an argument for a command that takes none',
    args: ['doctor', '--json', 'now'],
    code: 125,
    stderr: `ion: "ion doctor" does not take "now"\n${usageOf('doctor')}`,
  },
  {
    name: 'a command of a group without its arguments',
    args: ['rules', 'add', 'deny', 'git push'],
    code: 125,
    stderr: `ion: missing required argument "match"\n${usageOf('rules add')}`,
  },
  {
    name: 'help on an unknown command',
    args: ['help', 'nope'],
    code: 125,
    stderr: /^ion: there is no command "nope"\nhelp: "ion --help" lists the commands; .*\n$/,
  },
  ...(['-r', '-w', '--write', '-y', '--yes', '--agi'] as const).map((option) => ({
    name: `the removed option ${option}`,
    args: ['run', option, 'touch x'],
    code: 125,
    stderr: new RegExp(`^ion: there is no option ${option}\nhelp: .*\n$`),
  })),
  {
    name: 'an invalid time limit',
    args: ['run', '--timeout', 'soon', 'true'],
    code: 125,
    stderr: 'ion: --timeout "soon" is not a time\nhelp: write "500ms", "30s", "10m" or a number of seconds\n',
  },
  ...['0', '-1', '30d', '1e3', 'Infinity', '0x10', ''].map((time) => ({
    name: `a time limit of ${JSON.stringify(time)}`,
    args: ['run', `--timeout=${time}`, 'true'],
    code: 125,
    stderr: /^ion: /,
  })),
  {
    name: 'an option without its value',
    args: ['run', '--timeout'],
    code: 125,
    stderr: `ion: option "--timeout <time>" argument missing\n${usage}`,
  },
  {
    name: 'a config file that does not exist',
    args: ['run', '--config', 'missing.toml', 'touch x'],
    code: 125,
    stderr: 'ion: "missing.toml" does not exist\nhelp: a --config must exist: check its path\n',
  },
  {
    name: 'events to a folder that does not exist',
    args: ['run', '--events', 'missing/x', 'touch x'],
    code: 125,
    stderr: /^ion: cannot write events to "missing\/x": its folder does not exist\nhelp: [^\n]*\n$/,
  },
  {
    name: 'events to a folder',
    args: ['run', '--events', '.', 'touch x'],
    code: 125,
    stderr: /^ion: cannot write events to ".": a folder has its name\nhelp: [^\n]*\n$/,
  },
  ...['--events=-', '--events -'].map((option): Case => ({
    name: `${option}: stdout is the command's`,
    args: ['run', ...option.split(' '), 'touch x'],
    code: 125,
    stderr: /^ion: --events -: stdout belongs to the command\nhelp: [^\n]*\n$/,
    after: ({work}) => assert.deepEqual(readdirSync(work), []),
  })),
]);

/** In a process of its own: which descriptors are open depends on it. */
testOnce('usage', [
  {
    name: 'events to a descriptor that is not open',
    args: ['run', '--events', 'fd:77', 'true'],
    code: 125,
    stderr:
      'ion: --events fd:77: no such open descriptor\nhelp: use a file, or fd:N with a descriptor that ion inherits\n',
  },
  // Which descriptors Node has open depends on its version. From the shell, ion gets only the first three.
  ...(isWhole ? [3, 4, 5, 8, 9, 10, 11, 12, 13, 14] : [3, 10]).map((number) => ({
    name: `events to a descriptor that is not inherited, where Node may have one of its own: ${number}`,
    args: ['run', '--events', `fd:${number}`, 'touch x'],
    code: 125,
    stderr: new RegExp(`^ion: --events fd:${number}: no such open descriptor\n`),
  })),
  {
    name: 'events to /dev/stderr, which is a descriptor',
    args: ['run', '--events=/dev/stderr', 'true'],
    stderr: /^\{.*"type":"run\.started".*\}\n[^]*"type":"run\.finished"/,
  },
  {
    name: 'events to /dev/stdout: asked for by name',
    args: ['run', '--events=/dev/stdout', 'echo hi'],
    stdout: /^\{.*"type":"run\.started"[^]*\nhi\n[^]*"type":"run\.finished"/,
  },
  {
    name: 'events to /dev/fd/N of a descriptor that is not open',
    args: ['run', '--events=/dev/fd/77', 'touch x'],
    code: 125,
    stderr: /^ion: --events fd:77: no such open descriptor\n/,
  },
  {
    name: 'events to a descriptor that is not a number',
    args: ['run', '--events', 'fd:x', 'true'],
    code: 125,
    stderr: /^ion: --events fd:x: no such open descriptor\n/,
  },
]);

testOnce('option parsing', [
  {
    name: 'an empty word after --',
    args: ['run', '--', ''],
    code: 127,
    stderr: '/bin/bash: line 1: : command not found\n',
  },
  {
    name: 'a group of commands without one of them lists',
    args: ['rules'],
    stdout: 'no rules are stored for you or for this workspace\n',
  },
  {
    name: 'trust without config files has nothing to trust, and lists',
    args: ['trust'],
    stdout: '"{work}" has no config files: there is nothing to trust here\nno workspace is trusted\n',
  },
  {name: 'help on a command', args: ['help', 'check'], stdout: /^Usage: ion check /},
  {
    name: 'stops at the command',
    args: ['run', 'ls', '--help'],
    stdout: /^Usage: ls /,
  },
  {
    name: 'an option of the command that ion has too',
    args: ['run', 'echo', '--read', '--no-sandbox'],
    stdout: '--read --no-sandbox\n',
  },
  {
    name: 'words are kept as they are',
    args: ['run', 'printf', '<%s>', 'a b', '$HOME', "'", '*', '', '\n', '\\', '!x'],
    stdout: "<a b><$HOME><'><*><><\n><\\><!x>",
  },
  {
    name: 'one word after -- is a program, not a script',
    args: ['run', '--', 'echo hi'],
    code: 127,
    stderr: '/bin/bash: line 1: echo hi: command not found\n',
  },
  {name: '-- and then words', args: ['run', '--', 'echo', '--', 'hi'], stdout: '-- hi\n'},
  {name: 'an option with an equals sign', args: ['run', '--timeout=20', 'echo hi'], stdout: 'hi\n'},
  {
    name: 'a word that bash reserves is a program after --',
    args: ['run', '--', 'if'],
    code: 127,
    stderr: /if: command not found/,
  },
  {name: '--version', args: ['--version'], stdout: /^\d+\.\d+\.\d+\n$/},
  {name: '--help', args: ['--help'], stdout: /^Usage: ion /},
  {name: 'run --help', args: ['run', '--help'], stdout: /^Usage: ion run /},
]);
