import assert from 'node:assert/strict';
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {test, type TestContext} from 'node:test';
import {noListener, noNamespaces} from '../conformance/kernels.ts';
import {isFull, isWhole} from '../harness/extent.ts';
import {identities, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon, runProgram, startProgram} from '../harness/run.ts';
import {makeScratch, type Files, type Scratch} from '../harness/scratch.ts';

/**
 * One way to read a path that denied_paths deny: a bash script in a file, which the decision does not check. It prints
 * "private". A process outside writes the file `late` once `go` exists.
 */
interface Attack {
  readonly name: string;
  readonly denied: string;
  readonly script: string;
  readonly files?: Files;
  /** The target of `link` in the workspace. */
  readonly link?: string;
  /** The refusal is not reported. EXDEV or ELOOP is the kernel's own answer, or looks like it. */
  readonly reported?: false;
}

const python = (code: string): string => `python3 - <<'END'\nimport ctypes, os, shutil\n${code}\nEND`;
const gitFolder = (folder: string): Files => ({
  [`${folder}/HEAD`]: 'ref: refs/heads/main\n',
  [`${folder}/config`]: '',
  [`${folder}/objects/`]: '',
  [`${folder}/refs/`]: '',
  [`${folder}/hooks/`]: '',
});
const key: Files = {'d/key.pem': 'private\n', 'keys/a': 'private\n', plain: 'plain\n'};
/** Waits for the file that the process outside writes. */
const wait = (file: string): string =>
  `touch go; n=${file}; until [ -e "$n" ]; do sleep 0.01; done; sleep 0.05`;

