import {test} from 'node:test';
import assert from 'node:assert/strict';
import {IonError, renderMessage} from '../../../src/errors.ts';
import type {LayerValues} from '../../../src/config/keys.ts';
import {parseLayer, type FileSource} from '../../../src/config/read/parse-layer.ts';
import {withLines} from './scene.ts';

const project: FileSource = {kind: 'project', file: '.ion/config.toml', folder: '/w', home: '/home/u'};
const user: FileSource = {kind: 'user', file: '~/.ion/config.toml', folder: undefined, home: '/home/u'};
const flag: FileSource = {kind: 'config-flag', file: 'ci.toml', folder: '/w/sub', home: undefined};

function parsed(text: string, file: FileSource = project): LayerValues {
  return parseLayer(text, file).values;
}

/** The error message for `text`. */
function refused(text: string, file: FileSource = project): string {
  try {
    parseLayer(text, file);
  } catch (error) {
    assert.ok(error instanceof IonError, String(error));
    assert.equal(error.exitCode, 125);
    return renderMessage({text: error.message, at: error.at, help: error.help});
  }
  return 'accepted';
}

const list = (value: unknown) => (value as {value: unknown}[]).map((item) => item.value);
const one = (value: unknown) => (value as {value: unknown}).value;

const accepted: {
  name: string;
  text: string;
  file?: FileSource;
  get: (values: LayerValues) => unknown;
  want: unknown;
}[] = [
  {name: 'mode', text: 'permissions.mode = "read"', get: (v) => one(v['permissions.mode']), want: 'read'},
  {name: 'read', text: 'permissions.read = "kernel"', get: (v) => one(v['permissions.read']), want: 'kernel'},
  {
    name: 'sandbox false',
    text: 'permissions.sandbox = false',
    get: (v) => one(v['permissions.sandbox']),
    want: false,
  },
  {
    name: 'sandbox require',
    text: 'permissions.sandbox = "require"',
    get: (v) => one(v['permissions.sandbox']),
    want: 'require',
  },
  {
    name: 'a duration with a unit',
    text: 'sandbox.limits.timeout = "500ms"',
    get: (v) => one(v['sandbox.limits.timeout']),
    want: 500,
  },
  {
    name: 'minutes',
    text: 'sandbox.limits.timeout = "10m"',
    get: (v) => one(v['sandbox.limits.timeout']),
    want: 600_000,
  },
  {
    name: 'a part of an hour',
    text: 'sandbox.limits.timeout = "1.5h"',
    get: (v) => one(v['sandbox.limits.timeout']),
    want: 5_400_000,
  },
  {
    name: 'a number of seconds',
    text: 'sandbox.limits.timeout = 2.5',
    get: (v) => one(v['sandbox.limits.timeout']),
    want: 2500,
  },
  {
    name: 'seconds in a string',
    text: 'sandbox.limits.timeout = "30"',
    get: (v) => one(v['sandbox.limits.timeout']),
    want: 30_000,
  },
  {
    name: 'a part of a second of cpu',
    text: 'sandbox.limits.cpu = "100ms"',
    get: (v) => one(v['sandbox.limits.cpu']),
    want: 1,
  },
  {
    name: 'a size',
    text: 'sandbox.limits.memory = "4G"',
    get: (v) => one(v['sandbox.limits.memory']),
    want: 4 * 2 ** 30,
  },
  {
    name: 'a size in GiB',
    text: 'sandbox.limits.memory = "0.5 GiB"',
    get: (v) => one(v['sandbox.limits.memory']),
    want: 2 ** 29,
  },
  {
    name: 'a number of bytes',
    text: 'sandbox.limits.file_size = 4096',
    get: (v) => one(v['sandbox.limits.file_size']),
    want: 4096,
  },
  {
    name: 'a count',
    text: 'sandbox.limits.processes = 64',
    get: (v) => one(v['sandbox.limits.processes']),
    want: 64,
  },
  {
    name: 'toolchains auto',
    text: 'sandbox.toolchains = "auto"',
    get: (v) => one(v['sandbox.toolchains']),
    want: 'auto',
  },
  {
    name: 'toolchains',
    text: 'sandbox.toolchains = ["node"]',
    get: (v) => one(v['sandbox.toolchains']),
    want: ['node'],
  },
  {
    name: 'no toolchains',
    text: 'sandbox.toolchains = []',
    get: (v) => one(v['sandbox.toolchains']),
    want: [],
  },
  {
    name: 'roots',
    text: 'sandbox.read_roots = ["/a//b/../c/", "~/d", "e", "~", "/"]',
    get: (v) => list(v['sandbox.read_roots']),
    want: ['/a/c', '/home/u/d', '/w/e', '/home/u', '/'],
  },
  {
    name: 'roots of --config',
    text: 'sandbox.write_roots = ["out", "../x"]',
    file: flag,
    get: (v) => list(v['sandbox.write_roots']),
    want: ['/w/sub/out', '/w/x'],
  },
  {
    name: 'protect',
    text: 'sandbox.protect = [".vscode/", "./a//b", "~/x", "/y"]',
    get: (v) => list(v['sandbox.protect']),
    want: ['.vscode', 'a/b', '/home/u/x', '/y'],
  },
  {
    name: 'sockets',
    text: 'sandbox.unix_sockets = ["/run/x.sock"]',
    get: (v) => list(v['sandbox.unix_sockets']),
    want: ['/run/x.sock'],
  },
  {
    name: 'denied paths of a project',
    text: 'permissions.denied_paths = [".env", "a/b/", "./c", "**/*.pem", "~/.x", "/y/{a,b}"]',
    get: (v) => list(v['permissions.denied_paths']),
    want: ['/w/**/.env', '/w/a/b', '/w/c', '/w/**/*.pem', '/home/u/.x', '/y/{a,b}'],
  },
  {
    name: 'denied paths of a user',
    text: 'permissions.denied_paths = [".env", "**/*.pem", "~/.x"]',
    file: user,
    get: (v) => list(v['permissions.denied_paths']),
    want: ['/**/.env', '/**/*.pem', '/home/u/.x'],
  },
  {
    name: 'denied paths below a folder whose name looks like a pattern',
    text: 'permissions.denied_paths = ["a/b", "a/*"]',
    file: {...project, folder: '/w[1]'},
    get: (v) => list(v['permissions.denied_paths']),
    want: ['/w\\[1\\]/a/b', '/w\\[1\\]/a/*'],
  },
  {
    name: 'variables to set',
    text: 'environment.set = {A = "1", __proto__ = "2"}',
    get: (v) =>
      Object.entries(v['environment.set']!).map(([name, item]) => [name, item.value, item.origin.line]),
    want: [
      ['A', '1', 1],
      ['__proto__', '2', 1],
    ],
  },
  {
    name: 'frames',
    text: '[frames]\nweb = "packages/web"',
    get: (v) => v.frames!['web']!.value,
    want: '/w/packages/web',
  },
  {
    name: 'a rule',
    text: '\n[[permissions.rules]]\neffect = "deny"\nscope = "command_prefix"\nmatch = "git push"\nreason = "CI"',
    get: (v) => withLines(v['permissions.rules']),
    want: [
      {
        effect: 'deny',
        scope: 'command_prefix',
        match: 'git push',
        reason: 'CI',
        source: 'manifest',
        trusted: true,
        origin: {layer: 'project', file: '.ion/config.toml', line: 2},
      },
    ],
  },
  {
    name: 'a rule about a path',
    text: 'permissions.rules = [{effect = "ask", scope = "path", match = "~/x", tool = "write"}]',
    file: user,
    get: (v) => withLines(v['permissions.rules']),
    want: [
      {
        effect: 'ask',
        scope: 'path',
        match: '/home/u/x',
        tool: 'write',
        source: 'user',
        trusted: true,
        origin: {layer: 'user', file: '~/.ion/config.toml', line: 1},
      },
    ],
  },
  {
    name: 'a hook',
    text: '[[hooks]]\nevent = "PreToolUse"\nmatch = "write|edit"\ncommand = "x {file}"\ntimeout = "5s"\nsandbox = false',
    file: user,
    get: (v) => withLines(v.hooks),
    want: [
      {
        event: 'PreToolUse',
        match: 'write|edit',
        command: 'x {file}',
        timeoutMs: 5000,
        sandbox: false,
        origin: {layer: 'user', file: '~/.ion/config.toml', line: 1},
      },
    ],
  },
  {
    name: 'a hook for every tool',
    text: '[[hooks]]\nevent = "Stop"\nmatch = "*"\ncommand = "x"',
    get: (v) => withLines(v.hooks),
    want: [
      {
        event: 'Stop',
        command: 'x',
        sandbox: true,
        origin: {layer: 'project', file: '.ion/config.toml', line: 1},
      },
    ],
  },
];
for (const {name, text, file, get, want} of accepted) {
  test(`config accepts ${name}`, () => assert.deepEqual(get(parsed(text, file)), want));
}

