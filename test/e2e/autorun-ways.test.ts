import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {isWhole} from '../harness/extent.ts';
import {git, gitEnvironment} from '../harness/git.ts';
import {spawnAs, testers} from '../harness/identity.ts';
import {until} from '../harness/processes.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {collect, environmentOf, runIon, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

interface Way {
  readonly name: string;
  /** The script runs outside, before the run. */
  readonly make: string;
  readonly command: string;
  /**
   * The script runs outside after the run, and prints the file that a program there would obey. The attack writes `evil` into it.
   */
  readonly look: string;
}

const chain = 'mkdir links real; echo fine > real/env; ln -s ../real/env links/env; ln -s links/env .envrc';
const victim = 'git init -q victim; mkdir -p victim/.git/hooks; echo fine > victim/.git/hooks/pre-commit';

/** Files that are protected by their name, and that an attack can redirect without a change of that name. */
const ways: readonly Way[] = [
  {
    name: 'the missing target of a symlink',
    make: 'ln -s .vs .vscode',
    command: 'mkdir .vs; echo evil > .vs/tasks.json',
    look: 'cat .vscode/tasks.json',
  },
  {
    name: 'a symlink on the way',
    make: chain,
    command: 'rm links/env; echo evil > links/env',
    look: 'cat .envrc',
  },
  {
    name: 'the folder of a symlink on the way',
    make: chain,
    command: 'mv links gone; mkdir e; echo evil > e/env; ln -s e links',
    look: 'cat .envrc',
  },
  {
    name: 'a folder on the way that is a symlink',
    make: 'mkdir -p data/claude; ln -s data cfg; ln -s cfg/claude .claude',
    command: 'rm cfg; mkdir -p cfg/claude; echo evil > cfg/claude/settings.json',
    look: 'cat .claude/settings.json',
  },
  {
    name: 'a package that is a symlink (pnpm)',
    make: 'mkdir -p node_modules/{.bin,.store/node/bin}; echo fine > node_modules/.store/node/bin/node; ln -s .store/node node_modules/node; ln -s ../node/bin/node node_modules/.bin/node',
    command: 'rm node_modules/node; mkdir -p node_modules/node/bin; echo evil > node_modules/node/bin/node',
    look: 'cat node_modules/.bin/node',
  },
  {
    name: 'a nested repository that is a submodule of another one for a while',
    make: `${victim}; git init -q other`,
    command:
      'mkdir -p other/.git/modules && mv victim/.git other/.git/modules/v && cd other/.git/modules/v && mv HEAD H; echo evil > hooks/pre-commit; mv H HEAD; mv ../v ../../../../victim/.git',
    look: 'cat victim/.git/hooks/pre-commit other/.git/modules/v/hooks/pre-commit',
  },
  {
    name: 'the submodules of a nested repository, moved out of it for a while',
    make: 'git init -q other; mkdir -p other/.git/modules/v/hooks; echo fine > other/.git/modules/v/hooks/x; touch other/.git/modules/v/HEAD',
    command:
      'mv other/.git/modules m; echo evil > m/v/hooks/x; mv m other/.git/modules; mv other/.git/modules/v v; echo evil > v/hooks/x; mv v other/.git/modules/v',
    look: 'cat other/.git/modules/v/hooks/x',
  },
  {
    name: 'a worktree whose HEAD is missing for a while',
    make: 'git init -q .; git commit -q --allow-empty -m x; git worktree add -q wt',
    command: 'cd .git/worktrees/wt && mv HEAD H; echo ../../evil > commondir; mv H HEAD',
    look: 'cat .git/worktrees/wt/commondir',
  },
  {
    name: 'the same in a new folder',
    make: 'git init -q other; mkdir -p other/.git/modules/v/hooks; echo fine > other/.git/modules/v/hooks/x; touch other/.git/modules/v/HEAD',
    command:
      'cd other/.git/modules; mkdir n; mv v n/v; mv n ../../../out; echo evil > ../../../out/v/hooks/x; mv ../../../out/v v',
    look: 'cat other/.git/modules/v/hooks/x',
  },
  {
    name: 'a submodule with the name of a folder that git itself uses',
    make: 'git init -q other; mkdir -p other/.git/modules/logs/hooks; echo fine > other/.git/modules/logs/hooks/x; touch other/.git/modules/logs/HEAD',
    command: 'cd other/.git/modules/logs; mv HEAD H; echo evil > hooks/x; mv H HEAD',
    look: 'cat other/.git/modules/logs/hooks/x',
  },
  {
    name: 'below a folder that is a symlink',
    make: 'git init -q .; mkdir -p real/hooks; echo fine > real/hooks/x; ln -s real tools; git config core.hooksPath tools/hooks',
    command:
      'echo evil > tools/hooks/x; echo evil > real/hooks/x; rm tools; mkdir -p tools/hooks; echo evil > tools/hooks/x',
    look: 'cat tools/hooks/x',
  },
  {
    name: 'through a symlink in the place of its folder',
    make: 'git init -q .; rm -rf .git/info; mkdir .git/info',
    command: 'mkdir i; echo evil > i/attributes; rm -r .git/info; ln -s ../i .git/info',
    look: 'cat .git/info/attributes',
  },
  {
    name: 'through a symlink in the place of a missing folder',
    make: 'ln -s a/b/envrc .envrc',
    command: 'mkdir -p r/b; echo evil > r/b/envrc; ln -s r a',
    look: 'cat .envrc',
  },
  {
    name: 'the folder that core.hooksPath names',
    make: 'git init -q .; mkdir tools; echo fine > tools/pre-commit; git config core.hooksPath tools',
    command: 'echo evil > tools/pre-commit; mv tools t; mkdir tools; echo evil > tools/pre-commit',
    look: 'cat tools/pre-commit',
  },
  {
    name: 'the target of a symlink in a protected folder',
    make: 'mkdir .vscode tools; echo fine > tools/t; ln -s ../tools/t .vscode/tasks.json',
    command: 'echo evil > tools/t; mv tools x; mkdir tools; echo evil > tools/t',
    look: 'cat .vscode/tasks.json',
  },
  {
    name: 'the target of a hook, in a folder that is a symlink',
    make: 'git init -q .; mkdir -p a .git/hooks; echo fine > a/hook; ln -s a b; ln -s ../../b/hook .git/hooks/pre-commit',
    command: 'echo evil > a/hook; rm b; mkdir b; echo evil > b/hook',
    look: 'cat .git/hooks/pre-commit',
  },
  {
    name: 'the target folder of a symlink in a protected folder, with a symlink of its own',
    make: 'mkdir -p .claude/hooks x y; ln -s ../../x .claude/hooks/x; echo fine > y/z; ln -s ../y/z x/z',
    command: 'echo evil > y/z; echo evil > x/new',
    look: 'cat .claude/hooks/x/*',
  },
  {
    name: 'the missing target of a symlink in a protected folder',
    make: 'mkdir .vscode; ln -s ../tools/t .vscode/tasks.json',
    command: 'mkdir tools; echo evil > tools/t',
    look: 'cat .vscode/tasks.json',
  },
  {
    name: 'a .git that is a symlink, replaced',
    make: 'git init -q g; mv g/.git dot; ln -s dot .git; mkdir -p dot/hooks',
    command: 'echo evil > dot/hooks/x; mv .git l; mkdir -p .git/hooks; echo evil > .git/hooks/x',
    look: 'cat .git/hooks/x',
  },
  {
    name: 'a .git that is a symlink, and its target folder',
    make: 'git init -q g; mv g/.git dot; ln -s dot .git; mkdir -p dot/hooks',
    command: 'mv dot d; mkdir -p dot/hooks; echo evil > dot/hooks/x',
    look: 'cat .git/hooks/x',
  },
  {
    name: 'a .git that is a symlink through another one',
    make: 'git init -q g; mkdir s; mv g/.git s/dot; ln -s s t; ln -s t/dot .git; mkdir -p s/dot/hooks',
    command: 'rm t; mkdir -p t/dot/hooks; echo evil > t/dot/hooks/x; echo evil > s/dot/hooks/x',
    look: 'cat .git/hooks/x',
  },
  {
    name: 'a bare repository whose HEAD is missing for a while',
    make: 'git init -q --bare b; mkdir -p b/hooks; echo fine > b/hooks/x',
    command: 'cd b; mv HEAD H; echo evil > hooks/x; mv H HEAD',
    look: 'cat b/hooks/x',
  },
  {
    name: "a file through another thread's descriptors",
    make: `${victim}; echo > decoy; cat > link.py <<'END'
import ctypes, os, threading
libc = ctypes.CDLL(None)
hook, decoy = os.open('victim/.git/hooks/pre-commit', os.O_RDONLY), os.open('decoy', os.O_RDONLY)
apart, swapped = threading.Event(), threading.Event()
def link():
  assert libc.unshare(0x400) == 0
  apart.set()
  swapped.wait()
  libc.linkat(hook, b'', -100, b'new', 0x1000)
thread = threading.Thread(target=link)
thread.start()
apart.wait()
os.dup2(decoy, hook)
swapped.set()
thread.join()
END`,
    command: 'python3 link.py; echo evil > new',
    look: 'cat victim/.git/hooks/pre-commit',
  },
];

