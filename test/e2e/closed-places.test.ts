import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {settings} from '../corpus/settings.ts';
import {isWhole} from '../harness/extent.ts';
import {identities, plain} from '../harness/identity.ts';
import {compiled} from '../harness/native.ts';
import {collect, runIon, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const ways = [
  'ls',
  'cat $T/file',
  'echo x >> $T/file',
  'rm -r',
  'mv $T/file f',
  'ln $T/file f',

  'ln -s $T l; cat l/file',
  'chmod 777',
  'touch $T/file',
  'touch -d 2001-01-01',
  'mkdir $T/new',
  'cat /proc/[0-9]*/root$T/file',
  'head -1 < $T/file',
  'mv $T moved',
];

for (const {name, as, deny} of settings.filter(({as}) => isWhole || as === plain)) {
  test(`a private temp folder is closed to another run (${name})`, async (t) => {
    const scratch = makeScratch(t, as, {'private.toml': '[sandbox]\ntmp = "private"\n'});
    const first = startIon(
      scratch,
      ['run', '--config', 'private.toml', 'cd $TMPDIR; echo secret > file; pwd; cat; cat $TMPDIR/file'],
      {as},
    );
    const ended = collect(first, 60_000);
    const [line] = (await once(first.stdout!, 'data')) as [Buffer];
    const folder = line.toString().trim();
    const script = ways
      .map(
        (way) =>
          `(${way.includes('$T') ? way.replaceAll('$T', folder) : `${way} ${folder}`}) && echo "through: ${way.replaceAll('$', '')}"`,
      )
      .join('; ');
    const through = deny.length > 0 ? [compiled('deny-syscalls.c'), ...deny, '--'] : [];
    const other = await runIon(scratch, ['run', `${script}; true`], {as, through});
    assert.equal(other.stdout, '', other.stderr);
    // Commands that change nothing and open no other file.
    const reads = ['ls $T', 'cat $T/file', 'head -1 < $T/file', 'ln -s $T l; cat l/file'];
    const tried = reads.map((way) => `(${way.replaceAll('$T', folder)}) > out && echo through`).join('; ');
    const outside = await runIon(scratch, ['run', '--no-sandbox', `${tried}; true`], {as});
    assert.equal(outside.stdout, 'through\n'.repeat(reads.length), outside.stderr);
    first.stdin!.end();
    const {stdout} = await ended;
    assert.equal(stdout.trim().split('\n').at(-1), 'secret');
  });
}

const secret = `/etc/ion-test-${process.pid}`;

/** Closed by owner and mode, whatever the name. */
for (const mode of [0o600, 0o640, 0o400]) {
  test(
    `a file below /etc that others may not read, as root: ${mode.toString(8)}`,
    {skip: identities.length === 1},
    async (t) => {
      const root = identities.find(({uid}) => uid === 0)!;
      const scratch = makeScratch(t, root);
      writeFileSync(secret, 'secret\n', {mode});
      t.after(() => rmSync(secret, {force: true}));
      const commands = `cat ${secret}; cat /proc/self/root${secret}; ln ${secret} f && cat f; cat /etc/passwd | head -c 4`;
      const {stdout} = await runIon(scratch, ['run', commands], {as: root});
      assert.equal(stdout, 'root');
    },
  );
}

/** ion checks symlinks only where a folder is granted entry by entry, which is not so for the first of these. */
for (const [what, beside] of [
  ['in a folder that is granted as a whole', []],
  ['in a folder that is granted entry by entry', ['closed']],
] as const) {
  test(
    `a symlink below /etc to a file that others may not read: ${what}`,
    {skip: identities.length === 1},
    async (t) => {
      const root = identities.find(({uid}) => uid === 0)!;
      const scratch = makeScratch(t, root);
      const folder = `${secret}.d`;
      mkdirSync(folder);
      t.after(() => rmSync(folder, {recursive: true, force: true}));
      t.after(() => rmSync(`/root/ion-test-${process.pid}`, {force: true}));
      writeFileSync(`/root/ion-test-${process.pid}`, 'secret\n', {mode: 0o600});
      symlinkSync(`/root/ion-test-${process.pid}`, path.join(folder, 'link'));
      writeFileSync(path.join(folder, 'open'), 'open\n');
      for (const name of beside) writeFileSync(path.join(folder, name), 'secret\n', {mode: 0o600});
      const {stdout} = await runIon(scratch, ['run', `cat ${folder}/*`], {as: root});
      assert.equal(stdout, 'open\n');
    },
  );
}

/** The bit sets the group of new files in a folder. On a file it would make a program with another user's rights. */
for (const setting of settings) {
  test(`set-group-id: on folders, not on files (${setting.name})`, async (t) => {
    const scratch = makeScratch(t, setting.as);
    const command = `git init -q --shared=group r && stat -c %A r/.git; mkdir d; chmod g+s d; stat -c %A d; install -d -m 2750 e; stat -c %A e
      touch f; chmod g+s f; chmod u+s d; chmod 2755 /proc/self/fd/9 9<f; ln -s f l; chmod 2755 l; ln -s / o; chmod 2755 o; stat -c %A d f`;
    const {stdout} = await runIon(scratch, ['run', `umask 022; { ${command}; } 2>/dev/null`], {
      as: setting.as,
      through: setting.deny.length > 0 ? [compiled('deny-syscalls.c'), ...setting.deny, '--'] : [],
    });
    assert.equal(stdout, 'drwxrwsr-x\ndrwxr-sr-x\ndrwxr-s---\ndrwxr-sr-x\n-rw-r--r--\n');
  });
}

test('a current folder with a path longer than 4,096 bytes: the message is that of a name that is too long', async (t) => {
  const scratch = makeScratch(t, plain);
  const deep = 'd=$(printf %0200d 0); for i in $(seq 25); do mkdir "$d" && cd "$d" || exit; done; touch f';
  const {code, stderr} = await runIon(scratch, ['run', deep], {as: plain});
  assert.notEqual(code, 0);
  assert.match(stderr, /File name too long/);
});
