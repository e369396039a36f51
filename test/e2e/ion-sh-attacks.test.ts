import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, existsSync, linkSync, readFileSync, symlinkSync} from 'node:fs';
import {test} from 'node:test';
import {shellElsewhere} from '../harness/elsewhere.ts';
import {own, plain, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {ionFile} from '../harness/package.ts';
import {collect, runProgram, startProgram, type Ended} from '../harness/run.ts';
import {giveTo, makeScratch, withTexts, writeFiles, type Files} from '../harness/scratch.ts';

/**
 * The simplest shell for this: a script that passes the command to `ion run`. A project's choices act before ion does: on the
 * shell itself, on `env node`, on Node.
 */
const usual = '#!/usr/bin/env bash\nwhile [[ $1 == -* ]]; do shift; done\nexec ion run "$1"\n';

const mark = '{root}/mark';
const marks = `require('node:fs').writeFileSync('${mark}', '');\n`;
const program = (text: string): {text: string; mode: number} => ({text, mode: 0o755});
const touch = program(`#!/bin/sh\n: > ${mark}\n`);

/** A library that creates the mark when a process loads it. The two functions are those of a module of glibc's. */
const library = `#include <fcntl.h>
int gconv_init(void *step) { return 0; }
int gconv(void) { return 0; }
__attribute__((constructor)) static void mark(void) { creat("${mark}", 0644); }
`;

/** glibc asks a module for the translation of this character set, because it has none itself. */
const charmapOfAscii = [
  '<code_set_name> MARK\n<comment_char> %\n<escape_char> /\nCHARMAP',
  ...Array.from({length: 128}, (_, code) => {
    const hex = code.toString(16).padStart(2, '0');
    return `<U00${hex.toUpperCase()}> /x${hex}`;
  }),
  'END CHARMAP\n',
].join('\n');

interface Attack {
  readonly name: string;
  /** The project's choices. */
  readonly files: Files;
  /** The command that starts the tool. Default: npm with its script. */
  readonly by?: 'npm' | 'make';
  /** The user's setting of the shell. Default: the variable, with an absolute path. */
  readonly set?: 'name' | 'user file';
  /** Another shell of that kind, for what it looks up. */
  readonly naive?: string;
  /** The project needs a library: libmark.so. */
  readonly needs?: 'cc';
  /** And a locale of its own, whose characters another library translates: locale/own and MARK.so. */
  readonly needsLocale?: true;
}

const npmrc = (text: string): Files => ({'.npmrc': text});
const makefile = (text: string): Files => ({
  Makefile: `${text}\nall:\n\t@echo made; touch ${mark} 2>/dev/null || true\n`,
});

const attacks: readonly Attack[] = [
  {
    name: 'node-options in .npmrc',
    files: {...npmrc('node-options=--require={work}/evil.cjs\n'), 'evil.cjs': marks},
  },
  ...['node', 'ion', 'bash'].map((name) => ({
    name: `a dependency with a program named ${name}`,
    files: {[`node_modules/.bin/${name}`]: touch},
  })),
  {
    name: 'a dependency with a program named sh',
    files: {'node_modules/.bin/sh': touch},
    naive: '#!/usr/bin/env sh\nshift\nexec ion run "$1"\n',
  },
  {
    name: 'a dependency with a program named ion-sh',
    files: {'node_modules/.bin/ion-sh': touch},
    naive: '#!/bin/bash\nexec ion-sh "$@"\n',
  },
  {
    name: 'NODE_OPTIONS in a Makefile',
    by: 'make',
    files: {...makefile('export NODE_OPTIONS=--require={work}/evil.cjs'), 'evil.cjs': marks},
  },
  {
    name: 'BASH_ENV in a Makefile',
    by: 'make',
    files: {...makefile('export BASH_ENV={work}/evil.bash'), 'evil.bash': `: > ${mark}\n`},
  },
  {
    name: 'a function named exec in a Makefile',
    by: 'make',
    files: makefile(`export BASH_FUNC_exec%%=() { : > ${mark}; builtin exec "$$@"; }`),
  },
  {
    name: 'PATH in a Makefile',
    by: 'make',
    files: {...makefile('export PATH := {work}/bin:$(PATH)'), 'bin/bash': touch, 'bin/node': touch},
  },
  {
    name: 'LD_PRELOAD in a Makefile',
    by: 'make',
    needs: 'cc',
    files: makefile('export LD_PRELOAD={work}/libmark.so'),
  },
  {
    name: 'LD_AUDIT in a Makefile',
    by: 'make',
    needs: 'cc',
    files: makefile('export LD_AUDIT={work}/libmark.so'),
  },
  {
    name: 'LD_LIBRARY_PATH in a Makefile',
    by: 'make',
    needs: 'cc',
    files: {...makefile('export LD_LIBRARY_PATH={work}/lib'), 'lib/libdl.so.2': {link: '../libmark.so'}},
  },
  {
    name: 'GCONV_PATH, with a locale of the project, in a Makefile',
    by: 'make',
    needs: 'cc',
    needsLocale: true,
    files: {
      ...makefile('export LOCPATH={work}/locale\nexport GCONV_PATH={work}\nexport LC_ALL=own'),
      'gconv-modules': 'module INTERNAL MARK// {work}/MARK 1\nmodule MARK// INTERNAL {work}/MARK 1\n',
      charmap: charmapOfAscii,
      'locale.source': 'comment_char %\nescape_char /\nLC_CTYPE\nEND LC_CTYPE\n',
      'locale/': '',
    },
  },
  {
    name: 'PS4 and SHELLOPTS in a Makefile',
    by: 'make',
    files: makefile(`export SHELLOPTS=xtrace\nexport PS4=$$(: > ${mark})`),
  },
  {
    name: 'NODE_V8_COVERAGE in a Makefile, which makes a folder outside',
    by: 'make',
    files: makefile(`export NODE_V8_COVERAGE=${mark}`),
  },
  {
    name: 'OPENSSL_CONF in a Makefile',
    by: 'make',
    needs: 'cc',
    files: {
      ...makefile('export OPENSSL_CONF={work}/openssl.cnf\nexport NODE_OPTIONS=--openssl-shared-config'),
      'openssl.cnf':
        'openssl_conf = all\nnodejs_conf = all\n[all]\nengines = list\n[list]\nmark = own\n[own]\ndynamic_path = {work}/libmark.so\nengine_id = mark\ninit = 1\n',
    },
  },
  {
    name: 'an OPENSSL_CONF that .npmrc names by node-options',
    needs: 'cc',
    files: {
      ...npmrc('node-options=--openssl-config={work}/openssl.cnf\n'),
      'openssl.cnf':
        'openssl_conf = all\nnodejs_conf = all\n[all]\nengines = list\n[list]\nmark = own\n[own]\ndynamic_path = {work}/libmark.so\nengine_id = mark\ninit = 1\n',
    },
  },
];

/** Attacks that succeed or fail by the form of the setting. Through these ion-sh does not start at all: see docs/recipes.md. */
const lost: readonly Attack[] = [
  {
    name: 'a script-shell in .npmrc, which outranks the file of the user',
    set: 'user file',
    files: {...npmrc('script-shell={work}/evil.sh\n'), 'evil.sh': touch},
  },
  {
    name: 'a dependency with a program of the name that the user has set',
    set: 'name',
    files: {'node_modules/.bin/ion-sh': touch},
  },
];

async function escapes(
  t: Parameters<typeof makeScratch>[0],
  {files, by = 'npm', set, needs, needsLocale, naive = usual}: Attack,
  shell: 'naive' | 'ion-sh',
): Promise<boolean> {
  const scratch = makeScratch(t, plain);
  const {root, home, work} = scratch;
  const put = (text: string): string =>
    text.replaceAll('{root}', root).replaceAll('{home}', home).replaceAll('{work}', work);
  const folder = shellElsewhere(scratch);
  const chosen = shell === 'naive' ? `${root}/bin/ion-sh` : `${folder}/ion-sh`;
  writeFiles(scratch, {
    ...withTexts(files, put),
    'package.json': JSON.stringify({
      name: 'x',
      scripts: {all: put(`echo made; touch ${mark} 2>/dev/null || true`)},
    }),
    '/bin/ion-sh': program(naive),
    ...(set === 'user file' ? {'~/.npmrc': `script-shell=${chosen}\n`} : {}),
    ...(needs ? {'mark.c': put(library)} : {}),
  });
  symlinkSync(ionFile, `${root}/bin/ion`);
  if (needs) {
    execFileSync('cc', ['-shared', '-fPIC', '-o', `${work}/libmark.so`, `${work}/mark.c`]);
  }
  if (needsLocale) makeLocale(work);
  giveTo(root, plain);
  const setting = set === 'user file' ? {} : {npm_config_script_shell: set === 'name' ? 'ion-sh' : chosen};
  const env = {
    PATH: `${shell === 'naive' ? `${root}/bin` : folder}:${process.env['PATH']}`,
    npm_config_update_notifier: 'false',
    ...(by === 'npm' ? setting : {}),
  };
  const args = by === 'npm' ? ['run', '--silent', 'all'] : [`SHELL=${chosen}`, 'all'];
  const ended = await runProgram(scratch, [by, ...args], {as: plain, env});
  if (shell === 'ion-sh' && set === undefined) assert.match(ended.stdout, /^made$/m, ended.stderr);
  return existsSync(`${root}/mark`);
}

const toolsFor = ({needs, needsLocale}: Attack): string[] => [
  ...(needs ? [needs] : []),
  ...(needsLocale ? ['localedef'] : []),
];

/** localedef warns of the categories that it has not been given, and exits with 1. */
function makeLocale(work: string): void {
  copyFileSync(`${work}/libmark.so`, `${work}/MARK.so`);
  const from = ['-i', `${work}/locale.source`, '-f', `${work}/charmap`];
  spawnSync('localedef', ['-c', '--no-archive', ...from, `${work}/locale/own`]);
  assert.ok(existsSync(`${work}/locale/own/LC_CTYPE`));
}

for (const attack of attacks) {
  test(`a hostile project: ${attack.name}`, async (t) => {
    if (!requireProgram(t, attack.by ?? 'npm', ...toolsFor(attack))) return;
    assert.equal(await escapes(t, attack, 'naive'), true, 'the attack does not work without the starter');
    assert.equal(await escapes(t, attack, 'ion-sh'), false);
  });
}

for (const attack of lost) {
  test(`the setting is lost: ${attack.name}`, async (t) => {
    if (!requireProgram(t, 'npm')) return;
    assert.equal(await escapes(t, attack, 'ion-sh'), true);
    const {set: _, ...absolute} = attack;
    assert.equal(await escapes(t, absolute, 'ion-sh'), false);
  });
}

const variablesOf = (pid: number | string): string[] =>
  readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);

