/** Secrets that are below /etc when a run starts, and what holds such secrets elsewhere: a process, a folder below /var/lib. */
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {own, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon, startProgram} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** Names and modes as packages and administrators make them. */
const files: Readonly<Record<string, number>> = {
  'shadow-': 0o640,
  'gshadow-': 0o600,
  'shadow.bak': 0o600,
  '.pwd.lock': 0o600,
  '.secret.swp': 0o600,
  'secret~': 0o640,
  'ssl/private/key.pem': 0o600,
  'sudoers.d/90-cloud': 0o440,
  'NetworkManager/system-connections/wifi.nmconnection': 0o600,
  'closed/open-to-all': 0o644,
};

const python = (code: string): string =>
  `python3 - "$D" <<'END'\nimport ctypes, mmap, os, sys\nD, libc = sys.argv[1], ctypes.CDLL(None, use_errno=True)\n${code}\nEND`;

/** Each prints `secret`. `$D` is the folder, `$V` another one below /var/lib, `$P` a process of the user. */
const attacks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(files).map((name) => [name, `cat "$D/${name}"`])),
  'all of them, by patterns': 'cat $D/* $D/.[a-z]* $D/*/* $D/*/*/*',
  'by a link that is there': 'cat $D/link',
  'by a link in the workspace': 'ln -sfn $D l-$N; cat l-$N/shadow-',
  'by the root of the own process': 'cat /proc/self/root$D/shadow-',
  'by the root of a process outside': 'cat /proc/$P/root$D/shadow-',
  'by the current folder of a process outside': 'cat /proc/$P/cwd/shadow-',
  'by a descriptor of a process outside': 'cat /proc/$P/fd/9',
  'in the environment of a process outside': "tr '\\0' '\\n' < /proc/$P/environ | sed -n s/^KEY=//p",
  'by a hard link': 'ln $D/shadow- h-$N && cat h-$N',
  'by a mount of the own': 'mkdir -p m; unshare -Urm bash -c "mount --bind $D m && cat m/shadow-"',
  'by dots': 'cd $D/ssl/private; cat ../../shadow- || { cd $D && cat ./ssl/../shadow-; }',
  'by a descriptor that is only a name': python(
    'print(open(f"/proc/self/fd/{os.open(D + \'/shadow-\', os.O_PATH)}").read())',
  ),
  'mapped into memory': python(
    'print(mmap.mmap(os.open(D + "/shadow-", os.O_RDONLY), 0, mmap.MAP_SHARED, mmap.PROT_READ)[:].decode())',
  ),
  'copied by the kernel': python('os.sendfile(1, os.open(D + "/shadow-", os.O_RDONLY), 0, 99)'),
  'opened for others first': 'chmod 644 $D/.pwd.lock; cat $D/.pwd.lock',
  'a key below /var/lib': 'cat $V/key',
};
const control = 'a file that all may read';
const names = [...Object.keys(attacks), control];
const script = ['[ -n "$D" ] && [ -n "$P" ] || echo lost']
  .concat(
    [...Object.values(attacks), 'sed s/open/secret/ $D/open'].map(
      (one, n) => `N=${n}; (${one}\n) 2> /dev/null < /dev/null | grep -q '^secret' && echo ${n}`,
    ),
  )
  .join('\n');

function makeSecrets(t: TestContext, parent: string, {uid, gid}: Identity): string {
  const folder = mkdtempSync(`${parent}/ion-test-`);
  t.after(() => rmSync(folder, {recursive: true, force: true}));
  chmodSync(folder, 0o755);
  for (const [name, mode] of Object.entries({...files, key: 0o600, open: 0o644})) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), {recursive: true});
    writeFileSync(file, name === 'open' ? 'open\n' : 'secret\n');
    chmodSync(file, mode);
    chownSync(file, uid, gid);
  }
  symlinkSync('ssl/private/key.pem', path.join(folder, 'link'));
  for (const name of ['closed', 'ssl/private']) {
    chownSync(path.join(folder, name), uid, gid);
    chmodSync(path.join(folder, name), 0o700);
  }
  // Its files belong to the user, who may link and remove them there.
  chownSync(folder, uid, gid);
  return folder;
}

for (const as of own.name === 'root' ? testers : [])
  for (const {name, deny} of [
    {name: 'namespaces', deny: []},
    {name: 'no namespaces', deny: noNamespaces},
  ])
    test(`secrets that are below /etc when the run starts (${as.name}, ${name})`, async (t) => {
      if (!requireProgram(t, 'cc', 'python3', 'unshare')) return;
      const found = async (isInside: boolean): Promise<string[]> => {
        const [folder, data] = [makeSecrets(t, '/etc', as), makeSecrets(t, '/var/lib', as)];
        const scratch = makeScratch(t, as, {'~/.cache/': ''});
        const victim = startProgram(scratch, ['bash', '-c', 'exec 9< shadow-; echo ready; read x'], {
          as,
          cwd: folder,
          env: {KEY: 'secret'},
          stdio: ['pipe', 'pipe', 'ignore'],
        });
        await once(victim.stdout!, 'data');
        const user = as.uid === 0 ? [] : ['--user', `${as.uid}:${as.gid}`];
        const through = isInside ? [compiled('deny-syscalls.c'), ...user, ...deny, '--'] : [];
        const flags = isInside ? [] : ['--no-sandbox'];
        const {stdout} = await runIon(scratch, ['run', ...flags, script], {
          as: isInside ? own : as,
          env: {D: folder, V: data, P: String(victim.pid)},
          through,
          timeoutMs: 60_000,
        });
        victim.stdin!.end();
        return stdout
          .split('\n')
          .filter(Boolean)
          .map((n) => names[Number(n)] ?? n);
      };
      assert.deepEqual(await found(false), names);
      assert.deepEqual(await found(true), [control]);
    });