const place = (line: number) => ` --> .ion/config.toml:${line}\n`;
const refusals: {name: string; text: string; file?: FileSource; want: string}[] = [
  {
    name: 'a misspelt key',
    text: '\n[permissions]\ndeny_command = []',
    want: `ion: unknown key "permissions.deny_command"\n${place(3)}help: did you mean "deny_commands"?\n`,
  },
  {
    name: 'a key with swapped letters',
    text: 'permissions.mdoe = "read"',
    want: `ion: unknown key "permissions.mdoe"\n${place(1)}help: did you mean "mode"?\n`,
  },
  {
    name: 'a key of another table',
    text: 'mode = "read"',
    want: `ion: unknown key "mode"\n${place(1)}help: write: permissions.mode = "read"\n`,
  },
  {
    name: 'a key of another table that is also set there',
    text: 'network = "full"\n[sandbox]\ntmp = "private"',
    want: `ion: unknown key "network"\n${place(1)}help: did you mean "sandbox.network"?\n`,
  },
  {
    name: 'text without quotes',
    text: '[sandbox]\nnetwork = full # all of it',
    want: `ion: bad TOML: invalid value\n${place(2)}help: text needs quotes, write: network = "full"\n`,
  },
  {
    name: 'text without quotes, and outside its table',
    text: 'network = full',
    want: `ion: bad TOML: invalid value\n${place(1)}help: text needs quotes, write: sandbox.network = "full"\n`,
  },
  {
    name: 'a misspelt table',
    text: '[permission]\nmode = "read"',
    want: `ion: unknown key "permission"\n${place(1)}help: did you mean "permissions"?\n`,
  },
  {
    name: 'a key unlike any other',
    text: '[audit]\nxyzzy = 1',
    want: `ion: unknown key "audit.xyzzy"\n${place(2)}help: known here: mode\n`,
  },
  {
    name: 'a quoted dotted key',
    text: '"permissions.mode" = "read"',
    want: `ion: unknown key "\\"permissions.mode\\""\n${place(1)}help: did you mean "permissions"?\n`,
  },
  {
    name: 'a key that every object has',
    text: '__proto__ = 1',
    want: `ion: unknown key "__proto__"\n${place(1)}help: known here: hooks, frames, permissions, sandbox, environment, audit\n`,
  },
  {
    name: 'a table key that every object has',
    text: '[constructor]',
    want: `ion: unknown key "constructor"\n${place(1)}help: known here: hooks, frames, permissions, sandbox, environment, audit\n`,
  },
  {
    name: 'a terminal escape in a key',
    text: '"\\u001b[2J" = 1',
    want: `ion: unknown key "\\"\\\\u001b[2J\\""\n${place(1)}help: known here: hooks, frames, permissions, sandbox, environment, audit\n`,
  },
  {name: 'bad TOML', text: 'a = 1\nb = = 2', want: `ion: bad TOML: invalid value\n${place(2)}`},
  {
    name: 'a key given twice',
    text: '[permissions]\nmode = "read"\nmode = "write"',
    want: `ion: bad TOML: trying to redefine an already defined table or value\n${place(3)}help: it is there already, in line 2: keep one of the two\n`,
  },
  {
    name: 'a list given twice',
    text: 'sandbox.write_roots = ["/a", "/b"]\nsandbox.write_roots = ["/b", "/c"]',
    want: `ion: bad TOML: trying to redefine an already defined table or value\n${place(2)}help: it is there already, in line 1: write one line instead of both: sandbox.write_roots = ["/a", "/b", "/c"]\n`,
  },
  {
    name: 'a list given twice in its table',
    text: '[sandbox]\nunprotect = [".vscode"]\ntmp = "private"\nunprotect = [".envrc"]',
    want: `ion: bad TOML: trying to redefine an already defined table or value\n${place(4)}help: it is there already, in line 2: write one line instead of both: unprotect = [".vscode", ".envrc"]\n`,
  },
  {
    name: 'a whole key above its table',
    text: 'sandbox.network = "full"\n[sandbox]\ntmp = "private"',
    want: `ion: bad TOML: trying to redefine an already defined table or value\n${place(2)}help: line 1 made this table already: move it below [sandbox], as network = "full"\n`,
  },
  {
    name: 'a table given twice',
    text: '[sandbox]\ntmp = "private"\n[sandbox]\nnetwork = "full"',
    want: `ion: bad TOML: trying to redefine an already defined table or value\n${place(3)}help: [sandbox] is there already, in line 1: move the lines of this one to it\n`,
  },
  {
    name: 'a whole key below another table',
    text: '[permissions]\nmode = "read"\nsandbox.write_roots = ["/a"]',
    want: `ion: "sandbox.write_roots" stands below [permissions]\n${place(3)}help: move the line above the first [table] of the file\n`,
  },
  {
    name: 'a whole key below its own table',
    text: '[sandbox]\ntmp = "private"\nsandbox.write_roots = ["/a"]',
    want: `ion: "sandbox.write_roots" stands below [sandbox]\n${place(3)}help: move it below [sandbox], without "sandbox." before it\n`,
  },
  {
    name: 'deep nesting',
    text: `permissions.mode = ${'['.repeat(40)}${']'.repeat(40)}`,
    want: `ion: bad TOML: document contains excessively nested structures. aborting.\n${place(1)}`,
  },
  {
    name: 'a wrong word',
    text: 'permissions.mode = "reed"',
    want: `ion: permissions.mode must be "read" or "write", not "reed"\n${place(1)}help: did you mean "read"?\n`,
  },
  {
    name: 'a wrong type',
    text: '[permissions]\nmode = 1',
    want: `ion: permissions.mode must be "read" or "write", not 1\n${place(2)}`,
  },
  {
    name: 'text for a boolean',
    text: 'permissions.sandbox = "false"',
    want: `ion: permissions.sandbox must be true, false or "require", not "false"\n${place(1)}help: did you mean false?\n`,
  },
  {
    name: 'text for a list',
    text: 'permissions.deny_commands = "sudo *"',
    want: `ion: permissions.deny_commands must be a list, not "sudo *"\n${place(1)}help: write it as ["one", "two"]\n`,
  },
  {
    name: 'a number in a list',
    text: 'permissions.deny_commands = [\n"a",\n1]',
    want: `ion: permissions.deny_commands[1] must be a string, not 1\n${place(3)}`,
  },
  {
    name: 'a value for a table',
    text: 'permissions = 3',
    want: `ion: permissions must be a table, not 3\n${place(1)}`,
  },
  {
    name: 'a date',
    text: 'permissions.mode = 1979-05-27',
    want: `ion: permissions.mode must be "read" or "write", not a date\n${place(1)}`,
  },
  {
    name: 'an empty deny pattern',
    text: 'permissions.deny_commands = [""]',
    want: `ion: permissions.deny_commands[0] must not be empty: ""\n${place(1)}help: an empty pattern matches nothing\n`,
  },
  {
    name: 'a deny pattern of blanks',
    text: 'permissions.deny_commands = [" \\t"]',
    want: `ion: permissions.deny_commands[0] must not be empty: " \\t"\n${place(1)}help: an empty pattern matches nothing\n`,
  },
  {
    name: 'a deny pattern with a blank at its end',
    text: 'permissions.deny_commands = ["sudo "]',
    want: `ion: permissions.deny_commands[0] must not begin or end with blanks: "sudo "\n${place(1)}`,
  },
  {
    name: 'NUL',
    text: 'permissions.deny_commands = ["a\\u0000b"]',
    want: `ion: permissions.deny_commands[0] must not contain a NUL byte: "a\\u{0}b"\n${place(1)}`,
  },
  {
    name: 'zero time',
    text: 'sandbox.limits.timeout = 0',
    want: `ion: sandbox.limits.timeout must be a duration above zero and below 25 days, not 0\n${place(1)}help: write "500ms", "30s", "10m" or a number of seconds\n`,
  },
  {
    name: 'more time than a timer supports',
    text: 'sandbox.limits.timeout = "25d"',
    want: `ion: sandbox.limits.timeout must be a duration above zero and below 25 days, not "25d"\n${place(1)}help: write "500ms", "30s", "10m" or a number of seconds\n`,
  },
  {
    name: 'infinite time',
    text: 'sandbox.limits.timeout = inf',
    want: `ion: sandbox.limits.timeout must be a duration above zero and below 25 days, not Infinity\n${place(1)}help: write "500ms", "30s", "10m" or a number of seconds\n`,
  },
  {
    name: 'a negative size',
    text: 'sandbox.limits.memory = -1',
    want: `ion: sandbox.limits.memory must be a size above zero, not -1\n${place(1)}help: write "4G", "512M" or a number of bytes\n`,
  },
  {
    name: 'half a process',
    text: 'sandbox.limits.processes = 0.5',
    want: `ion: sandbox.limits.processes must be a whole number above zero, not 0.5\n${place(1)}`,
  },
  {
    name: 'a relative socket',
    text: 'sandbox.unix_sockets = ["x.sock"]',
    want: `ion: sandbox.unix_sockets[0] must be an absolute path, not "x.sock"\n${place(1)}`,
  },
  {
    name: 'a socket path that is too long for an address',
    text: `sandbox.unix_sockets = ["/${'x'.repeat(107)}"]`,
    want: `ion: sandbox.unix_sockets[0] must not be longer than 107 bytes: "/${'x'.repeat(79)}…"\n${place(1)}`,
  },
  {
    name: 'a wildcard in a root',
    text: 'sandbox.write_roots = ["~/*"]',
    want: `ion: sandbox.write_roots[0] must be a path, not "~/*"\n${place(1)}help: patterns do not work here\n`,
  },
  {
    name: 'a variable in a path',
    text: 'sandbox.write_roots = ["$HOME/x"]',
    want: `ion: sandbox.write_roots[0] must be a path, not "$HOME/x"\n${place(1)}help: variables do not work here; write "~/..."\n`,
  },
  {
    name: "another user's home",
    text: 'sandbox.write_roots = ["~root"]',
    want: `ion: sandbox.write_roots[0] must be a path, not "~root"\n${place(1)}help: only your own home folder can be written as "~/"\n`,
  },
  {
    name: 'a relative root of a user',
    text: 'sandbox.write_roots = ["x"]',
    file: user,
    want: 'ion: sandbox.write_roots[0] must be an absolute path, not "x"\n --> ~/.ion/config.toml:1\nhelp: begin it with "/" or "~/"\n',
  },
  {
    name: 'a home path without a home',
    text: 'sandbox.write_roots = ["~/x"]',
    file: flag,
    want: 'ion: sandbox.write_roots[0] must be an absolute path, not "~/x"\n --> ci.toml:1\nhelp: HOME is not set\n',
  },
  {
    name: 'a protected path outside',
    text: 'sandbox.protect = ["a/../../x"]',
    want: `ion: sandbox.protect[0] must be a path in the workspace, not "a/../../x"\n${place(1)}`,
  },
  {
    name: 'a relative trusted path',
    text: 'permissions.trusted_paths = ["**/x"]',
    file: user,
    want: 'ion: permissions.trusted_paths[0] must be an absolute path, not "**/x"\n --> ~/.ion/config.toml:1\nhelp: begin it with "/" or "~/"\n',
  },
  {
    name: 'an invalid toolchain name',
    text: 'sandbox.toolchains = ["node", "../x"]',
    want: `ion: sandbox.toolchains[1] must be the name of a toolchain, not "../x"\n${place(1)}`,
  },
  {
    name: 'a network setting that is not one',
    text: 'sandbox.network = "on"',
    want: `ion: sandbox.network must be "none", "loopback" or "full", not "on"\n${place(1)}`,
  },
  {
    name: 'a variable with a value',
    text: 'environment.exclude = ["A=1"]',
    want: `ion: environment.exclude[0] must be the name of a variable, not "A=1"\n${place(1)}help: write the name alone\n`,
  },
  {
    name: 'an invalid variable name',
    text: 'environment.set = {"A B" = "1"}',
    want: `ion: environment.set."A B" must be the name of a variable, not "A B"\n${place(1)}`,
  },
  {
    name: 'a rule without a scope',
    text: '\n[[permissions.rules]]\neffect = "deny"\nmatch = "x"',
    want: `ion: permissions.rules[0] has no "scope"\n${place(2)}`,
  },
  {
    name: 'a misspelt field of a rule',
    text: '[[permissions.rules]]\neffects = "deny"',
    want: `ion: unknown key "permissions.rules[0].effects"\n${place(2)}help: did you mean "effect"?\n`,
  },
  {
    name: 'a tool for a rule whose scope already names one',
    text: '[[permissions.rules]]\neffect = "deny"\nscope = "tool"\nmatch = "x"\ntool = "y"',
    want: `ion: permissions.rules[0].tool works only with scope = "path": "y"\n${place(5)}`,
  },
  {
    name: 'a hook with a bad expression',
    text: '[[hooks]]\nevent = "Stop"\nmatch = "("\ncommand = "x"',
    want: `ion: hooks[0].match must be a regular expression, not "("\n${place(3)}`,
  },
  {
    name: 'a hook without a command',
    text: '[[hooks]]\nevent = "Stop"\ncommand = " "',
    want: `ion: hooks[0] has no "command"\n${place(1)}`,
  },
  {
    name: "a project's hook outside the sandbox",
    text: '[[hooks]]\nevent = "Stop"\ncommand = "x"\nsandbox = false',
    want: `ion: hooks[0].sandbox must be true in a project, not false\n${place(4)}help: only ~/.ion/config.toml may set it to false\n`,
  },
  {
    name: 'an unknown approval mode',
    text: 'permissions.approval = "yes"',
    want: `ion: permissions.approval must be "never", "ask", "safe", "auto", "yolo", "default", "plan", "accept_edits", "dont_ask", "bypass_permissions" or "on_failure", not "yes"\n${place(1)}`,
  },
];
for (const {name, text, file, want} of refusals) {
  test(`config refuses ${name}`, () => assert.equal(refused(text, file), want));
}

