/** Forty everyday reading commands give in read mode what they give outside, wherever one stands. */
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {openSession, type Session} from '../../src/session/session.ts';
import {identities} from '../harness/identity.ts';
import {packageRoot} from '../harness/package.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

const commands = `ls
ls -l /etc/os-release
ls | wc -l
pwd
echo hello
printf '%s\\n' a b
cat /etc/os-release
head -3 /etc/os-release
tail -n 2 /etc/os-release
wc -l /etc/os-release
grep -c = /etc/os-release
egrep '^ID' /etc/os-release
sort /etc/os-release | uniq | tac
cut -d= -f1 /etc/os-release
tr a-z A-Z < /etc/os-release
sed -n 1,2p /etc/os-release
find . -maxdepth 1 -name '*.md'
stat -c %n .
du -s /etc/os-release
df --output=target /
file /bin/ls
basename "$PWD"
dirname "$PWD"
realpath .
readlink -f /bin/sh
which ls
type ls
sha256sum /etc/os-release
md5sum /bin/true
diff /etc/os-release /etc/os-release
cmp /etc/os-release /etc/os-release
od -c /etc/os-release | head -2
base64 /etc/os-release
uname -s
id -u
whoami
nproc
seq 3
test -f /etc/os-release && echo there
git --version
git status --short
git log --oneline -3
git diff HEAD
cd /usr && ls`.split('\n');

const searchPath = '/usr/local/bin:/usr/bin:/bin';

/** In a user namespace other owners than the user show as nobody. */
function asOutside(text: string): string {
  return process.getuid!() === 0 ? text : text.replaceAll('nobody nogroup', 'root root');
}

interface Place {
  readonly name: string;
  readonly cwd: (scratch: Scratch) => string;
  readonly searchPath?: (scratch: Scratch) => string;
  readonly prepare?: (scratch: Scratch) => void;
}

const shim = {text: '#!/bin/sh\nexec /usr/bin/env true\n', mode: 0o755};

const places: readonly Place[] = [
  {name: '/', cwd: () => '/'},
  {name: '/usr', cwd: () => '/usr'},
  {
    name: 'a repository',
    cwd: ({work}) => work,
    prepare({work, home}) {
      const git = (...args: string[]): void =>
        void execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], {
          cwd: work,
          env: {PATH: searchPath, HOME: home},
        });
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'first');
      execFileSync('bash', ['-c', 'echo more >> README.md'], {cwd: work});
    },
  },
  {name: 'a package in a store like that of Nix', cwd: ({root}) => `${root}/nix/store/0abc-app`},
  {
    name: 'a folder with shims, which is last on PATH',
    cwd: ({home}) => `${home}/shims`,
    searchPath: ({home}) => `${searchPath}:${home}/shims`,
  },
];

const files = {
  'README.md': '# read me\n',
  '/nix/store/0abc-app/bin/app': shim,
  '/nix/store/0abc-app/README.md': '# app\n',
  '~/shims/ls': shim,
  '~/shims/git': shim,
  '~/shims/README.md': '# shims\n',
};

async function inside(
  session: Session,
  command: string,
): Promise<{code: number | undefined; stdout: string}> {
  const {decision} = await session.judge(command);
  assert.equal(decision.effect, 'allow', `${command}: ${decision.message}`);
  const running = await session.start(command, {stdio: ['ignore', 'pipe', 'pipe']});
  const chunks: Buffer[] = [];
  running.stdio[1]!.on('data', (chunk: Buffer) => chunks.push(chunk));
  running.stdio[2]!.resume();
  const ended = new Promise((resolve) => running.stdio[1]!.once('close', resolve));
  const {code} = await running.outcome;
  await ended;
  return {code, stdout: Buffer.concat(chunks).toString()};
}

async function compareAll(t: TestContext, {cwd: cwdOf, searchPath: pathOf, prepare}: Place): Promise<void> {
  const scratch = makeScratch(t, identities[0]!, files);
  prepare?.(scratch);
  const cwd = cwdOf(scratch);
  const env = {PATH: pathOf?.(scratch) ?? searchPath, HOME: scratch.home, LANG: 'C.UTF-8'};
  const host = {
    packageRoot,
    cwd,
    environment: env,
    home: scratch.home,
    otherHomes: [],
    machineConfig: `${scratch.root}/none.toml`,
    uid: process.getuid!(),
    node: process.execPath,
  };
  const session = await openSession(host, {read: true});
  try {
    for (const command of commands) {
      const alone = spawnSync('bash', ['--norc', '-c', command], {
        cwd,
        env: {...env, GIT_PAGER: 'cat'},
        encoding: 'utf8',
      });
      const {code, stdout} = await inside(session, command);
      assert.equal(code, alone.status, command);
      // What is not the user's to see is not listed, and sizes of /proc change.
      if (!/^(?:df|du|nproc)/.test(command)) assert.equal(asOutside(stdout), alone.stdout, command);
    }
  } finally {
    session.close();
  }
}

for (const place of places) {
  test(`read mode: everyday reading in ${place.name}`, async (t) => {
    if (!existsSync('/etc/os-release')) return t.skip('the commands read /etc/os-release');
    await compareAll(t, place);
  });
}