const attacks: readonly Attack[] = [
  {name: 'a name built from parts', denied: '*.pem', script: python('print(open("d/key.pem").read())')},
  {name: 'a shell variable', denied: '*.pem', script: 'cat d/key.pem'},
  {name: 'a folder by a glob', denied: 'keys/**', script: 'cat keys/a'},
  {
    name: 'the listing of a denied folder',
    denied: 'keys/**',
    script: 'ls keys | grep -q a && echo private',
  },
  {name: 'in upper case', denied: '*.PEM', script: 'cat d/key.pem'},
  {
    name: 'a hidden file',
    denied: '.env*',
    script: 'cat .env.local',
    files: {'.env.local': 'private\n'},
  },
  {name: 'alternatives', denied: '*.{pem,key}', script: 'cat d/key.pem'},
  {name: 'a set', denied: '*.p[a-f]m', script: 'cat d/key.pem'},
  {name: 'a hard link', denied: '*.pem', script: 'ln d/key.pem l && cat l'},
  {
    name: 'a hard link by descriptor',
    denied: '*.pem',
    script: python(
      'f = os.open("d/key.pem", os.O_PATH)\nassert ctypes.CDLL(None).linkat(-100, f"/proc/self/fd/{f}".encode(), -100, b"l", 0x400) == 0\nprint(open("l").read())',
    ),
  },
  {name: 'renaming it', denied: '*.pem', script: 'mv d/key.pem l && cat l'},
  {
    name: 'swapping it',
    denied: '*.pem',
    script: python(
      'libc = ctypes.CDLL(None)\nassert libc.renameat2(-100, b"d/key.pem", -100, b"plain", 2) == 0\nprint(open("plain").read())',
    ),
  },
  {name: 'renaming its folder', denied: 'keys/**', script: 'mv keys l && cat l/a'},
  {
    name: 'renaming a parent folder, out of the pattern',
    denied: 'keys/*/b',
    script: python('os.rename("keys/c", "l")\nprint(open("l/b").read())'),
    reported: false,
    files: {'keys/c/b': 'private\n'},
  },
  {
    name: 'renaming a parent of a path that does not exist yet',
    denied: 'p/q/late',
    script: `${wait('p/q/late')}; ${python('os.rename("p/q", "l")\nprint(open("l/late").read())')}`,
    reported: false,
    files: {'p/q/': ''},
  },
  {
    name: 'an existing file, moved with its folder into the git folder',
    denied: '{work}/d/key.pem',
    script: python('os.rename("d", "l")\nos.rename("l/key.pem", ".git/k")\nprint(open(".git/k").read())'),
    reported: false,
    files: gitFolder('.git'),
  },
  {
    name: 'an existing file, with its renamed folder in the git folder',
    denied: '{work}/d/key.pem',
    script: python('os.rename("d", "l")\nos.rename("l", ".git/l")\nprint(open(".git/l/key.pem").read())'),
    reported: false,
    files: gitFolder('.git'),
  },
  {
    name: "an existing file that has the name of a repository's config",
    denied: '{work}/d/key.pem',
    script: python('n = "below/.git/config"\nos.rename("d/key.pem", n)\nprint(open(n).read())'),
    reported: false,
    files: {...gitFolder('below/.git'), 'd/key.pem': '[user]\n\tname = private\n'},
  },
  {name: 'a symlink to it', denied: '*.pem', script: 'ln -s d/key.pem l; cat l'},
  {name: 'a symlink to its folder', denied: 'keys/**', script: 'ln -s keys l; cat l/a'},
  {
    name: 'a symlink of that name from before the run',
    denied: 'lin*',
    script: 'cat link',
    link: 'plain',
    files: {plain: 'private\n'},
  },
  {name: '/proc/self/root', denied: '*.pem', script: 'cat "/proc/self/root$PWD/d/key.pem"'},
  {name: '/proc/self/cwd', denied: '*.pem', script: 'cat /proc/self/cwd/d/key.pem'},
  {
    name: 'from a folder that was removed',
    denied: '*.pem',
    script: 'mkdir x; cd x; rmdir ../x; cat ../d/key.pem',
    reported: false,
  },
  {name: 'by dots after thread-self', denied: '*.pem', script: 'cat /proc/thread-self/../../cwd/d/key.pem'},
  {name: 'by two slashes before self', denied: '*.pem', script: 'exec 900<d; cat /proc//self/fd/900/key.pem'},
  {name: 'by dots before self', denied: '*.pem', script: 'exec 900<d; cat /proc/../proc/self/fd/900/key.pem'},
  {name: 'by two slashes before dev', denied: '*.pem', script: 'exec 900<d; cat //dev/fd/900/key.pem'},
  {
    name: 'by a link to a descriptor',
    denied: '*.pem',
    script: 'exec 900<d; ln -s /proc/self/fd/900 l; cat l/key.pem',
  },
  {name: '/proc/thread-self/cwd', denied: '*.pem', script: 'cat /proc/thread-self/cwd/d/key.pem'},
  {
    name: "another process's cwd",
    denied: '*.pem',
    reported: false,
    script: 'cat /proc/$$/cwd/d/key.pem',
  },
  {
    name: 'a link to /proc/self/cwd',
    denied: '*.pem',
    reported: false,
    script: 'ln -s /proc/self/cwd l; cat l/d/key.pem',
  },
  {
    name: 'O_PATH, and opened again',
    denied: '*.pem',
    script: python('f = os.open("d/key.pem", os.O_PATH)\nprint(open(f"/proc/self/fd/{f}").read())'),
  },
  {
    name: 'O_PATH, removed, and opened again',
    denied: '*.pem',
    script: python(
      'f = os.open("d/key.pem", os.O_PATH)\nos.unlink("d/key.pem")\nprint(open(f"/proc/self/fd/{f}").read())',
    ),
  },
  {
    name: 'the same beside a file with a similar name',
    denied: '*.pem',
    script: python(
      'n = "d/key.pem"\nf = os.open(n, os.O_PATH)\nos.unlink(n)\nopen(n + " (deleted)", "w")\nprint(open(f"/proc/self/fd/{f}").read())',
    ),
  },
  {
    name: 'O_PATH, removed with its folder, and opened again',
    denied: 'keys/**',
    script: python(
      'f = os.open("keys/a", os.O_PATH)\nos.unlink("keys/a")\nos.rmdir("keys")\nprint(open(f"/proc/self/fd/{f}").read())',
    ),
  },
  {
    name: 'O_PATH, removed, and opened again with O_CREAT',
    denied: '*.pem',
    script: python(
      'f = os.open("d/key.pem", os.O_PATH)\nos.unlink("d/key.pem")\nprint(os.read(os.open(f"/proc/self/fd/{f}", os.O_RDWR | os.O_CREAT), 99))',
    ),
  },
  {
    name: 'O_PATH, and opened again through the pid of the process',
    denied: '*.pem',
    script: python('f = os.open("d/key.pem", os.O_PATH)\nprint(open(f"/proc/{os.getpid()}/fd/{f}").read())'),
    reported: false,
  },
  {
    name: 'O_PATH of its folder, and openat',
    denied: '*.pem',
    script: python(
      'f = os.open("d", os.O_PATH)\nprint(os.read(os.open("key.pem", os.O_RDONLY, dir_fd=f), 99))',
    ),
  },
  {
    name: 'O_PATH of a denied folder, and openat',
    denied: 'keys/**',
    script: python('f = os.open("keys", os.O_PATH)\nprint(os.read(os.open("a", os.O_RDONLY, dir_fd=f), 99))'),
  },
  {name: 'from inside a denied folder', denied: 'keys/**', script: 'cd keys && cat a'},
  {
    name: 'as a script',
    denied: '*.pem',
    script: 'bash d/key.pem',
    files: {'d/key.pem': 'echo private\n'},
  },
  {
    name: 'executed',
    denied: '*.pem',
    script: 'd/key.pem',
    files: {'d/key.pem': {text: '#!/bin/sh\necho private\n', mode: 0o755}},
  },
  {name: 'copied', denied: '*.pem', script: 'cp d/key.pem l; cat l'},
  {
    name: 'by sendfile',
    denied: '*.pem',
    script: python('f = os.open("d/key.pem", os.O_RDONLY)\nos.sendfile(1, f, 0, 99)'),
  },
  {name: 'open for reading and writing', denied: '*.pem', script: 'exec 3<>d/key.pem; cat <&3'},
  {name: 'an existing file, by name', denied: '{work}/d/key.pem', script: 'cat d/key.pem', reported: false},
  {
    name: 'a file that an outside process makes during the run',
    denied: '{work}/late',
    script: `${wait('late')}; cat late`,
  },
  {
    name: 'a file below a folder that an outside process makes',
    denied: 'new/**',
    script: `${wait('new/late')}; cat new/*`,
  },
  {name: 'a file that the run makes', denied: '*.pem', script: 'echo private > new.pem; cat new.pem'},
];

