import {execaSync} from 'execa';
import {appendFileSync, chmodSync, mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';

/** File names that a program may take for options, expressions, assignments or commands. */
export const hostileNames = [
  '-delete',
  '-i',
  '-o',
  '--output=pwned',
  '--pre=evil',
  '--compress-program=evil',
  '-fprint',
  '-exec',
  ';touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  'a[$(touch pwned)]',
  '+!touch pwned',
  'PATH=.',
  'a b',
  'w pwned',
];

/** Names that bash may look up as programs if it reads a command differently than ion does. */
const strayPrograms =
  'a b x y 1 2 E f g src README.md then do done fi esac else in [[ ]] function select coproc compress lzop lzip lzma rsh ssh remsh evil pager'.split(
    ' ',
  );

const evil = '#!/bin/sh\necho ran > "${0%/*}/../pwned-$$"\n';

export interface HostileWorkspace {
  readonly root: string;
  readonly work: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A workspace in which a program that misreads something leaves a trace. It has programs on PATH under stray names, a repository
 * that names programs wherever git accepts one, settings of interpreters, and files whose names are options.
 */
export function makeHostileWorkspace(root: string): HostileWorkspace {
  const work = path.join(root, 'work');
  const write = (name: string, text: string, mode = 0o644): void => {
    const file = path.join(work, name);
    mkdirSync(path.dirname(file), {recursive: true});
    writeFileSync(file, text);
    chmodSync(file, mode);
  };
  for (const name of ['evil', ...strayPrograms]) write(`bin/${name}`, evil, 0o755);
  for (const name of ['src/evil', 'sub/evil', 'sub/src/evil'])
    write(name, evil.replaceAll('/..', '/../..'), 0o755);
  write('evil', evil.replace('/..', ''), 0o755);
  write('ls', evil.replace('/..', ''), 0o755);
  for (const [name, text] of Object.entries(plainFiles)) write(name, text);
  for (const name of hostileNames) write(name, 'x\n');
  for (const name of hostileNames.slice(0, 8)) write(`src/${name}`, 'x\n');
  repository(work, '');
  repository(path.join(work, 'sub'), 'x');
  symlinkSync('sub', path.join(work, 'link'));
  mkdirSync(path.join(work, '.tmp'));
  const environment = {
    PATH: `/usr/local/bin:/usr/bin:/bin:${work}/bin`,
    HOME: work,
    LANG: 'C.UTF-8',
    TMPDIR: `${work}/.tmp`,
    // Read mode must remove this variable. Otherwise nothing else would protect.
    BASH_ENV: `${work}/rc`,
    ENV: `${work}/rc`,
    'BASH_FUNC_ls%%': '() { touch pwned; }',
    PS4: '$(touch pwned)',
    GIT_EXTERNAL_DIFF: './evil',
    LESSOPEN: '|touch pwned',
    PAGER: './evil',
    NODE_OPTIONS: `--require=${work}/evil.cjs`,
    MAKEFLAGS: '--eval=$(shell touch pwned)',
    GREP: './evil',
    GZIP: '-k',
    TAR_OPTIONS: '--checkpoint=1 --checkpoint-action=exec=./evil',
    PYTHONSTARTUP: `${work}/evil.py`,
    PERL5OPT: '-Mevil',
    // The environment also contains values that a command may evaluate.
    v: 'a[$(touch pwned)]',
    w: '-delete',
    n: '1',
    i: 'a[$(touch pwned)]',
    y: 'a[$(touch pwned)]',
  };
  return {root, work, environment};
}

const plainFiles: Readonly<Record<string, string>> = {
  f: 'one\ntwo foo\nthree\n',
  g: '3\n1\n2\n',
  'data.csv': 'a,1\nb,2\n',
  'src/a.ts': 'export const foo = 1;\nfoo bar\n',
  'src/b.ts': 'bar\n',
  'README.md': '# x\nfoo\n',
  'package.json': '{"name":"x","version":"1.0.0","scripts":{"test":"touch pwned"}}\n',
  rc: 'touch pwned\n',
  'evil.cjs': 'require("fs").writeFileSync("pwned-node", "")\n',
  'evil.py': 'open("pwned-python", "w")\n',
  names: '-delete\n--output=pwned\na[$(touch pwned)]\n-o\npwned\n',
  '.npmrc':
    'script-shell=./evil\nnode-options=--require=./evil.cjs\ncache=./npm-cache\nlogs-dir=./npm-logs\ntiming=true\n',
  '.jq': 'def foo: "x";\n',
  '.lesskey': '#env\nLESSOPEN=|touch pwned\n',
  '.inputrc': '',
  '.bashrc': 'touch pwned\n',
  '.profile': 'touch pwned\n',
  '.bash_profile': 'touch pwned\n',
  '.gitattributes': '* diff=ev filter=fl merge=me\n',
  '.ripgreprc': '--pre=./evil\n',
  Makefile: 'x := $(shell touch pwned)\nall:\n\ttouch pwned\n',
};

const programsOf = (program: string): string => `[core]
\tfsmonitor = ${program}
\tpager = ${program}
\teditor = ${program}
\tsshCommand = ${program}
\thooksPath = hooks
[diff]
\texternal = ${program}
[diff "ev"]
\ttextconv = ${program}
\tcommand = ${program}
[filter "fl"]
\tclean = ${program}
\tsmudge = ${program}
\tprocess = ${program}
\trequired = true
[merge "me"]
\tdriver = ${program}
[alias]
\tlog = !touch pwned
\tx = !touch pwned
[pager]
\tlog = ${program}
\tdiff = ${program}
[gpg]
\tprogram = ${program}
[log]
\tshowSignature = true
[remote "origin"]
\turl = ext::${program}
\tuploadpack = ${program}
[submodule]
\trecurse = true
[man]
\tviewer = evil
[man "evil"]
\tcmd = ${program}
`;

function repository(folder: string, mark: string): void {
  const git = (...args: string[]): void => {
    execaSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@example.org', ...args], {
      cwd: folder,
      env: {PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1'},
      extendEnv: false,
    });
  };
  mkdirSync(path.join(folder, 'src'), {recursive: true});
  writeFileSync(path.join(folder, `c${mark}`), 'a\n');
  git('init', '-q', '-b', 'main');
  git('add', '-A', '--', '.');
  git('commit', '-qm', 'first');
  writeFileSync(path.join(folder, `c${mark}`), 'b\n');
  git('stash', '-q');
  writeFileSync(path.join(folder, `c${mark}`), 'c\n');
  git('commit', '-qam', 'second');
  git('tag', 'v1');
  writeFileSync(path.join(folder, `c${mark}`), 'd\n');
  for (const hook of [
    'post-checkout',
    'pre-commit',
    'post-index-change',
    'reference-transaction',
    'fsmonitor-watchman',
  ]) {
    const file = path.join(folder, '.git/hooks', hook);
    writeFileSync(file, '#!/bin/sh\ntouch pwned\n');
    chmodSync(file, 0o755);
  }
  appendFileSync(path.join(folder, '.git/config'), programsOf('./evil'));
}