const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);

test("ion's own process gets only harmless variables, and the command gets all", async (t) => {
  const scratch = makeScratch(t, plain);
  const folder = shellElsewhere(scratch);
  giveTo(scratch.root, plain);
  const hostile = {
    NODE_EXTRA_CA_CERTS: '/x',
    NODE_OPTIONS: '--x',
    NODE_PATH: '/x',
    NODE_V8_COVERAGE: '/x',
    NODE_COMPILE_CACHE: '/x',
    NODE_REDIRECT_WARNINGS: '/x',
    NODE_DEBUG: 'fs',
    UV_THREADPOOL_SIZE: '1',
    MALLOC_TRACE: '/x',
    NLSPATH: '/x',
    TZDIR: '/x',
    RES_OPTIONS: 'x',
    HOSTALIASES: '/x',
    SSL_CERT_DIR: '/x',
    SHELLOPTS: 'xtrace',
    PS4: '$(touch /x)',
    GCONV_PATH: '/x',
    LOCPATH: '/x',
    SSL_CERT_FILE: '/x',
    ICU_DATA: '/x',
    TZ: ':/x/zone',
    LANG: '/x/../C.UTF-8',
    LC_ALL: 'C.UTF-8',
    LC_x: 'y',
    BASH_ENV: '/x',
    ENV: '/x',
    LD_PRELOAD: '/x/library.so',
    LD_AUDIT: '/x/library.so',
    LD_LIBRARY_PATH: '/x',
    OPENSSL_CONF: '/x',
    GLIBC_TUNABLES: 'glibc.malloc.check=3',
    npm_config_node_options: '--x',
  };
  const script = 'echo "$GCONV_PATH $TZ $LANG $LC_x"; read line';
  const child = startProgram(scratch, [`${folder}/ion-sh`, '-c', script], {as: plain, env: hostile});
  const [first] = (await once(child.stdout!, 'data')) as [Buffer];
  const names = variablesOf(child.pid!);
  const launchers = own.uid === 0 ? childrenOf(child.pid!).map(variablesOf) : [[]];
  child.stdin!.end('\n');
  await collect(child);
  assert.deepEqual(names.sort(), ['LC_ALL=C.UTF-8', 'TERM=xterm-256color']);
  // Only the command itself gets the others, from the list.
  assert.deepEqual(launchers, [[]]);
  assert.equal(first.toString(), '/x :/x/zone /x/../C.UTF-8 y\n');
});