function makeWorld(t: TestContext, attack: Attack, as: Identity): Scratch {
  const scratch = makeScratch(t, as, {...key, ...attack.files});
  if (attack.link) symlinkSync(attack.link, `${scratch.work}/link`);
  mkdirSync(`${scratch.work}/.ion`);
  writeFileSync(`${scratch.work}/attack`, attack.script);
  const denied = attack.denied.replace('{work}', scratch.work);
  writeFileSync(`${scratch.work}/.ion/config.toml`, `[permissions]\ndenied_paths = ["${denied}"]\n`);
  return scratch;
}

/** Kernels that lack a feature: the words before ion. */
const kernels = [
  {name: 'as it is', deny: []},
  {name: 'no namespaces', deny: noNamespaces},
];

function writeOutside({denied}: Attack, scratch: Scratch, as: Identity): void {
  if (!/late|new\//.test(denied)) return;
  const file = denied.replace('{work}/', '').replace('**', 'late');
  const script = `until [ -e go ]; do sleep 0.01; done; mkdir -p "$(dirname ${file})"; echo private > ${file}.x; mv ${file}.x ${file}`;
  scratch.companions.push(startProgram(scratch, ['bash', '-c', script], {as, stdio: 'ignore'}));
}

for (const attack of attacks) {
  for (const as of testers) {
    test(`denied_paths: ${attack.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'python3', 'cc')) return;
      if (isWhole) {
        const alone = makeWorld(t, attack, as);
        writeOutside(attack, alone, as);
        const open = await runProgram(alone, ['bash', 'attack'], {as});
        assert.match(open.stdout, /private/, `it proves nothing: ${open.stderr}`);
      }
      // Outside the full suite, where time is short, each user tests one of the two.
      const chosen = isFull ? kernels : [kernels[isWhole && as.name === 'user' ? 1 : 0]!];
      for (const {name, deny} of chosen) {
        const scratch = makeWorld(t, attack, as);
        const through = [compiled('deny-syscalls.c'), ...deny, '--'];
        writeOutside(attack, scratch, as);
        const inside = await runIon(scratch, ['run', '--timeout', '10s', 'bash attack'], {as, through});
        assert.doesNotMatch(inside.stdout, /private/, `${name}: ${inside.stderr}`);
        assert.notEqual(inside.code, 125, inside.stderr);
        if (attack.reported === false) continue;
        assert.match(
          inside.stderr,
          /blocked: \S+ \(pid \d+\) could not (?:read|change) ".*denied by denied_paths ".*"\)\n --> \.ion\/config\.toml:2\n/,
        );
      }
    });
  }
}

/** Work that such an entry must not affect. */
const everyday: readonly {readonly name: string; readonly script: string; readonly needs?: string}[] = [
  {name: 'other files', script: 'cat plain && cp plain l && mv l m && ln m n && rm m n && ls d'},
  {
    name: 'a missing file is missing',
    script: '! cat d/none.pem 2>err && grep -q "No such file" err',
  },
  {name: 'process substitution, pipes and here-documents', script: 'cat <(echo x) /dev/stdin <<<y | cat'},
  {
    name: 'a program that reads itself',
    script: 'head -c 4 /proc/self/exe | grep -q ELF && exec 3</proc/self/ns/net',
  },
  {name: 'a file that is made, and not read', script: 'echo x > new.pem && mkdir keys2 && mv keys2 keys3'},
  {
    name: 'a folder that is moved within the pattern',
    script: 'mkdir -p a/b && echo x > a/b/c && mv a d/a2 && cat d/a2/b/c',
  },
  {
    name: 'a folder that is moved out is copied',
    script: 'mkdir -p a/b && echo x > a/b/c && mv a "$TMPDIR/a2" && cat "$TMPDIR/a2/b/c" && [ ! -e a ]',
  },
  {
    name: 'a symlink, and one that leads nowhere',
    script: 'ln -s plain s && cat s && ln -s none t && ! cat t 2>err && grep -q "No such file" err',
  },
  {
    name: 'unnamed files',
    script: python(
      'f = os.open(".", os.O_TMPFILE | os.O_RDWR)\nos.write(f, b"x")\nassert open(f"/proc/self/fd/{f}").read() == "x"',
    ),
  },
  {
    name: 'git',
    needs: 'git',
    script:
      'git init -q . && git add plain && git -c user.name=a -c user.email=a@b commit -qm x && git log | cat',
  },
];

for (const {name, script, needs} of everyday) {
  for (const report of isWhole ? ['denials', 'minimal', 'all'] : ['denials']) {
    test(`denied_paths: ${name}, report = ${report}`, async (t) => {
      if (!requireProgram(t, 'python3', 'cc', ...(needs ? [needs] : []))) return;
      const as = identities.at(-1)!;
      for (const {name: kernel, deny} of isWhole ? kernels : kernels.slice(0, 1)) {
        const scratch = makeScratch(t, as, {
          ...key,
          attack: script,
          '~/own.toml': `[permissions]\ndenied_paths = ["/**/keys/**"]\n[sandbox]\nreport = "${report}"\ntmp = "private"\n`,
          '.ion/config.toml': '[permissions]\ndenied_paths = ["*.pem", "later"]\n',
        });
        const ended = await runIon(
          scratch,
          ['run', '--config', `${scratch.home}/own.toml`, 'bash -e attack'],
          {
            as,
            through: [compiled('deny-syscalls.c'), ...deny, '--'],
          },
        );
        assert.equal(ended.code, 0, `${kernel}: ${ended.stderr}`);
        assert.doesNotMatch(ended.stderr, /denied by denied_paths/);
      }
    });
  }
}

/**
 * On kernels that can enforce it by neither mechanism, an explicit entry is an error. An entry outside the readable roots
 * is not.
 */
const unkept: readonly {
  readonly name: string;
  readonly deny: readonly string[];
  readonly denied: string;
  readonly code: number;
}[] = [
  {name: 'a wildcard without a listener', deny: noListener, denied: '*.pem', code: 125},
  {name: 'a missing file, without a listener', deny: noListener, denied: 'd/later', code: 125},
  {name: 'an existing file, without a listener', deny: noListener, denied: 'd/key.pem', code: 0},
  {
    name: 'an existing file, without a listener and mounts',
    deny: [...noListener, ...noNamespaces],
    denied: 'd/key.pem',
    code: 125,
  },
  {
    name: 'a file outside the readable roots, with neither',
    deny: [...noListener, ...noNamespaces],
    denied: '~/other/**',
    code: 0,
  },
  {name: 'a range', deny: [], denied: 'key{1..3}', code: 125},
];

for (const {name, deny, denied, code} of unkept) {
  for (const as of testers) {
    test(`denied_paths: ${name}: ${code} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc')) return;
      const config = `[permissions]\ndenied_paths = ["${denied}"]\n`;
      const scratch = makeScratch(t, as, {...key, '.ion/config.toml': config});
      const ended = await runIon(scratch, ['run', 'echo ran'], {
        as,
        through: [compiled('deny-syscalls.c'), ...deny, '--'],
      });
      assert.deepEqual([ended.code, ended.stdout], [code, code === 0 ? 'ran\n' : ''], ended.stderr);
      if (code !== 125) return;
      assert.match(
        ended.stderr,
        /^ion: cannot enforce denied_paths ".*" here: .*\n --> \.ion\/config\.toml:2\nhelp: an existing path needs mounts; .*\n$/,
      );
    });
  }
}

