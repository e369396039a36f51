import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {identities, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

/** File systems on which some calls have other effects than on ext4, or times have another precision. */
const isRoot = process.getuid!() === 0;

/** Call it before the scratch folder is made, because clean-ups run in the order of registration. */
function unmountAfter(t: TestContext): {folder: string | undefined} {
  const mount: {folder: string | undefined} = {folder: undefined};
  t.after(() => void (mount.folder !== undefined && spawnSync('umount', ['-l', mount.folder])));
  return mount;
}

function mounted(t: TestContext, mount: {folder: string | undefined}, ...args: readonly string[]): boolean {
  const {status, stderr} = spawnSync('mount', args, {encoding: 'utf8'});
  if (status !== 0) {
    t.skip(`cannot mount here: ${stderr.trim()}`);
    return false;
  }
  mount.folder = args.at(-1)!;
  return true;
}

/** With and without mounts of the run's own. */
const kernels: readonly {readonly id: string; readonly deny: readonly string[]}[] = [
  {id: 'as it is', deny: []},
  {id: 'no namespaces', deny: noNamespaces},
];

function through(as: Identity, deny: readonly string[]): string[] {
  return [compiled('deny-syscalls.c'), ...(as.uid ? ['--user', `${as.uid}:${as.gid}`] : []), ...deny, '--'];
}

/**
 * Every request that creates, removes or changes something through a read-only descriptor. Prints lines of `name errno`.
 */
const requests = `
import fcntl, os, struct
d = os.open('.', os.O_RDONLY)
args = lambda name: bytearray(struct.pack('q4088s', d, name))
new = lambda name: bytearray(struct.pack('QQQ32s4040s', 0, 0, 0, b'', name))
for name, fd, request, data in [
  ('create', d, 0x5000940e, args(b'made')),
  ('create v2', d, 0x50009418, new(b'made2')),
  ('snapshot', d, 0x50009401, args(b'snapshot')),
  ('destroy', d, 0x5000940f, args(b'old')),
  ('flags', os.open('old2', os.O_RDONLY), 0x4008941a, bytearray(struct.pack('Q', 2))),
  ('received', os.open('old2', os.O_RDONLY), 0xc0c89425, bytearray(200)),
  ('look up', d, 0xd0009412, bytearray(4096)),
  ('default', d, 0x40089413, bytearray(struct.pack('Q', 5))),
  ('unknown type', d, 0xbc10, bytearray(8)),
]:
  try:
    fcntl.ioctl(fd, request, data)
    print(name, 0)
  except OSError as error: print(name, error.errno)
import sys
for number in range(256) if sys.argv[1:] else ():
  for size in (0, 4, 8, 32, 256, 4096):
    for direction in range(4):
      request = direction << 30 | size << 16 | 0x9400 | number
      if request in (0x40049409, 0x4020940d, 0xc0189436, 0x81009431): continue
      try: fcntl.ioctl(d, request, bytearray(4096)); print('sweep', hex(request))
      except OSError as error:
        if error.errno != 1: print('sweep', hex(request), error.errno)
a = os.open('a', os.O_RDONLY); b = os.open('b', os.O_RDWR | os.O_CREAT)
fcntl.ioctl(b, 0x40049409, a)
print('clone', open('b').read())
`;

for (const as of identities.filter(() => isRoot)) {
  for (const {id, deny} of kernels) {
    test(`file systems: subvolumes of btrfs are neither made nor removed, files are cloned: ${id} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'mkfs.btrfs', 'python3', 'cc')) return;
      const mount = unmountAfter(t);
      const image = mkdtempSync('/var/tmp/ion-test-btrfs-');
      t.after(() => rmSync(image, {recursive: true, force: true}));
      const scratch = makeScratch(t, as);
      execFileSync('truncate', ['-s', '120M', `${image}/disk`]);
      execFileSync('mkfs.btrfs', ['-q', `${image}/disk`], {stdio: 'ignore'});
      if (!mounted(t, mount, '-o', 'loop,user_subvol_rm_allowed', `${image}/disk`, scratch.work)) return;
      const {work} = scratch;
      for (const name of ['old', 'old2'])
        execFileSync('btrfs', ['subvolume', 'create', `${work}/${name}`], {stdio: 'ignore'});
      execFileSync('bash', ['-c', 'echo fine > a; echo "$1" > attack.py', 'bash', requests], {cwd: work});
      giveTo(work, as);
      const ran = async (flags: readonly string[]): Promise<Record<string, string>> => {
        const {stdout, stderr} = await runIon(
          scratch,
          ['run', ...flags, `python3 attack.py ${flags.length > 0 ? '' : 'sweep'}`],
          {
            as: identities[0]!,
            through: through(as, deny),
          },
        );
        assert.match(stdout, /^clone fine$/m, stderr);
        return Object.fromEntries(
          stdout
            .trim()
            .split('\n')
            .map((line) => [line.replace(/ \w+$/, ''), line.split(' ').at(-1)!]),
        );
      };
      const inside = await ran([]);
      assert.deepEqual(inside, {
        create: '1',
        'create v2': '1',
        snapshot: '1',
        destroy: '1',
        flags: '1',
        received: '1',
        'look up': '1',
        default: '1',
        'unknown type': '25',
        clone: 'fine',
      });
      const outside = await ran(['--no-sandbox']);
      for (const name of ['create', 'create v2', 'snapshot', 'destroy', 'flags'])
        assert.equal(outside[name], '0', `${name} works outside`);
    });
  }
}

/** The folder contains a FIFO, which blocks an open, and its owner has no permissions on it. */
for (const as of identities.filter(() => isRoot)) {
  test(`file systems: a protected file that was written all the same is moved to the file system of home (${as.name})`, async (t) => {
    if (!requireProgram(t, 'cc')) return;
    const mount = unmountAfter(t);
    const scratch = makeScratch(t, as);
    const {home, work} = scratch;
    if (!mounted(t, mount, '-t', 'tmpfs', 'tmpfs', work)) return;
    giveTo(work, as);
    const command = `mkdir src; echo evil > src/tasks.json; mkfifo src/fifo; chmod 555 src; mkdir .vscode; ${compiled('rename-race.c')} && ls -d .vscode`;
    const {stdout, stderr} = await runIon(scratch, ['run', command], {as, timeoutMs: 90_000});
    assert.equal(stdout, '.vscode\n', stderr);
    assert.deepEqual(readdirSync(work), [], stderr);
    const [run] = readdirSync(`${home}/.ion/quarantine`);
    const place = `${home}/.ion/quarantine/${run}/.vscode`;
    assert.ok(stderr.includes(`help: "mv ${place} ${work}/.vscode" restores it\n`), stderr);
    assert.equal(readFileSync(`${place}/tasks.json`, 'utf8'), 'evil\n');
    assert.equal(readFileSync(`${place}/fifo`, 'utf8'), 'this was a FIFO\n');
  });
}

const hook = 'b/.git/hooks/post-merge';
/** The first write copies the folder up, so its creation time is within the run. */
const copies: readonly {readonly name: string; readonly command: string; readonly file: string}[] = [
  {name: 'a new hook', command: `echo evil > ${hook}`, file: hook},
  {
    name: 'its config',
    command: 'printf "[core]\\n\\tfsmonitor = evil\\n" >> b/.git/config',
    file: 'b/.git/config',
  },
  {
    name: 'its folder, renamed for a while',
    command: `mv b/.git g; echo evil > g/hooks/post-merge; mv g b/.git`,
    file: hook,
  },
];

for (const {id, deny} of isRoot ? kernels : []) {
  for (const {name, command, file} of copies) {
    test(`file systems: a repository in a lower layer of overlayfs stays guarded: ${name}: ${id}`, async (t) => {
      if (!requireProgram(t, 'git', 'cc')) return;
      const seen: boolean[] = [];
      for (const flags of [['--no-sandbox'], []]) {
        const mount = unmountAfter(t);
        const scratch = makeScratch(t, identities[0]!);
        if (!overlay(t, mount, scratch)) return;
        const touch = 'echo x > b/.git/description';
        await runIon(scratch, ['run', ...flags, `${touch}; ${command}`], {
          through: through(identities[0]!, deny),
        });
        seen.push(attemptRead(path.join(scratch.work, file)).includes('evil'));
      }
      assert.deepEqual(seen, [true, false]);
    });
  }
}

function overlay(t: TestContext, mount: {folder: string | undefined}, {root, work}: Scratch): boolean {
  for (const name of ['lower', 'upper', 'scratch']) mkdirSync(path.join(root, name));
  execFileSync('git', ['init', '-q', 'b'], {cwd: path.join(root, 'lower')});
  mkdirSync(path.join(root, 'lower/b/.git/hooks'), {recursive: true});
  const layers = `lowerdir=${root}/lower,upperdir=${root}/upper,workdir=${root}/scratch`;
  return mounted(t, mount, '-t', 'overlay', 'overlay', '-o', layers, work);
}

function attemptRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