/** A command that bash does not find: it prints the line, and with it the file. */
const secret = {text: 'token-of-the-user 1\n', mode: 0o600};
const readable = {text: 'token-of-the-user 1\n', mode: 0o644};

interface PrivateFile {
  readonly name: string;
  readonly file?: string;
  readonly files?: Files;
  /** A second name of the file (a hard link), relative to home. */
  readonly of?: string;
  readonly denies?: string;
  readonly as?: Identity;
  readonly says: RegExp;
}

const privateFiles: readonly PrivateFile[] = [
  {name: 'a key', file: '~/.ssh/id_ed25519', says: /denied_paths/},
  {name: 'credentials', file: '~/.aws/credentials', says: /denied_paths/},
  {name: 'of ion', file: '~/.ion/grants.toml', files: {'~/.ion/grants.toml': readable}, says: /./},
  {name: 'in a dot folder', file: '~/.tool/token', files: {'~/.tool/token': readable}, says: /with a dot/},
  {name: 'of another project', file: '~/other/.env', files: {'~/other/.env': readable}, says: /with a dot/},
  {name: 'only the user can read', file: '~/tokens.txt', says: /other users cannot read it/},
  {
    name: 'behind a link of the project',
    file: 'step.sh',
    files: {'~/.tool/token': readable, 'step.sh': {link: '../.tool/token'}},
    says: /with a dot/,
  },
  {
    name: 'by a hard link',
    file: '~/step.sh',
    files: {'~/.tool/token': readable},
    of: '.tool/token',
    says: /hard links/,
  },
  {
    name: 'in denied_paths',
    file: '~/shown/step.sh',
    files: {'~/shown/step.sh': readable},
    denies: '/home/shown',
    says: /denied_paths/,
  },
  {
    name: 'of the workspace, in denied_paths',
    file: 'step.sh',
    files: {'step.sh': readable},
    denies: '/home/work/step.sh',
    says: /denied_paths/,
  },
  // Only root can read it outside.
  ...(own.uid === 0
    ? [{name: 'of /etc', file: '/etc/shadow', as: own, says: /files of \/etc|denied_paths/}]
    : []),
];

