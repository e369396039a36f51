import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {emptyMemory, type ShellMemory} from '../../../src/prompt/shell/shell-memory.ts';
import {maxReportBytes, parseReport, type ShellReport} from '../../../src/prompt/shell/shell-report.ts';
import {shellScript} from '../../../src/prompt/shell/shell-script.ts';
import type {Boundary} from '../../../src/sandbox/boundary.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'shell-memory-'));
after(() => rmSync(folder, {recursive: true}));

const profiles = path.resolve('profiles');
const given = {
  PATH: process.env['PATH']!,
  HOME: '/home/u',
  LANG: 'C.UTF-8',
  SHELL: '/bin/bash',
  ONE: '1',
  TWO: '2',
  'NOT-A-NAME': 'x',
};

interface Ran extends ShellReport {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** Runs a command as the launcher does, with files instead of its two descriptors. */
function run(
  command: string,
  memory: ShellMemory = emptyMemory,
  boundary: Boundary = 'write',
  exitStatus = 0,
): Ran {
  const [script, report] = ['script', 'report'].map((name) => path.join(folder, name));
  writeFileSync(script!, shellScript({memory, status: exitStatus, nonce: 'nonce', given, boundary}));
  const file = `${profiles}/${boundary === 'read' ? 'read-prompt' : 'prompt'}.bash`;
  const start = `exec 198<"$1" 199>"$2"; BASH_ENV=${file} exec bash --norc -c -- "$3"`;
  const {stdout, stderr, status} = spawnSync('bash', ['-c', start, 'bash', script!, report!, command], {
    cwd: folder,
    env: given,
    encoding: 'utf8',
  });
  const parsed = parseReport(readFileSync(report!), 'nonce', given);
  assert.ok(parsed, `no report after ${command}: ${stderr}`);
  return {...parsed, stdout, stderr, status};
}

/** One command sets state, and the next one prints it. */
const lasting: readonly (readonly [name: string, first: string, next: string, prints: string])[] = [
  ['a variable', 'x=1', 'echo $x', '1\n'],
  ['not to the children of the next command', 'x=1', 'bash -c \'echo "[$x]"\'', '[]\n'],
  ['an exported variable', 'export x="a b"', "bash -c 'echo $x'", 'a b\n'],
  [
    'every character',
    `x=$'\\001"\\\\\`$(id)\\n\\'!é\\U202e'`,
    'printf %s "$x"',
    '\u0001"\\`$(id)\n\'!é\u202e',
  ],
  ['an array', 'a=(1 "2 3" $\'4\\n\' )', 'echo "${#a[@]} ${a[1]}"', '3 2 3\n'],
  ['an associative array', 'declare -A m=(["a b"]=1 [c\\]]=2)', 'echo "${m[a b]}${#m[@]}"', '12\n'],
  ['a number', 'declare -i n=4', 'n+=2; echo $n', '6\n'],
  ['a readonly variable', 'readonly r=1', '(r=2) 2>/dev/null || echo $r', '1\n'],
  ['a reference', 'x=5; declare -n ref=x', 'echo $ref', '5\n'],
  ['a changed variable of the environment', 'ONE=3', "bash -c 'echo $ONE'", '3\n'],
  ['a removed variable', 'unset ONE', 'echo "[$ONE]" $TWO', '[] 2\n'],
  [
    'a variable that is no longer exported',
    'declare +x ONE',
    'bash -c \'echo "[$ONE]"\'; echo $ONE',
    '[]\n1\n',
  ],
  ['a function', 'f() { echo "$1" "f"; }', 'f a', 'a f\n'],
  ['a function with a here-document', 'f() { cat <<E\n}\n$1\nE\n}', 'f a', '}\na\n'],
  ['an exported function', 'f() { echo in; }; export -f f', 'bash -c f', 'in\n'],
  ['a function called like a builtin', 'echo() { builtin echo mine; }', 'echo x', 'mine\n'],
  ['set -o', 'set -o pipefail -u', 'false | true; printf "%s %s" $? "${-//[^u]/}"', '1 u'],
  ['set -e', 'set -e', 'false; echo no', ''],
  ['set +o', 'set +o braceexpand', 'echo {a,b}', '{a,b}\n'],
  [
    'shopt',
    'shopt -s nullglob; shopt -u sourcepath',
    'echo no*such; shopt -q sourcepath || echo off',
    '\noff\n',
  ],
  ['the umask', 'umask 077', 'umask', '0077\n'],
  ['nothing of a subshell', '(x=1; f() { :; })', 'echo "[$x]"; type f 2>/dev/null', '[]\n'],
  ['what a failing command has set', 'x=1; exit 3', 'echo $x', '1\n'],
  ['BASH_ENV does not', 'x=1', 'echo "[$BASH_ENV]$x"', '[]1\n'],
  ['nothing of the script itself', 'x=1', 'compgen -v ion_; echo end', 'end\n'],
];

for (const [name, first, next, prints] of lasting)
  test(`lasts: ${name}`, () => {
    const {memory} = run(first);
    const {stdout, stderr} = run(next, memory);
    assert.equal(stdout, prints);
    assert.equal(stderr, '');
    // It also lasts through a command that does not change it.
    assert.deepEqual(run(':', memory).memory, memory);
  });

test('an alias is reported', () => {
  assert.deepEqual(
    [...run(`alias ll='ls -l' g="git 'x'"`).memory.aliases],
    [
      ['ll', 'ls -l'],
      ['g', "git 'x'"],
    ],
  );
});

test('a fresh bash has nothing to remember', () => {
  const {variables, removed, functions, aliases} = run(':').memory;
  assert.deepEqual(
    {variables, removed, functions, aliases},
    {variables: [], removed: [], functions: [], aliases: new Map()},
  );
});

/** Otherwise no later command could report, not even one that removes the function. */
for (const name of ['trap', 'builtin', 'printf', 'declare', 'unset'])
  test(`a function ${name} does not last`, () => {
    const definition = (one: string): string => `${one} () \n{ \n    :\n}\n`;
    const bytes = Buffer.from(report('', definition(name) + definition('f')));
    const {memory} = parseReport(bytes, 'nonce', {})!;
    assert.deepEqual(
      memory.functions.map((one) => one.name),
      ['f'],
    );
    assert.equal(run('x=1; echo $x', memory).stdout, '1\n');
  });

test('the exit status, and output, are those of the command', () => {
  const {status, stdout, stderr} = run('set -x; echo a; exit 7');
  assert.deepEqual([status, stdout], [7, 'a\n']);
  assert.equal(stderr, '+ echo a\n+ exit 7\n');
});

test('in read mode only the folder is restored', () => {
  const {memory} = run('x=1; f() { echo f; }; set -u');
  const {stdout} = run('echo "[$x]"; type -t f', memory, 'read');
  assert.equal(stdout, '[]\n');
  assert.equal(run('cd /', emptyMemory, 'read').cwd, '/');
});

/** Texts that a process of the command may write on the socket. */
const forged: readonly (readonly [name: string, bytes: string])[] = [
  ['nothing', ''],
  ['another nonce', report('').replaceAll('nonce', 'none')],
  ['a beginning without an end', report('').slice(0, -'nonce'.length - 1)],
  ['an expansion in a value', report('declare -- x="$(id)"\n')],
  ['a backquote in a value', report('declare -- x="`id`"\n')],
  ['a command after a value', report('declare -- x="1"; id\n')],
  ['a command in place of a declaration', report('id\n')],
  ['a value without quotes', report('declare -- x=$(id)\n')],
  ['an index that is not quoted', report('declare -a x=([$(id)]="1")\n')],
  ['an open quote', report('declare -- x="1\n')],
  ['a command among functions', report('', 'f () \n{ \n    :\n}\nid\n')],
  ['a function in the background', report('', 'f () { :; } &\n')],
  ['a function with an odd name', report('', '$(id) () { :; }\n')],
  ['a relative folder', report('').replace('\n/', '\nx')],
  ['no folder', report('').replace('\n/\n', '\n')],
  ['too much', report(`declare -- x="${'x'.repeat(maxReportBytes)}"\n`)],
];

function report(declarations: string, functions = ''): string {
  return ['nonce', 'braceexpand', 'sourcepath', '0022\n/\n', declarations, functions, '', 'nonce', ''].join(
    '\0',
  );
}

for (const [name, bytes] of forged)
  test(`not a report: ${name}`, () =>
    assert.equal(parseReport(Buffer.from(bytes), 'nonce', given), undefined));

test('a report between the bytes of other processes', () => {
  const bytes = Buffer.from(`junk\0${report('declare -- x="1"\n')}junk`);
  assert.equal(parseReport(bytes, 'nonce', {})?.memory.variables.length, 1);
});

test('bytes that are not UTF-8 stay the same', () => {
  const {memory} = run(`x=$'\\xff\\xe9'`);
  assert.equal(run('printf %s "$x" | od -An -tx1', memory).stdout.trim(), 'ff e9');
});

for (const boundary of ['write', 'read'] as const)
  test(`the exit code of the command before is $?, in ${boundary} mode`, () => {
    for (const status of [0, 1, 130])
      assert.equal(run('echo $?', emptyMemory, boundary, status).stdout, `${status}\n`);
    const {memory} = run('set -e');
    assert.equal(run('echo go on', memory, boundary, 7).stdout, 'go on\n');
  });