for (const as of testers) {
  for (const closed of ['src', '.']) {
    test(`auto-run files: a protected file that was written all the same is moved away, "${closed}" closed to its owner (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc')) return;
      const scratch = makeScratch(t, as);
      const race = compiled('rename-race.c');
      const [before, after] = closed === '.' ? ['true', 'chmod 555 .'] : ['chmod 555 src', 'true'];
      const command = `mkdir src; echo evil > src/tasks.json; ${before}; mkdir .vscode; ${race} && ls -d .vscode; ${after}`;
      const {stdout, stderr} = await runIon(scratch, ['run', command], {as, timeoutMs: 90_000});
      assert.equal(stdout, '.vscode\n', stderr);
      assert.match(stderr, /^ion: quarantined ".*\.vscode"/m);
      assert.ok(!existsSync(`${scratch.work}/.vscode`));
    });
  }

  for (const {name, make, command, look} of ways) {
    test(`auto-run files: ${name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'git', 'python3')) return;
      const seen: boolean[] = [];
      for (const flags of isWhole ? [['--no-sandbox'], []] : [[]]) {
        const scratch = makeScratch(t, as);
        const bash = (script: string): string =>
          execFileSync('bash', ['-c', script], {
            cwd: scratch.work,
            encoding: 'utf8',
            env: environmentOf(scratch, gitEnvironment),
            stdio: ['ignore', 'pipe', 'ignore'],
            ...spawnAs(as),
          });
        bash(make);
        const {stderr} = await runIon(scratch, ['run', ...flags, command], {as});
        seen.push(bash(`${look} || true`).includes('evil'));
        if (flags.length === 0)
          assert.match(stderr, /^ion: blocked: .*\(.*: protected, because programs outside the sandbox run/m);
      }
      assert.deepEqual(seen, isWhole ? [true, false] : [false]);
    });
  }

  test(`auto-run files: the last of 300 watched paths is protected like the first (${as.name})`, async (t) => {
    const names = Array.from({length: 300}, (_, number) => `f${number}`);
    const scratch = makeScratch(t, as, {
      '~/.ion/config.toml': `[sandbox]\nprotect = ${JSON.stringify(names)}\n`,
    });
    const command = 'echo x > f299; touch ready; for i in {1..1000}; do [ -e go ] && exit; sleep 0.02; done';
    const ended = collect(startIon(scratch, ['run', command], {as}));
    await until('the command', () => existsSync(`${scratch.work}/ready`));
    // If the run was refused a write of a file and the file exists afterwards, it counts as the run's. A file that the run did
    // not try to write does not count.
    for (const name of ['f298', 'f299', 'go']) writeFileSync(`${scratch.work}/${name}`, '');
    const {stderr} = await ended;
    assert.match(stderr, /^ion: quarantined ".*\/f299"/m);
    assert.match(stderr, /^ion: ".*\/f298" changed during the run/m);
    assert.deepEqual([existsSync(`${scratch.work}/f298`), existsSync(`${scratch.work}/f299`)], [true, false]);
  });

  test(`auto-run files: a program that a new repository makes git run is reported, whatever other files changed (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    const noise = 'git init -q n; for i in $(seq 300); do : >> n/.git/config; done; rm -rf n';
    const plant = 'git init -q x; printf "[core]\\n\\tfsmonitor = evil\\n" >> x/.git/config';
    const {stderr} = await runIon(scratch, ['run', `${noise}; ${plant}`], {as});
    assert.match(stderr, /^ion: check ".*\/x\/\.git\/config": "core\.fsmonitor" in a repository/m);
  });

  test(`auto-run files: a core.hooksPath that is the workspace itself does not make it read-only (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    for (const value of ['.', '..', '/', '', '.git', 'x'.repeat(300)]) {
      const scratch = makeScratch(t, as, {'.git/': ''});
      git(scratch, as, ['init', '-q', '.']);
      git(scratch, as, ['config', 'core.hooksPath', value]);
      const {code, stderr} = await runIon(scratch, ['run', 'echo x > file'], {as});
      assert.equal(code, 0, stderr);
    }
  });

  test(`auto-run files: git works with a .git that is a symlink (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    execFileSync('bash', ['-c', 'git init -q g; mv g/.git dot; ln -s dot .git'], {
      cwd: scratch.work,
      env: environmentOf(scratch, gitEnvironment),
      ...spawnAs(as),
    });
    const work =
      'echo x > f; git add f; git commit -qm x; git config user.name me; git remote add o https://example.com/x; git checkout -qb b; git gc -q; git worktree add -q ../work/w';
    const {code, stderr} = await runIon(scratch, ['run', work], {as, env: gitEnvironment});
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(git(scratch, as, ['config', '-l']), /^user\.name=me$/m);
  });

  test(`auto-run files: submodules may have the names of files that git obeys (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    const add = (name: string) => `git -c protocol.file.allow=always submodule add -q ./lib ${name}`;
    const make = `git init -q .; git init -q lib; git -C lib commit -q --allow-empty -m x; ${add('old/hooks')}; ${add('packages/one')}`;
    const script = `cd below; ${add('packages/config')} && cd old/hooks && git commit -q --allow-empty -m y && git gc -q && git branch z`;
    execFileSync('bash', ['-c', `mkdir below; cd below; ${make}`], {
      cwd: scratch.work,
      env: environmentOf(scratch, gitEnvironment),
      ...spawnAs(as),
    });
    const {code, stderr} = await runIon(scratch, ['run', script], {as, env: gitEnvironment});
    assert.deepEqual([code, stderr], [0, '']);
  });
}