for (const {name, file = '', files, of, denies, as = plain, says} of privateFiles) {
  test(`a private file as the script: ${name}`, async (t) => {
    const scratch = makeScratch(t, as, file.startsWith('/') ? {} : (files ?? {[file]: secret}));
    const {root, home} = scratch;
    if (of) linkSync(`${home}/${of}`, file.replace('~', home));
    if (denies) writeFiles(scratch, {'/machine.toml': `permissions.denied_paths = ["${root}${denies}"]\n`});
    const folder = shellElsewhere(scratch, {
      machineConfig: denies ? `${root}/machine.toml` : `${root}/none.toml`,
      passwdHome: home,
    });
    giveTo(root, as);
    const {code, stdout, stderr} = await runProgram(
      scratch,
      [`${folder}/ion-sh`, file.replace('~', home), 'echo made'],
      {as, env: {BASH_ENV: '', ENV: ''}},
    );
    assert.doesNotMatch(stdout + stderr, /token-of-the-user|root:/);
    assert.equal(code, 126, stderr);
    assert.match(stderr, says);
  });
}

test('a private file as .SHELLFLAGS of a Makefile, and as BASH_ENV', async (t) => {
  if (!requireProgram(t, 'make')) return;
  const scratch = makeScratch(t, plain, {
    '~/.tool/token': readable,
    Makefile: '.SHELLFLAGS = $(FLAGS)\nall:\n\t@echo made\n',
  });
  const folder = shellElsewhere(scratch);
  giveTo(scratch.root, plain);
  const token = `${scratch.home}/.tool/token`;
  const make = (flags: string, env: Readonly<Record<string, string>>): Promise<Ended> =>
    runProgram(scratch, ['make', `SHELL=${folder}/ion-sh`, `FLAGS=${flags}`, 'all'], {as: plain, env});
  const named = await make(token, {});
  assert.doesNotMatch(named.stdout + named.stderr, /token-of-the-user/);
  assert.match(named.stderr, /does not run the script/);
  for (const flags of ['-c', '--posix -c']) {
    const sourced = await make(flags, {BASH_ENV: token, ENV: token});
    assert.equal(sourced.stdout, 'made\n', sourced.stderr);
    assert.doesNotMatch(sourced.stderr, /token-of-the-user/);
  }
});
