import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {git, gitEnvironment, makeRepository} from '../harness/git.ts';
import {isWhole} from '../harness/extent.ts';
import {plain, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch} from '../harness/scratch.ts';

/**
 * Renames with python3: mv(1) has checks of its own and would not make the call. `V` is a folder outside, `B` a write root
 * around the workspace.
 */
const rename = (from: string, to: string): string => `python3 -c 'import os; os.rename("${from}", "${to}")'`;
const exchange = (one: string, other: string): string =>
  `python3 -c 'import ctypes; exit(ctypes.CDLL(None).renameat2(-100, b"${one}", -100, b"${other}", 2) != 0)'`;

const evil = 'printf "[core]\\n\\tfsmonitor = evil\\n"';

/**
 * Ways to make ion itself write or move files that do not belong to the run: during the run (renames across a mount, which
 * ion performs) and after it (revert, merge, quarantine).
 */
const attacks: readonly {readonly name: string; readonly script: string; readonly plain?: true}[] = [
  {
    name: 'a folder that is a symlink, and a missing file in it',
    script: 'mkdir -p node_modules/.bin; mv node_modules/.bin node_modules/b; ln -s $V node_modules/.bin',
  },
  {name: 'the folder of attributes, as a symlink', script: 'mv .git/info .git/i; ln -s $V .git/info'},
  {
    name: 'the workspace renamed, with a symlink in its place',
    script: `git config user.name a; ${rename('../../in/ws', '../../old')}; ln -s $V $B/in/ws`,
  },
  {name: 'a config exchanged for another', script: `${evil} > e; ${exchange('.git/config', 'e')}`},
  {name: 'a config moved away', script: `mv .git/config c; ${rename('.git/config', 'c')}`},
  {
    name: 'a config moved onto the config of a nested repository',
    script: rename('.git/config', 'sub/.git/config'),
  },
  {
    name: 'the git folder, where no mount protects it',
    script: 'git config user.name a; mkdir d; cd d; rmdir ../d; mv ../.git ../g; ln -s $V/.git ../.git',
    plain: true,
  },
];

/** `npm test` tries every attack in one of the settings, and each setting with some of them. */
const isTried = (attack: (typeof attacks)[number], without: boolean): boolean => {
  if (attack.plain) return without;
  return isWhole || (attacks.indexOf(attack) % 2 === 0) === without;
};

