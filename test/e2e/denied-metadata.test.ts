import assert from 'node:assert/strict';
import {renameSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {noListener, noNamespaces} from '../conformance/kernels.ts';
import {waits} from '../../src/doctor/attack.ts';
import {actWhenAsked} from '../../src/doctor/meanwhile.ts';
import {isWhole} from '../harness/extent.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';

/** Prints the calls that change the mode, owner, times or attributes of `sys.argv[1]`. x86-64 and arm64 share the number of fchmodat2. */
const changes = `
import ctypes, os, sys
name = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
def link(act):
    os.symlink(name, 'link')
    try: act('link')
    finally: os.unlink('link')
def checked(result):
    if result: raise OSError(ctypes.get_errno(), 'refused')
named = lambda: os.open(name, os.O_PATH)
for label, act in {
    'chmod': lambda: os.chmod(name, 0o640),
    'chmod by a link': lambda: link(lambda l: os.chmod(l, 0o640)),
    'chmod by /proc/self/fd': lambda: os.chmod(f'/proc/self/fd/{named()}', 0o640),
    'fchmodat2': lambda: checked(libc.syscall(452, named(), b'', 0o640, 0x1000)),
    'chown': lambda: os.chown(name, os.getuid(), os.getgid()),
    'lchown': lambda: os.lchown(name, os.getuid(), os.getgid()),
    'fchownat': lambda: checked(libc.fchownat(named(), b'', os.getuid(), os.getgid(), 0x1000)),
    'utime': lambda: os.utime(name, (1, 1)),
    'utimensat': lambda: checked(libc.utimensat(named(), b'', None, 0x1000)),
    'setxattr': lambda: os.setxattr(name, 'user.x', b'x'),
    'removexattr': lambda: os.removexattr(name, 'user.own'),
}.items():
    try: act()
    except OSError as error: continue
    print(label)
`;

const all = [...changes.matchAll(/^ {4}'(.*?)':/gm)].map(([, label]) => label!);

interface Denied {
  readonly name: string;
  readonly entry: string;
  readonly file: string;
  /** Another process replaces the file during the run, which removes its mount. */
  readonly isReplaced: boolean;
}

const denied: readonly Denied[] = [
  {name: 'of its name', entry: '{work}/secret', file: 'secret', isReplaced: false},
  {
    name: 'of its name, which another process replaces',
    entry: '{work}/secret',
    file: 'secret',
    isReplaced: true,
  },
  {name: 'of a pattern', entry: '*.pem', file: 'd/key.pem', isReplaced: false},
  {name: 'in a denied folder', entry: 'd/**', file: 'd/key.pem', isReplaced: false},
];

const kernels: readonly {readonly id: string; readonly deny: readonly string[]}[] = [
  {id: 'as it is', deny: []},
  {id: 'no namespaces', deny: noNamespaces},
];

async function changedBy(
  t: Parameters<typeof makeScratch>[0],
  as: Identity,
  {entry, file, isReplaced}: Denied,
  deny: readonly string[],
  ...flags: readonly string[]
): Promise<{readonly got: readonly string[]; readonly stderr: string}> {
  const scratch = makeScratch(t, as, {secret: 'private\n', 'd/key.pem': 'private\n', 'changes.py': changes});
  const setting = `permissions.denied_paths=["${entry.replace('{work}', scratch.work)}"]`;
  const other = actWhenAsked(scratch.work, (work) => {
    writeFileSync(`${work}/new`, 'private\n');
    renameSync(`${work}/new`, `${work}/${file}`);
    giveTo(work, as);
  });
  writeFileSync(
    `${scratch.work}/attack`,
    `setfattr -n user.own -v x ${file} 2>/dev/null || python3 -c 'import os; os.setxattr("${file}", "user.own", b"x")'\n${isReplaced ? waits : ''}python3 changes.py ${file}`,
  );
  const through = [compiled('deny-syscalls.c'), ...deny, '--'];
  const {stdout, stderr} = await runIon(scratch, ['run', '--set', setting, ...flags, 'bash attack'], {
    as,
    through,
  });
  other.end();
  return {got: stdout.trim().split('\n').filter(Boolean), stderr};
}

for (const as of testers) {
  for (const one of denied) {
    test(`denied_paths: mode, owner, times and attributes of a file ${one.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'python3', 'cc')) return;
      const outside = await changedBy(t, as, one, [], '--no-sandbox');
      const proven = all.filter((label) => label !== 'removexattr' || !one.isReplaced);
      assert.deepEqual(outside.got, proven, outside.stderr);
      for (const {id, deny} of isWhole ? kernels : kernels.slice(one.isReplaced ? 0 : 1)) {
        for (const report of isWhole ? ['denials', 'minimal'] : ['denials']) {
          const inside = await changedBy(t, as, one, deny, '--set', `sandbox.report=${report}`);
          assert.deepEqual(inside.got, [], `${id}, ${report}: ${inside.stderr}`);
          if (id !== 'as it is' || one.isReplaced)
            assert.match(
              inside.stderr,
              /could not change ".*" \((?:f?chmod\w*|setxattr): denied by denied_paths/,
            );
        }
      }
    });
  }

  test(`denied_paths: where no supervisor listens, the mount keeps mode and owner (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3', 'cc')) return;
    const {got, stderr} = await changedBy(t, as, denied[0]!, noListener);
    assert.deepEqual(got, [], stderr);
  });

  test(`denied_paths: a file of the run's own, and others, keep their everyday (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3', 'cc')) return;
    const script =
      'set -e; install -m 600 plain i.pem; cp -p plain c.pem; python3 -c \'import shutil; shutil.copy2("plain", "s.pem")\'; chmod 640 plain; touch plain; mkdir keys; chmod 2750 keys; stat -c %a i.pem plain keys';
    for (const {id, deny} of isWhole ? kernels : kernels.slice(1)) {
      const scratch = makeScratch(t, as, {plain: 'plain\n', everyday: script});
      const setting = 'permissions.denied_paths=["i.pem", "c.pem", "s.pem", "keys"]';
      const {stdout, stderr} = await runIon(scratch, ['run', '--set', setting, 'bash everyday'], {
        as,
        through: [compiled('deny-syscalls.c'), ...deny, '--'],
      });
      assert.equal(stdout, '600\n640\n2750\n', `${id}: ${stderr}`);
      assert.equal(stderr, '');
    }
  });
}
