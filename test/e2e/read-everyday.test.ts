/** Forty everyday reading commands give the same results in read mode as outside, from any folder. */
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {openSession, type Session} from '../../src/session/session.ts';
import {identities, plain} from '../harness/identity.ts';
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

/** In a user namespace, files of other owners appear as owned by nobody; as root, all files below /etc do (etc-later). */
function asOutside(text: string): string {
  return process.getuid!() === 0 && !text.includes(' /etc/')
    ? text
    : text.replaceAll('nobody nogroup', 'root root');
}

interface Place {
  readonly name: string;
  readonly cwd: (scratch: Scratch) => string;
  readonly searchPath?: (scratch: Scratch) => string;
  readonly prepare?: (scratch: Scratch) => void;
  /** Programs that do not belong to the system, whatever their names. */
  readonly refused?: readonly string[];
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
  {
    name: 'a folder with shims, last on PATH',
    cwd: ({home}) => `${home}/shims`,
    searchPath: ({home}) => `${searchPath}:${home}/shims`,
  },
];

const files = {
  'README.md': '# read me\n',
  '~/shims/ls': shim,
  '~/shims/git': shim,
  '~/shims/README.md': '# shims\n',
};

async function inside(
  session: Session,
  command: string,
): Promise<{code: number | undefined; stdout: string}> {
  const {decision} = await session.preview(command);
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

async function compareAll(
  t: Pick<TestContext, 'after'>,
  {cwd: cwdOf, searchPath: pathOf, prepare, refused = []}: Place,
): Promise<void> {
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
  const session = await openSession(host, {for: 'serve', read: true});
  try {
    for (const command of refused) {
      const {decision} = await session.preview(command);
      assert.match(decision.message, /which is not a program of the system/, command);
    }
    const outside = (command: string): {code: number | null; stdout: string} => {
      const options = {cwd, env: {...env, GIT_PAGER: 'cat'}, encoding: 'utf8'} as const;
      const {status, stdout} = spawnSync('bash', ['--norc', '-c', command], options);
      return {code: status, stdout};
    };
    for (const command of commands) {
      let alone = outside(command);
      for (;;) {
        const {code, stdout} = await inside(session, command);
        // Files that the user cannot see are not listed, and sizes in /proc change.
        const seen = /^(?:df|du|nproc)/.test(command) ? alone.stdout : asOutside(stdout);
        const before = alone;
        // Other tests make folders in /usr and /. Only unchanged results can be compared.
        if (code !== before.code || seen !== before.stdout) alone = outside(command);
        if (alone.stdout !== before.stdout) continue;
        assert.deepEqual({code, stdout: seen}, before, command);
        break;
      }
    }
  } finally {
    session.close();
  }
}

/** A root folder with packages as Nix has them: symlinks in a profile lead to the programs, which root owns. */
const withStore = `set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 store "$1"
for entry in /*; do
  if [ -L "$entry" ]; then cp -a "$entry" "$1"; elif [ -d "$entry" ]; then mkdir "$1$entry"; mount --rbind "$entry" "$1$entry"; fi
done
tools=/nix/store/0abc-tools profile=/nix/store/0abc-profile
mkdir -p "$1$tools/bin" "$1$profile/bin" "$1/nix/store/0abc-app" "$1/old"
chmod 1775 "$1/nix/store"
echo '# app' > "$1/nix/store/0abc-app/README.md"
for name in $2; do
  program=$(readlink -f "$(command -v "$name")")
  cp "$program" "$1$tools/bin/$name"; chmod 555 "$1$tools/bin/$name"; ln -s "$tools/bin/$name" "$1$profile/bin/$name"
done
mkdir -p "$1/nix/store/0abc-open/bin" "$1/nix/store/0abc-app/bin"
cp "$1$tools/bin/cat" "$1/nix/store/0abc-open/bin"; chmod 775 "$1/nix/store/0abc-open/bin"
cp "$1$tools/bin/cat" "$1/nix/store/0abc-app/bin"
cd "$1"; pivot_root . old; umount -l /old
shift 2; cd /; exec "$@"`;
const ofStore =
  'ls cat head tail wc grep egrep sort uniq tac cut tr sed find stat du df file basename dirname realpath readlink which sha256sum md5sum diff cmp od base64 uname id whoami nproc seq git env sh bash setpriv';
const store: Place = {
  name: 'a store like that of Nix, through which PATH leads',
  cwd: () => '/nix/store/0abc-app',
  searchPath: () => '/nix/store/0abc-profile/bin',
  // A program that a group may replace, and one of the workspace.
  refused: ['/nix/store/0abc-open/bin/cat README.md', '/nix/store/0abc-app/bin/cat README.md'],
};

// Runs as a child of the test with a store. This file is one bundle, and starts itself again.
if (process.env['ION_TEST_IN_STORE'] !== undefined) {
  const after: (() => unknown)[] = [];
  try {
    await compareAll({after: (done) => void after.push(done as () => unknown)}, store);
  } catch (error) {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exitCode = 1;
  }
  for (const done of after) await done();
  process.exit();
}

test(`read mode: everyday reading in ${store.name}`, (t) => {
  if (process.getuid!() !== 0) return t.skip('only root can make a store');
  const scratch = makeScratch(t, identities[0]!, {'/root/': ''});
  const drop = ['setpriv', `--reuid=${plain.uid}`, `--regid=${plain.gid}`, '--clear-groups'];
  const words = [`${scratch.root}/root`, ofStore, ...drop, process.execPath, process.argv[1]!];
  const {status, stderr} = spawnSync('unshare', ['-m', 'bash', '-c', withStore, 'bash', ...words], {
    env: {...process.env, ION_TEST_IN_STORE: '1', NODE_TEST_CONTEXT: ''},
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

for (const place of places) {
  test(`read mode: everyday reading in ${place.name}`, async (t) => {
    if (!existsSync('/etc/os-release')) return t.skip('the commands read /etc/os-release');
    await compareAll(t, place);
  });
}
