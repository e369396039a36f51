/** permissions.read = "kernel": any program starts, and nothing can be written. */
import {testCases, testOnce} from '../harness/cases.ts';

const files = {
  '/kernel.toml': 'permissions.read = "kernel"\n',
  '/full.toml': 'permissions.read = "kernel"\nsandbox.network = "full"\n',
  '/table.toml': 'permissions.read = "table"\n',
  program: {text: '#!/bin/sh\necho ran\n', mode: 0o755},
};
const kernel = ['run', '--read', '--config', '{root}/kernel.toml'];
const facts = (boundary: string, network: string): RegExp =>
  new RegExp(
    `"boundary":"${boundary}".*"mode":"read","network":"${network}"|"mode":"read","boundary":"${boundary}".*"network":"${network}"`,
  );

testCases('read = "kernel"', [
  {name: 'a program of the workspace runs', files, args: [...kernel, './program | cat'], stdout: 'ran\n'},
  {
    name: 'it writes nothing but its private temp folder',
    files,
    args: [...kernel, 'echo x > "$TMPDIR/f" && cat "$TMPDIR/f"; echo x > new'],
    code: 1,
    stdout: 'x\n',
    stderr: /could not change "[^"]*\/new"/,
  },
  {
    name: 'the facts name the boundary and the configured network',
    files,
    args: ['run', '--read', '--json', '--config', '{root}/full.toml', 'true'],
    stderr: facts('read-kernel', 'full'),
  },
  {
    name: 'read mode has no network, whatever the config says',
    files: {...files, '/full.toml': 'sandbox.network = "full"\n'},
    args: ['run', '--read', '--json', '--config', '{root}/full.toml', 'true'],
    stderr: facts('read', 'none'),
  },
]);

testOnce('read = "kernel"', [
  {
    name: 'without a sandbox nothing would enforce it',
    files,
    args: ['run', '--read', '--no-sandbox', '--config', '{root}/kernel.toml', 'true'],
    code: 125,
    stderr:
      /^ion: read = "kernel" needs the sandbox: without it any program could write\n --> .*\nhelp: .*\n$/,
  },
  {
    name: 'a project that is not trusted cannot ask for it',
    files: {...files, '.ion/config.toml': '[permissions]\nmode = "read"\nread = "kernel"\n'},
    args: ['run', './program'],
    code: 126,
    stderr: /ignored: permissions\.read = "kernel"[^]*in read mode/,
  },
  {
    name: 'a project that is not trusted can remove it',
    files: {
      ...files,
      '~/.ion/config.toml': '[permissions]\nmode = "read"\nread = "kernel"\n',
      '.ion/config.toml': '[permissions]\nread = "table"\n',
    },
    args: ['run', './program'],
    code: 126,
    stderr: /in read mode/,
  },
  {
    name: 'deny_commands apply',
    files: {...files, '/kernel.toml': '[permissions]\nread = "kernel"\ndeny_commands = ["base64 *"]\n'},
    args: [...kernel, 'base64 program'],
    code: 126,
    stderr: /matches deny_commands/,
  },
]);
