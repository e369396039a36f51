import {testCases} from '../harness/cases.ts';

/** Runs ion with descriptor 9 open on the redirection `from` of bash. */
const through = (from: string): string[] => ['bash', '-c', `exec "$0" "$@" 9${from}`];
const denies = `permissions.deny_commands = ["never *"]`;

testCases('--config with a descriptor', [
  {
    name: 'a pipe',
    through: through(`< <(echo '${denies}')`),
    args: ['run', '--config', '/dev/fd/9', 'never this'],
    code: 126,
    stderr: /matches deny_commands "never \*"\n --> \/dev\/fd\/9:1\n/,
  },
  {
    name: 'a pipe of which the writer ends later',
    through: through(`< <(sleep 0.3; echo '${denies}')`),
    args: ['run', '--config', '/proc/self/fd/9', 'never this'],
    code: 126,
    stderr: /deny_commands/,
  },
  {
    name: 'a here-document',
    through: through(`<<< '${denies}'`),
    args: ['check', '--config', '/dev/fd/9', 'never this'],
    code: 126,
    stdout: /deny_commands/,
  },
  {
    name: 'standard input',
    stdin: 'sandbox.network = "loopback"\n',
    through: ['bash', '-c', 'exec "$0" "$@" < <(cat)'],
    args: ['config', '--config', '/dev/stdin', 'sandbox.network'],
    stdout: /loopback.*\/dev\/stdin:1/,
  },
  {
    name: 'a file that the command cannot write then',
    files: {'own.toml': `${denies}\n`},
    through: through('< own.toml'),
    args: ['run', '--config', '/dev/fd/9', 'echo > own.toml'],
    code: 1,
    stderr: /own\.toml/,
  },
  {
    name: 'relative paths start in the current folder',
    files: {'out/': '', '~/beside/': ''},
    through: through(`< <(echo 'sandbox.write_roots = ["../beside"]')`),
    args: ['run', '--config', '/dev/fd/9', 'echo > ../beside/file'],
  },
  {
    name: 'the text is there when the session is opened again',
    through: through(`< <(printf '%s\\n' '${denies}' 'permissions.approval = "plan"')`),
    args: ['run', '--config', '/dev/fd/9', 'ls; sh -c "never x"'],
    code: 126,
    stderr: /deny_commands/,
  },
  {
    name: 'a descriptor that is not open',
    args: ['run', '--config', '/dev/fd/999', 'true'],
    code: 125,
    stderr: 'ion: "/dev/fd/999" is not an open descriptor\n',
  },
  {
    name: 'a folder',
    through: through('< /'),
    args: ['run', '--config', '/dev/fd/9', 'true'],
    code: 125,
    stderr: 'ion: "/dev/fd/9" is a folder, not a file or a pipe\n',
  },
  {
    name: 'more than a config has',
    through: through('< <(yes "# x" | head -c 2000000)'),
    args: ['run', '--config', '/dev/fd/9', 'true'],
    code: 125,
    stderr: 'ion: "/dev/fd/9" is larger than 1048576 bytes\n',
  },
]);
