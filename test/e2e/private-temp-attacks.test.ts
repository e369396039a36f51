/** Attacks of one run on the private temp folder of another one, of the same user. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readdirSync, readlinkSync} from 'node:fs';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {collect, runIon, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** Fills its temp folder, serves there, and has it as its current folder and behind descriptor 9. */
const victim = `cd "$TMPDIR"; mkdir d; echo secret > f; echo secret > d/f; exec 9< f
python3 - <<'END'
import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind('s'); s.listen()
print(os.environ['TMPDIR'], flush=True)
while True: s.accept()[0].send(b'secret')
END`;

const python = (code: string): string =>
  `python3 - "$D" <<'END'\nimport ctypes, glob, mmap, os, socket, sys\nD, libc = sys.argv[1], ctypes.CDLL(None)\n${code}\nEND`;

/** Each prints `secret`, or leaves `$D/mark-N`. `$D` is the folder, `$P` a process that has it as its current folder. */
const attacks: Readonly<Record<string, string>> = {
  'by its path': 'cat $D/f',
  'by a link in the workspace': 'ln -sfn $D l; cat l/d/f',
  'by a link in the own temp folder':
    'ln -sfn $D "${TMPDIR:-/tmp}/l-$N"; cat "${TMPDIR:-/tmp}/l-$N/f"; rm "${TMPDIR:-/tmp}/l-$N"',
  'by guessing its name': 'cat ~/.ion/tmp/ion-*/f /var/tmp/ion-*/ion-*/f',
  'by the root of its process': 'cat /proc/$P/root$D/f',
  'by the current folder of its process': 'cat /proc/$P/cwd/f',
  'by a descriptor of its process': 'cat /proc/$P/fd/9',
  'by the environment of its process': `grep -q "TMPDIR=$D" /proc/$P/environ && echo secret`,
  'by a hard link': 'ln $D/f h-$N && cat h-$N',
  'by a rename': 'cp $D/f $D/g-$N && mv $D/g-$N . && cat g-$N',
  'from a folder of the own temp folder that was removed':
    'T=${TMPDIR:-$(mktemp -d -p $(dirname $D))}; mkdir $T/x && cd $T/x && rmdir $T/x; cat ../../$(basename $D)/f; rmdir $T 2> /dev/null',
  'by a mount of the own': 'mkdir -p m; unshare -Urm bash -c "mount --bind $D m && cat m/f"',
  'by its socket': python(
    's = socket.socket(socket.AF_UNIX); s.connect(D + "/s"); print(s.recv(9).decode())',
  ),
  'by a datagram to its socket, and by a relative path': python(
    'os.chdir(os.path.dirname(D)); s = socket.socket(socket.AF_UNIX); s.connect(os.path.basename(D) + "/s"); print(s.recv(9).decode())',
  ),
  'by a descriptor that is only a name': python(
    'print(open("/proc/self/fd/%d/f" % os.open(D, os.O_PATH)).read())',
  ),
  'by memory': python(
    'print(mmap.mmap(os.open(D + "/f", os.O_RDONLY), 0, mmap.MAP_SHARED, mmap.PROT_READ)[:].decode())',
  ),
  'copied by the kernel': python('os.sendfile(1, os.open(D + "/d/f", os.O_RDONLY), 0, 99)'),
  listed: 'ls $D | grep -qx f && echo secret',
  'a new file': 'echo x > $D/mark-$N',
  'a folder': 'mkdir $D/mark-$N',
  'a link': 'ln -s / $D/mark-$N',
  'a file that is moved in': 'echo x > z-$N; mv z-$N $D/mark-$N',
  'a mode': 'chmod 1777 $D && echo secret',
  'the removal of its files': 'rm $D/d/f && echo secret > $D/d/f && echo secret',
};

const script = ['[ -n "$D" ] && [ -n "$P" ] || echo lost', ...Object.values(attacks)]
  .map((one, n) =>
    n === 0
      ? one
      : `N=${n}; (${one}\n) 2> /dev/null < /dev/null | grep -q secret && echo ${n}; [ -e $D/mark-${n} ] && echo ${n}`,
  )
  .join('\n');
const names = Object.keys(attacks);

/** A process whose current folder it is. */
function processIn(folder: string): string | undefined {
  return readdirSync('/proc').find((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

for (const as of testers)
  for (const {name, deny} of [
    {name: 'namespaces', deny: []},
    {name: 'no namespaces', deny: noNamespaces},
  ])
    test(`the private temp folder of another run stays closed (${as.name}, ${name})`, async (t) => {
      if (!requireProgram(t, 'cc', 'python3', 'unshare')) return;
      const as0 = process.getuid!() === 0 && as.uid !== 0 ? ['--user', `${as.uid}:${as.gid}`] : [];
      const through = deny.length > 0 ? [compiled('deny-syscalls.c'), ...as0, ...deny, '--'] : [];
      const scratch = makeScratch(t, as, {'~/.cache/': ''});
      const other = startIon(scratch, ['run', '--set', 'sandbox.tmp="private"', victim], {as, through: []});
      const ended = collect(other, 120_000);
      const [text] = (await once(other.stdout!, 'data')) as [Buffer];
      const folder = text.toString().trim();
      const pid = processIn(folder);
      assert.ok(pid, 'its process is found outside');
      const got = async (flags: readonly string[], limits: readonly string[]): Promise<string[]> => {
        const {stdout} = await runIon(scratch, ['run', ...flags, script], {
          as: limits.length > 0 ? {...as, uid: process.getuid!(), gid: process.getgid!()} : as,
          env: {D: folder, P: pid},
          through: limits,
          timeoutMs: 60_000,
        });
        return stdout
          .split('\n')
          .filter(Boolean)
          .map((n) => names[Number(n) - 1] ?? n);
      };
      try {
        for (const tmp of ['shared', 'private'])
          assert.deepEqual(await got(['--set', `sandbox.tmp="${tmp}"`], through), []);
        assert.deepEqual(await got(['--no-sandbox'], []), names);
      } finally {
        other.kill('SIGTERM');
        await ended;
      }
    });