for (const as of testers) {
  for (const without of [false, true]) {
    for (const {name, script, plain} of attacks.filter((one) => isTried(one, without))) {
      test(`nothing is repaired elsewhere: ${name}${without ? ', without namespaces' : ''} (${as.name})`, async (t) => {
        if (!requireProgram(t, 'git', 'python3', 'cc')) return;
        const scratch = makeScratch(t, as, {'~/.ion/config.toml': '[sandbox]\nwrite_roots = ["~/big"]\n'});
        const [big, victim] = [`${scratch.home}/big`, `${scratch.home}/victim`];
        const work = `${big}/in/ws`;
        for (const folder of [work, victim, `${victim}/.claude`, `${work}/sub`])
          mkdirSync(folder, {recursive: true});
        giveTo(scratch.root, as);
        for (const folder of [work, victim, `${work}/sub`]) makeRepository(scratch, as, folder);
        for (const file of ['node', 'attributes', '.claude/settings.json'])
          writeFileSync(`${victim}/${file}`, 'own');
        git(scratch, as, ['config', 'core.fsmonitor', 'theirs'], work);
        git(scratch, as, ['config', 'alias.x', 'y'], victim);
        const configs = [`${victim}/.git/config`, `${work}/.git/config`, `${work}/sub/.git/config`];
        const before = configs.map((file) => readFileSync(file, 'utf8'));
        const through = without ? [compiled('deny-syscalls.c'), ...noNamespaces, '--'] : [];
        const env = {...gitEnvironment, V: victim, B: big};
        const {stderr} = await runIon(scratch, ['run', `${script}; true`], {as, env, cwd: work, through});
        for (const file of ['node', 'attributes', '.claude/settings.json']) {
          assert.ok(existsSync(`${victim}/${file}`), `${file}\n${stderr}`);
        }
        assert.equal(readFileSync(configs[0]!, 'utf8'), before[0], stderr);
        if (existsSync(configs[1]!) && !plain) {
          assert.doesNotMatch(readFileSync(configs[1]!, 'utf8'), /evil/, stderr);
        }
        if (/config/.test(name)) {
          assert.ok(existsSync(configs[1]!), stderr);
          assert.equal(readFileSync(configs[2]!, 'utf8'), before[2], stderr);
        }
      });
    }
  }

  test(`without a lease, and with a FIFO, ion does not wait (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git', 'python3', 'mkfifo')) return;
    const scratch = makeScratch(t, as, {
      'lease.py': `import fcntl, os
try: fcntl.fcntl(os.open('.git/config', os.O_RDONLY), 1024, fcntl.F_RDLCK)
except OSError as e: print(type(e).__name__)
`,
    });
    makeRepository(scratch, as);
    const leased = await runIon(scratch, ['run', 'python3 lease.py'], {as});
    assert.equal(leased.stdout, 'PermissionError\n');
    const fifo = await runIon(scratch, ['run', 'mkdir in && cd in && mkfifo .git'], {as});
    assert.equal(fifo.code, 0, fifo.stderr);
    // git itself would wait for a writer.
    await runIon(scratch, ['run', '--read', 'git --version'], {
      as,
      cwd: `${scratch.work}/in`,
      timeoutMs: 10_000,
    });
  });

  test(`a git config that does not exist is not created (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    const {rmSync} = await import('node:fs');
    rmSync(`${scratch.work}/.git/config`);
    const {stderr} = await runIon(
      scratch,
      ['run', `${evil} > .git/config; git config core.fsmonitor evil; true`],
      {
        as,
        env: gitEnvironment,
      },
    );
    assert.match(
      stderr,
      /blocked: .*could not change ".*\/\.git\/config"[^]*unprotect = \["\.git\/config"\]/,
    );
    assert.ok(!existsSync(`${scratch.work}/.git/config`));
  });

  const undone: readonly (readonly [string, string])[] = [
    ['a change', evil],
    ['and takes the lock', `${evil}; : > .git/config.lock`],
    ['and makes it unreadable', `${evil}; printf '# \\0\\n' >> .git/config; mkdir .git/config.lock`],
    ['and closes its folder', `${evil}; chmod 555 .git`],
    ['and makes it large', `${evil}; head -c 1100000 /dev/zero | tr "\\0" "#" >> .git/config`],
  ];
  for (const [name, script] of undone) {
    test(`a git config that is changed in place is restored: ${name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'git', 'cc')) return;
      const scratch = makeScratch(t, as);
      makeRepository(scratch, as);
      const read = () => readFileSync(`${scratch.work}/.git/config`, 'utf8');
      const before = read();
      const through = [compiled('deny-syscalls.c'), ...noNamespaces, '--'];
      const command = `{ ${script}; } >> .git/config`;
      const {stderr} = await runIon(scratch, ['run', command], {as, through});
      assert.equal(read(), before, stderr);
      assert.match(stderr, /^ion: reverted (?:.* in )?".*\.git\/config": /m);
      assert.ok(!existsSync(`${scratch.work}/.git/config.lock`));
      await runIon(scratch, ['run', '--no-sandbox', command], {as});
      assert.match(read(), /fsmonitor/);
    });
  }

  for (const folder of ['around/work', 'around']) {
    for (const without of isWhole ? [false, true] : [folder === 'around']) {
      test(`a workspace in another write root stays where it is: mv ${folder}${without ? ', without namespaces' : ''} (${as.name})`, async (t) => {
        if (!requireProgram(t, 'cc')) return;
        const made = [];
        for (const flags of [['--no-sandbox'], []]) {
          const scratch = makeScratch(t, as, {
            // In a script file: a guardrail checks the command's text.
            'around/work/attack': `cd ../..; mv ${folder} gone; echo x > gone/tasks.json`,
          });
          writeFileSync(`${scratch.home}/own.toml`, `[sandbox]\nwrite_roots = ["${scratch.work}"]\n`);
          await runIon(scratch, ['run', '--config', `${scratch.home}/own.toml`, ...flags, 'bash attack'], {
            as,
            through: [
              ...['bash', '-c', 'cd around/work && exec "$0" "$@"'],
              ...(without ? [compiled('deny-syscalls.c'), ...noNamespaces, '--'] : []),
            ],
          });
          made.push(existsSync(`${scratch.work}/gone`));
        }
        assert.deepEqual(made, [true, false]);
      });
    }
  }

  const many = 'for n in {1..25000}; do echo "[remote \\"r$n\\"] url = u$n"; done; echo "[alias] x = !evil"';
  for (const [way, write] of [
    ['in place', '>> .git/config'],
    ['by rename', '> n; cat .git/config n > m; mv m .git/config'],
  ] as const) {
    for (const without of as === plain ? (isWhole ? [false, true] : [way === 'in place']) : []) {
      test(`thousands of keys of a git config are handled, ${way}${without ? ', without namespaces' : ''} (${as.name})`, async (t) => {
        if (!requireProgram(t, 'git', 'cc')) return;
        const scratch = makeScratch(t, as);
        makeRepository(scratch, as);
        const through = without ? [compiled('deny-syscalls.c'), ...noNamespaces, '--'] : [];
        // If ion read the text once per key, this would take half an hour.
        const {stderr} = await runIon(scratch, ['run', `{ ${many}; } ${write}; true`], {
          as,
          through,
          timeoutMs: 120_000,
        });
        const config = readFileSync(`${scratch.work}/.git/config`, 'utf8');
        assert.doesNotMatch(config, /evil/, stderr);
        assert.match(stderr, /^ion: (?:reverted(?: .* in)?|blocked: .* could not \w+) ".*\.git\/config"/m);
        if (stderr.includes('undone')) assert.match(config, /u25000\n/, stderr);
      });
    }
  }

  /** In a repository that the run itself makes: more than ion keeps in memory, or spends time on. */
  const floods: readonly (readonly [string, string])[] = [
    [
      'hooks',
      'for i in range(20000): os.close(os.open(f"own/.git/hooks/{i}", os.O_CREAT | os.O_WRONLY, 0o755))',
    ],
    [
      'configs',
      `open("own/c", "w").write('[remote "o"]\\n' + "url = x\\n" * 120000)
for i in range(1500):
  os.makedirs(f"own/{i}/.git/objects")
  open(f"own/{i}/.git/HEAD", "w").close()
  os.link("own/c", f"own/{i}/.git/config")`,
    ],
  ];
  // The amount of work is the same for every user.
  for (const [name, code] of isWhole && as === plain ? floods : []) {
    test(`of thousands of ${name} that a run makes, some are reported, and the workspace is repaired (${as.name})`, async (t) => {
      if (!requireProgram(t, 'git', 'python3', 'cc')) return;
      const scratch = makeScratch(t, as, {'flood.py': `import os\n${code}\n`});
      makeRepository(scratch, as);
      const through = [compiled('deny-syscalls.c'), ...noNamespaces, '--'];
      const script = `git init -q own; mkdir -p own/.git/hooks; python3 flood.py; ${evil} >> .git/config`;
      const {code: exit, stderr} = await runIon(scratch, ['run', script], {
        as,
        env: gitEnvironment,
        through,
        timeoutMs: 60_000,
      });
      assert.equal(exit, 0, stderr.slice(0, 2000));
      assert.doesNotMatch(readFileSync(`${scratch.work}/.git/config`, 'utf8'), /evil/);
      assert.match(stderr, /^ion: reverted (?:.* in )?".*\.git\/config": /m);
      assert.match(
        stderr,
        /^ion: check ".*" and the files next to it: this run made more hooks and configs .*$/m,
      );
      assert.ok(stderr.split('\n').length < 150, stderr.slice(0, 2000));
    });
  }

  test(`a git config that is too large to protect is reported before the run (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    writeFileSync(`${scratch.work}/.git/config`, `# ${'x'.repeat(1 << 20)}\n`);
    const {code, stdout, stderr} = await runIon(scratch, ['run', 'echo ran'], {as});
    assert.deepEqual([code, stdout], [125, '']);
    assert.match(stderr, /^ion: ".*\.git\/config" is larger than 1 MiB: .*\nhelp: .*unprotect/);
  });

  test(`a lock of a git config is not left behind for the next run (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git', 'cc')) return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    const through = [compiled('deny-syscalls.c'), ...noNamespaces, '--'];
    const {code} = await runIon(scratch, ['run', ': > .git/config.lock'], {as, through});
    assert.equal(code, 0);
    assert.ok(!existsSync(`${scratch.work}/.git/config.lock`));
  });

  test(`folders without permissions, left by one run, do not end the next one (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    for (const script of [
      'mkdir -p .git/info; chmod 000 .git/info',
      'mkdir in; chmod 000 in; chmod 000 .git',
      'echo on',
    ]) {
      const {stderr} = await runIon(scratch, ['run', `${script}; true`], {as});
      assert.doesNotMatch(stderr, /bug in ion/);
    }
  });
}