test('denied_paths: ".." while a process outside renames', async (t) => {
  if (!requireProgram(t, 'python3')) return;
  const as = identities.at(-1)!;
  const scratch = makeScratch(t, as, {
    ...key,
    'attack.py': 'import os\nfor i in range(5000):\n    os.close(os.open("d/../plain", os.O_RDONLY))\n',
    '.ion/config.toml': '[permissions]\ndenied_paths = ["*.pem"]\n',
    '/a': '',
  });
  const churn = 'import os\nwhile True: os.rename("a", "b"); os.rename("b", "a")';
  scratch.companions.push(startProgram(scratch, ['python3', '-c', churn], {cwd: scratch.root}));
  const ended = await runIon(scratch, ['run', 'python3 attack.py'], {as});
  assert.equal(ended.code, 0, ended.stderr);
});

for (const as of testers) {
  test(`denied_paths: read mode, where the command does not name the file (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {secret: 'private\n', plain: 'plain\n', '.pem': 'private\n'});
    writeFileSync(
      `${scratch.root}/c.toml`,
      `[permissions]\ndenied_paths = ["${scratch.work}/secret", "*.pem"]\n`,
    );
    const {stdout} = await runIon(
      scratch,
      ['run', '--read', '--config', `${scratch.root}/c.toml`, 'grep -rh . .'],
      {as},
    );
    assert.equal(stdout, 'plain\n');
  });
}
