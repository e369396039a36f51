import assert from 'node:assert/strict';
import {once} from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {loadNative} from '../../src/sandbox/linux/native.ts';
import {identities, plain} from '../harness/identity.ts';
import {requireProgram, skip} from '../harness/must-run.ts';
import {packageRoot} from '../harness/package.ts';
import {collect, runIon, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/**
 * A run of root reads no file below /etc that other users may not read, whatever another process does there during the run. The
 * folder held no closed file when the run started, so Landlock grants it as a whole: the idmapped mount closes the files.
 */
const root = identities.find(({uid}) => uid === 0)!;
const secret = 'secret\n';

function isPossible(t: TestContext): boolean {
  if (identities.length === 1) {
    t.skip('only root can make files in /etc');
    return false;
  }
  const native = loadNative(packageRoot);
  if (!('missing' in native) && native.addon.probe().ownerlessEtc) return requireProgram(t, 'python3');
  skip(t, 'no idmapped mount of /etc can be made here');
  return false;
}

/** The folder is granted as a whole: it contains no closed file. Each machine has such a folder. */
function folderIn(t: TestContext): string {
  const folder = mkdtempSync('/etc/ion-test-');
  chmodSync(folder, 0o755);
  t.after(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

interface Attack {
  readonly name: string;
  /** The file at the start of the run: readable by all. */
  readonly before?: (folder: string) => void;
  /** The action of another process after that. */
  readonly meanwhile: (folder: string) => void;
  /** Bash in a subfolder of its own below /etc, `$D`; prints the secret. */
  readonly script: string;
}

const make =
  (name: string, mode = 0o600) =>
  (folder: string): void => {
    writeFileSync(path.join(folder, name), secret, {mode});
    chmodSync(path.join(folder, name), mode);
  };
const replace =
  (name: string, mode = 0o600) =>
  (folder: string): void => {
    make(`${name}.new`, mode)(folder);
    renameSync(path.join(folder, `${name}.new`), path.join(folder, name));
  };
const readable =
  (name: string) =>
  (folder: string): void =>
    writeFileSync(path.join(folder, name), 'open\n', {mode: 0o644});
const python = (code: string): string => `python3 - "$D" <<'END'
import ctypes, mmap, os, sys
D = sys.argv[1]
${code}
END`;

const attacks: readonly Attack[] = [
  {name: 'made during the run', meanwhile: make('f'), script: 'cat $D/f'},
  {name: 'made with a mode for its group', meanwhile: make('f', 0o640), script: 'cat $D/f'},
  {
    name: 'put in the place of an open one by a rename, as passwd(1) does',
    before: readable('f'),
    meanwhile: replace('f'),
    script: 'cat $D/f',
  },
  {
    name: 'closed during the run',
    before: make('f', 0o644),
    meanwhile: (folder) => chmodSync(path.join(folder, 'f'), 0o600),
    script: 'cat $D/f',
  },
  {
    name: 'in a folder that is made during the run',
    meanwhile: (folder) => {
      mkdirSync(path.join(folder, 'd'));
      make('f', 0o640)(path.join(folder, 'd'));
    },
    script: 'cat $D/d/f',
  },
  {
    name: 'open, in a closed folder that is made during the run',
    meanwhile: (folder) => {
      mkdirSync(path.join(folder, 'd'), {mode: 0o700});
      make('f', 0o644)(path.join(folder, 'd'));
    },
    script: 'cat $D/d/f; cat $D/d/*',
  },
  {name: 'by the root of the own process', meanwhile: make('f'), script: 'cat /proc/self/root$D/f'},
  {name: 'by the current folder', meanwhile: make('f'), script: 'cd $D && cat f'},
  {name: 'by a link in the workspace', meanwhile: make('f'), script: 'ln -s $D/f link-$$; cat link-$$'},
  {
    name: 'by a descriptor of its folder',
    meanwhile: make('f'),
    script: python(
      'd = os.open(D, os.O_PATH)\nprint(os.read(os.open("f", os.O_RDONLY, dir_fd=d), 99).decode())',
    ),
  },
  {
    name: 'by a descriptor that is only a name',
    meanwhile: make('f'),
    script: python('print(open(f"/proc/self/fd/{os.open(D + \'/f\', os.O_PATH)}").read())'),
  },
  {
    name: 'mapped into memory',
    meanwhile: make('f'),
    script: python(
      'print(mmap.mmap(os.open(D + "/f", os.O_RDONLY), 0, mmap.MAP_SHARED, mmap.PROT_READ)[:].decode())',
    ),
  },
  {
    name: 'executed as a script',
    meanwhile: (folder) => {
      writeFileSync(path.join(folder, 'f'), '#!/bin/sh\necho secret\n');
      chmodSync(path.join(folder, 'f'), 0o700);
    },
    script: '$D/f || bash $D/f',
  },
  {
    name: 'as its owner',
    meanwhile: (folder) => {
      make('f')(folder);
      chownSync(path.join(folder, 'f'), plain.uid, plain.gid);
    },
    script: python(
      `os.setgroups([]); os.setgid(${plain.gid}); os.setuid(${plain.uid}); print(open(D + '/f').read())`,
    ),
  },
  {
    name: 'as a member of its group',
    meanwhile: (folder) => {
      make('f', 0o640)(folder);
      chownSync(path.join(folder, 'f'), 0, 42);
    },
    script: python('os.setgroups([42]); print(open(D + "/f").read())'),
  },
  {
    name: 'opened for others first, by its mode',
    meanwhile: make('f'),
    script: 'chmod 644 $D/f; chown 65534 $D/f; cat $D/f',
  },
  {
    name: 'copied by the kernel',
    meanwhile: make('f'),
    script: python('os.sendfile(1, os.open(D + "/f", os.O_RDONLY), 0, 99)'),
  },
  {
    name: 'by its place in a mount, a hard link',
    meanwhile: make('f'),
    script: 't=$(mktemp -u) && ln $D/f $t && cat $t; rm -f $t',
  },
];

test('secrets below /etc that another process makes or closes during the run, as root', async (t) => {
  if (!isPossible(t)) return;
  const found: Record<string, readonly string[]> = {};
  for (const how of ['outside', 'inside']) {
    const top = folderIn(t);
    const scratch = makeScratch(t, root);
    const places = attacks.map((_, at) => path.join(top, String(at)));
    for (const [at, {before}] of attacks.entries()) {
      mkdirSync(places[at]!);
      before?.(places[at]!);
    }
    const tries = attacks.map(
      ({script}, at) => `D=${places[at]}; (${script}\n) 2>/dev/null | grep -q secret && echo ${at}`,
    );
    const flags = how === 'outside' ? ['--no-sandbox'] : [];
    const run = startIon(scratch, ['run', ...flags, `echo started; read x\n${tries.join('\n')}\ntrue`], {
      as: root,
    });
    const ended = collect(run, 180_000);
    await once(run.stdout!, 'data');
    for (const [at, {meanwhile}] of attacks.entries()) meanwhile(places[at]!);
    run.stdin!.end('\n');
    const {stdout} = await ended;
    found[how] = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((at) => attacks[Number(at)]!.name);
  }
  assert.deepEqual(
    found['outside'],
    attacks.map(({name}) => name),
  );
  assert.deepEqual(found['inside'], []);
});

test('a file below /etc is never read between its creation and its rename, nor after it, as root', async (t) => {
  if (!isPossible(t)) return;
  const seen: number[] = [];
  for (const flags of [['--no-sandbox'], []]) {
    const folder = folderIn(t);
    readable('f')(folder);
    const scratch = makeScratch(t, root);
    const reader = python(`import glob, time
names = [D + '/' + name for name in ('f', 'f.new')]
print('started', flush=True)
end, found = time.time() + 20, 0
while time.time() < end and not os.path.exists(D + '/end'):
    for name in names:
        try: found += b'secret' in os.read(os.open(name, os.O_RDONLY), 99)
        except OSError: pass
    os.closerange(3, 60)
print(found)`);
    const run = startIon(scratch, ['run', ...flags, `D=${folder}\n${reader}`], {as: root});
    const ended = collect(run, 180_000);
    await once(run.stdout!, 'data');
    for (let i = 0; i < 300; i++) {
      replace('f')(folder);
      if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    make('end', 0o644)(folder);
    seen.push(Number((await ended).stdout.trim().split('\n').at(-1)));
  }
  assert.ok(seen[0]! > 0, 'outside it is read');
  assert.equal(seen[1], 0);
});

test('what every program needs below /etc stays readable for root, also when a strict umask has closed it', async (t) => {
  if (!isPossible(t)) return;
  const name = '/etc/profile.d/ion-test.sh';
  if (!readdirSync('/etc').includes('profile.d')) return t.skip('no /etc/profile.d');
  writeFileSync(name, 'needed\n', {mode: 0o600});
  t.after(() => rmSync(name, {force: true}));
  const scratch = makeScratch(t, root);
  const {stdout} = await runIon(scratch, ['run', `cat ${name}; head -c 4 /etc/passwd`], {as: root});
  assert.equal(stdout, 'needed\nroot');
});

test('a root of the user below /etc is read and written as outside, by root', async (t) => {
  if (!isPossible(t)) return;
  const folder = folderIn(t);
  for (const name of ['read', 'write']) {
    mkdirSync(path.join(folder, name));
    make('f')(path.join(folder, name));
  }
  make('f')(folder);
  const scratch = makeScratch(t, root);
  const {stdout} = await runIon(
    scratch,
    [
      'run',
      ...[
        '--set',
        `sandbox.read_roots=["${folder}/read"]`,
        '--set',
        `sandbox.write_roots=["${folder}/write"]`,
      ],
      `cat ${folder}/read/f; echo more >> ${folder}/write/f; cat ${folder}/write/f; cat ${folder}/f; echo x >> ${folder}/read/f`,
    ],
    {as: root},
  );
  assert.equal(stdout, 'secret\nsecret\nmore\n');
});