const patterns: {pattern: string; why: string}[] = [
  {pattern: '!x', why: 'must not be negated'},
  {pattern: 'a(b|c)', why: 'must not have groups'},
  {pattern: '+(a+)', why: 'must not have groups'},
  {pattern: '[ab]+c', why: 'must not have repetitions'},
  {pattern: '../x', why: 'must not have ".." in it'},
  {pattern: 'a*b*c*d*e*f*g*', why: 'must not have more than three "*"'},
  {pattern: '{a,a}{a,a}', why: 'must not have more than one list of alternatives'},
  {pattern: '**/a/**/b/**', why: 'must not have more than two "**"'},
  {pattern: '[z-a]', why: 'must have balanced brackets'},
  {pattern: '[A-_]', why: 'must not have a range from a capital letter to another character'},
  {pattern: '[Z-a]', why: 'must not have a range from a capital letter to another character'},
  {pattern: '[^A-z]', why: 'must not have a range from a capital letter to another character'},
  {pattern: 'a[b', why: 'must have balanced brackets'},
  {pattern: 'a{b', why: 'must have balanced brackets'},
  {pattern: 'a}b', why: 'must have balanced brackets'},
  {pattern: 'a[!b]', why: 'must not have "[!" in it'},
  {pattern: 'a[b/c]', why: 'must have balanced brackets'},
  {pattern: 'a\\', why: 'must not have a backslash in it'},
];
for (const {pattern, why} of patterns) {
  test(`denied_paths refuses ${pattern}`, () => {
    const message = refused(`permissions.denied_paths = [${JSON.stringify(pattern)}]`);
    assert.equal(
      message.split('\n')[0],
      `ion: permissions.denied_paths[0] ${why}: ${JSON.stringify(pattern)}`.replace(
        /(must be [^:]*):/,
        '$1, not',
      ),
    );
  });
}
