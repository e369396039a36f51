import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {test} from 'node:test';
import {autorunNames} from '../../src/sandbox/plan/protected.ts';
import {testCases, type Case} from '../harness/cases.ts';
import {isWhole} from '../harness/extent.ts';
import {addSubmodule, git, gitEnvironment, makeRepository} from '../harness/git.ts';
import {testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {sleep, until} from '../harness/processes.ts';
import {collect, runIon, startIon, startProgram} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

const config = ({work}: Scratch): string => readFileSync(`${work}/.git/config`, 'utf8');
const kept = ({home}: Scratch): string[] => {
  const folder = `${home}/.ion/quarantine`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((run) =>
    readdirSync(`${folder}/${run}`).map((name) => `${folder}/${run}/${name}`),
  );
};

interface Attack {
  readonly name: string;
  readonly command: string;
  readonly says: RegExp;
  readonly keeps?: number;
  readonly options?: readonly string[];
  readonly before?: Case['before'];
  readonly holds?: (scratch: Scratch) => void;
}

/**
 * Ways to make a program outside run an attacker's code. Whatever the command's exit code, git outside must not obey it.
 */
const attacks: readonly Attack[] = [
  {
    name: 'core.hooksPath together with a remote',
    command: 'git config core.hooksPath evil; git remote add ok https://example.org/x; true',
    says: /^ion: reverted "core\.hookspath" in "[^"]*\.git\/config": [^]*unprotect = \["\.git\/config"\]/,
    keeps: 1,
    holds: (scratch) => {
      assert.doesNotMatch(config(scratch), /hooksPath/i);
      assert.match(config(scratch), /example\.org/);
    },
  },
  {
    name: 'an include',
    command: 'git config include.path ../evil',
    says: /reverted .*"include\.path"/,
    keeps: 1,
  },
  {
    name: 'a remote that runs a program',
    command: 'git remote add x "ext::sh -c id"',
    says: /reverted .*"remote\.x\.url"/,
    keeps: 1,
  },
  {
    name: 'written by hand, in place',
    command: "printf '[alias]\\n\\tst = !id\\n' >> .git/config",
    says: /reverted .*"alias\.st"/,
    keeps: 1,
  },
  {
    name: 'a config that git, or no user, can read',
    command: 'echo "[" > .git/config; chmod 000 .git/config',
    says: /reverted .*not a config that git can read/,
    keeps: 1,
  },
  {
    name: 'the config replaced by a symlink',
    command:
      'ln -sf ../evil .git/config || ln -s ../evil .git/l && mv -f .git/l .git/config; rm -f .git/l; true',
    says: /^/,
  },
  {name: 'the git folder renamed', command: 'mv .git .git2; ls -d .git', says: /blocked: .*\.git/},
  {
    name: 'hooks that do not exist',
    command: 'mkdir .git/hooks; mkdir h && touch h/pre-commit && mv h .git/hooks; rm -rf h; true',
    says: /blocked: /,
    holds: ({work}) => assert.ok(!existsSync(`${work}/.git/hooks`)),
  },
  {
    name: 'info/attributes inside a folder that is moved in',
    command: 'mkdir i && touch i/attributes && mv i .git/info; rm -rf i; true',
    says: /blocked: /,
    holds: ({work}) => assert.ok(!existsSync(`${work}/.git/info/attributes`)),
  },
  {
    name: 'hooks of a nested repository, also under another name',
    command:
      'echo x > below/.git/hooks/pre-push; mkdir -p below/.git/hooks; mv below/.git b && mkdir b/hooks && mv b below/.git; true',
    says: /blocked: [^]*below\/\.git/,
    before: (scratch, as) => makeRepository(scratch, as, `${scratch.work}/below`),
    holds: ({work}) => assert.ok(!existsSync(`${work}/below/.git/hooks/pre-push`)),
  },
  {
    name: 'the config of a nested repository: plain settings pass, programs do not, and it can be removed as a whole',
    command:
      'cp -r below gone && cd below && git remote add o https://example.org/x && git config user.name x && git config core.fsmonitor evil; echo "[x]" >> .git/config; rm -rf ../gone; test ! -e ../gone',
    says: /blocked: [^]*below\/\.git\/config[^]*unprotect = \["\.git\/config"\]/,
    before: (scratch, as) => makeRepository(scratch, as, `${scratch.work}/below`),
    holds: ({work}) => {
      const text = readFileSync(`${work}/below/.git/config`, 'utf8');
      assert.match(text, /example\.org/);
      assert.doesNotMatch(text, /fsmonitor|\[x\]/);
    },
  },
  {
    name: 'hooks and config of a submodule',
    command:
      'echo x > .git/modules/sub/hooks/pre-push; git -C sub remote add o https://example.org/x; git -C sub config core.fsmonitor evil; git -C sub config core.worktree ../../../lib; true',
    says: /ion: reverted [^\n]*"core\.worktree", "core\.fsmonitor"[^]*unprotect = \["\.git\/modules\/sub\/config"\][^]*blocked: [^]*modules\/sub\/hooks/,
    keeps: 1,
    before: (scratch, as) => {
      makeRepository(scratch, as, `${scratch.work}/lib`);
      addSubmodule(scratch, as);
    },
    holds: ({work}) => {
      assert.ok(!existsSync(`${work}/.git/modules/sub/hooks/pre-push`));
      const text = readFileSync(`${work}/.git/modules/sub/config`, 'utf8');
      assert.match(text, /example\.org/);
      assert.match(text, /worktree = ..\/..\/..\/sub/);
      assert.doesNotMatch(text, /fsmonitor/);
    },
  },
  {
    name: "a config in the run's own repository is reported, also in a bare one",
    command:
      'git init -q own && git -C own config core.fsmonitor evil; git init -q --bare b && git -C b config alias.x "!id"; git init -q plain',
    says: /^ion: check "[^"]*own\/\.git\/config": "core\.fsmonitor" in a repository that this run made\n[^]*ion: check "[^"]*b\/config": "alias\.x"[^\n]*\n[^\n]*\n$/,
  },
  {
    name: 'a dangling symlink, whose target open(2) creates',
    command:
      'mkdir d; ln -s ../.envrc d/l; ln -s d/l m; ln -s "$PWD/.mcp.json" n; echo x > m; echo x > n; true',
    says: /blocked: .*\/\.envrc" [^]*blocked: .*\/\.mcp\.json" /,
    holds: ({work}) => assert.ok(!existsSync(`${work}/.envrc`) && !existsSync(`${work}/.mcp.json`)),
  },
  ...[
    {
      name: 'the parent of a removed folder',
      script: 'mkdir d; cd d; rmdir ../d; echo x > ../.mcp.json',
      says: /Stale file handle/,
    },
    {
      name: 'the same, when another entry has its name',
      script: 'mkdir -p e/f d; ln -s "$PWD/e/f" "$PWD/d (deleted)"; cd d; rmdir ../d; echo x > ../.mcp.json',
      says: /Stale file handle/,
    },
    {name: 'through the folder of a thread', script: 'echo x > /proc/thread-self/../../cwd/.mcp.json'},
    {name: 'a descriptor, by slashes', script: 'exec 900<.; echo x > /proc//self/fd/900/.mcp.json'},
    {name: 'a descriptor, by dots', script: 'exec 900<.; echo x > /proc/../proc/self/fd/900/.mcp.json'},
    {name: 'a descriptor, by /dev', script: 'exec 900<.; echo x > //dev/fd/900/.mcp.json'},
    {name: 'a link to a descriptor', script: 'exec 900<.; ln -s /proc/self/fd/900 l; echo x > l/.mcp.json'},
    {name: 'a link to a current folder', script: 'ln -s /proc/self/cwd/. l; echo x > l/.mcp.json'},
    {name: 'a trailing slash', script: 'mkdir .vscode/', says: /could not change ".*\/\.vscode" /},
    {
      name: 'a folder that is renamed to it, with a trailing slash',
      script: 'mkdir d; mv -T d .vscode/',
      says: /\/\.vscode" /,
    },
  ].map(({name, script, says = /could not change ".*\/\.mcp\.json" /}) => ({
    name: `a protected name through ${name}`,
    command: `${script}; true`,
    says,
    holds: ({work}: Scratch) => assert.ok(!existsSync(`${work}/.mcp.json`) && !existsSync(`${work}/.vscode`)),
  })),
  ...[
    {
      name: 'from a folder that was moved out of its mount',
      script: `python3 -c 'import os
w = os.getcwd()
os.rename("sub", ".git/sub"); os.chdir(".git/sub/.git")
try: os.rename(w + "/.git/sub", w + "/sub")
except OSError: os.chdir(w); os.rename(w + "/.git/sub", w + "/.git/other"); os._exit(0)
open("hooks/pre-commit", "w")'; mv .git/other sub`,
    },
    {
      name: 'moved into the hooks of another repository',
      script:
        'mkdir -p n/.git/hooks; mv sub n/.git/hooks/sub; echo x > n/.git/hooks/sub/.git/hooks/pre-commit; mv n/.git/hooks/sub sub; rm -r n',
      says: /blocked: [^]*pre-commit/,
    },
    {
      name: 'moved to the submodules of another repository',
      script: 'mkdir -p n/.git/modules; mv sub/.git n/.git/modules/s; ls sub/.git',
      says: /blocked: [^]*sub\/\.git/,
    },
    {
      name: 'exchanged for another repository',
      script: `mkdir nd; python3 -c 'import ctypes; exit(ctypes.CDLL(None).renameat2(-100, b"nd", -100, b"sub/.git", 2) == 0)'`,
      says: /blocked: [^]*sub\/\.git/,
    },
    {
      name: 'with attributes in the folder that is moved',
      script:
        'rm -rf sub/.git/info; mkdir i; echo "* filter=x" > i/attributes; mv -T i sub/.git/info; rm -r i',
      says: /blocked: [^]*info/,
    },
  ].map(({name, script, says = /^/}) => ({
    name: `a nested repository, ${name}`,
    command: `{ ${script}; } >out; true`,
    says,
    before: (scratch: Scratch, as: Identity) => {
      mkdirSync(`${scratch.work}/sub`);
      giveTo(`${scratch.work}/sub`, as);
      makeRepository(scratch, as, `${scratch.work}/sub`);
      mkdirSync(`${scratch.work}/sub/.git/hooks`, {recursive: true});
      giveTo(`${scratch.work}/sub/.git/hooks`, as);
    },
    holds: ({work}: Scratch) => {
      assert.ok(existsSync(`${work}/sub/.git/HEAD`));
      assert.ok(!existsSync(`${work}/sub/.git/hooks/pre-commit`));
      assert.ok(!existsSync(`${work}/sub/.git/info/attributes`));
    },
  })),
  {
    name: "a hook in the run's own repository is reported",
    command:
      'git init -q own && mkdir own/.git/hooks && touch own/.git/hooks/pre-push && chmod +x own/.git/hooks/pre-push',
    says: /^ion: check "[^"]*own\/\.git\/hooks\/pre-push": a hook in a repository that this run made\n/,
  },
  {
    name: 'a protected name that is a symlink: its target, and a folder in its place',
    command: 'echo x > real/tasks.json; echo x > .vscode/tasks.json; rm .vscode; mkdir .vscode; true',
    says: /blocked: [^]*blocked: /,
    before: ({work}, as) => {
      mkdirSync(`${work}/real`);
      symlinkSync('real', `${work}/.vscode`);
      giveTo(`${work}/real`, as);
    },
    holds: ({work}) => {
      assert.ok(!existsSync(`${work}/.vscode/tasks.json`));
      assert.deepEqual(readdirSync(`${work}/real`), []);
    },
  },
];

testCases(
  'auto-run files',
  attacks.map(({name, command, says, keeps = 0, before, holds}): Case => ({
    name,
    args: ['run', command],
    env: gitEnvironment,
    needs: ['git'],
    stdout: /^(?:\.git\n)?$/,
    stderr: says,
    before: async (scratch, as) => {
      makeRepository(scratch, as);
      const {rmSync} = await import('node:fs');
      for (const part of ['hooks', 'info']) rmSync(`${scratch.work}/.git/${part}`, {recursive: true});
      await before?.(scratch, as);
    },
    after: (scratch, _ended, as) => {
      const text = config(scratch);
      assert.doesNotMatch(text, /evil|ext::|!id/);
      assert.equal(kept(scratch).length, keeps);
      assert.ok(!existsSync(`${scratch.work}/.git/config.lock`));
      git(scratch, as, ['status']);
      assert.deepEqual(readdirSync(`${scratch.home}/.ion/run`), [], 'copies are removed');
      holds?.(scratch);
    },
  })),
);

testCases('auto-run files', [
  {
    name: 'unprotect makes the config writable',
    files: {'~/.ion/config.toml': '[sandbox]\nunprotect = [".git/config"]\n'},
    args: ['run', 'git config core.hooksPath mine'],
    needs: ['git'],
    before: (scratch, as) => makeRepository(scratch, as),
    after: (scratch) => assert.match(config(scratch), /hooksPath = mine/),
  },
  ...['.ion/config.toml', '~/.ion/config.toml'].map((file) => ({
    name: `protect covers existing and missing files, from ${file}`,
    files: {
      [file]: '[sandbox]\nprotect = ["Makefile", "ci/new"]\n',
      Makefile: 'a',
      'ci/x': '',
    },
    args: ['run', 'echo b > Makefile; mv Makefile m; touch ci/new; echo ok > other && cat Makefile'],
    stdout: 'a',
    stderr: /blocked: [^\n]*\/Makefile"[^]*blocked: [^\n]*\/ci\/new"/,
    after: ({work}: Scratch) => assert.ok(!existsSync(`${work}/ci/new`)),
  })),
]);

for (const as of testers) {
  test(`20 runs and an editor at once: no write is lost (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git')) return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    const file = `${scratch.work}/.git/config`;
    let stop = false;
    let edits = 0;
    // git itself gives up when the file is locked, and reports it. That does not count as a loss.
    const edit = (value: string): boolean => {
      try {
        git(scratch, as, ['config', '--add', 'mine.key', value]);
        return true;
      } catch (error) {
        assert.match(String(error), /could not lock/);
        return false;
      }
    };
    const editor = (async () => {
      while (!stop) {
        if (edit(String(edits))) edits++;
        await sleep(30);
      }
    })();
    const runs = Array.from({length: 20}, async (_, number) =>
      runIon(
        scratch,
        [
          'run',
          `until git config remote.r${number}.url u${number} 2>/dev/null; do sleep 0.05; done; sleep 0.3; git config core.editor evil${number}; true`,
        ],
        {
          as,
          env: gitEnvironment,
          timeoutMs: 60_000,
        },
      ),
    );
    const ended = await Promise.all(runs);
    stop = true;
    await editor;
    for (const [number, {code, stderr}] of ended.entries()) {
      assert.equal(code, 0, stderr);
      // ion refuses the write if another process has replaced the file, and otherwise reverts it afterwards. git may also
      // find the file locked.
      assert.match(stderr, /reverted .*"core\.editor"|blocked: .*\.git\/config|could not lock/);
      assert.equal(git(scratch, as, ['config', `remote.r${number}.url`]), `u${number}\n`);
    }
    assert.doesNotMatch(readFileSync(file, 'utf8'), /evil/);
    const written = git(scratch, as, ['config', '--get-all', 'mine.key']).trim().split('\n');
    assert.deepEqual(
      written,
      Array.from({length: edits}, (_, number) => String(number)),
    );
    assert.ok(!existsSync(`${file}.lock`));
    assert.equal(git(scratch, as, ['status', '--porcelain']), '');
  });

  test(`a config that is constantly replaced does not prevent a run from starting (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git', 'python3')) return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    const replace = `import os
text = open('config').read()
while True:
    open('c', 'w').write(text); os.rename('c', 'config')`;
    const editor = {as, cwd: `${scratch.work}/.git`, stdio: 'ignore'} as const;
    scratch.companions.push(startProgram(scratch, ['python3', '-c', replace], editor));
    for (let run = 0; run < 15; run++) {
      const {code, stderr} = await runIon(scratch, ['run', 'true'], {as, env: gitEnvironment});
      assert.equal(code, 0, stderr);
    }
  });

  test(`an editor that replaces a protected file during the run keeps what it wrote (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'.mcp.json': '{}', '.vscode/tasks.json': '{}'});
    const child = startIon(scratch, ['run', 'touch ready; sleep 1'], {as});
    const ended = collect(child);
    await until('the command', () => existsSync(`${scratch.work}/ready`));
    writeFileSync(`${scratch.work}/new`, 'edited');
    renameSync(`${scratch.work}/new`, `${scratch.work}/.mcp.json`);
    writeFileSync(`${scratch.work}/.vscode/tasks.json`, 'edited');
    writeFileSync(`${scratch.work}/.envrc`, 'edited');
    const {code} = await ended;
    assert.equal(code, 0);
    for (const name of ['.mcp.json', '.vscode/tasks.json', '.envrc']) {
      assert.equal(readFileSync(`${scratch.work}/${name}`, 'utf8'), 'edited');
    }
    assert.deepEqual(kept(scratch), []);
  });

  for (const victim of ['ion', 'launcher'] as const) {
    test(`nothing is left when ${victim} is killed (${as.name})`, async (t) => {
      if (!requireProgram(t, 'git')) return;
      const scratch = makeScratch(t, as);
      makeRepository(scratch, as);
      const before = config(scratch);
      const child = startIon(scratch, ['run', 'git config user.name x; touch ready; sleep 30'], {
        as,
        env: gitEnvironment,
      });
      const ended = collect(child);
      await until('the command', () => existsSync(`${scratch.work}/ready`));
      if (victim === 'ion') child.kill('SIGKILL');
      else process.kill(await launcherOf(child.pid!), 'SIGKILL');
      await ended;
      assert.equal(git(scratch, as, ['status', '--porcelain']), '?? ready\n');
      assert.ok(!existsSync(`${scratch.work}/.git/config.lock`));
      if (victim === 'ion') assert.equal(config(scratch), before);
    });
  }

  test(`without mounts, changes that the run made are reverted (${as.name})`, async (t) => {
    if (!requireProgram(t, 'git') || process.arch !== 'x64') return;
    const scratch = makeScratch(t, as);
    makeRepository(scratch, as);
    const noUnshare = [compiled('deny-syscalls.c'), '272:1', '--'];
    const ended = await runIon(
      scratch,
      ['run', 'git remote add ok https://example.org/x && git config core.hooksPath evil'],
      {as, env: gitEnvironment, through: noUnshare},
    );
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /reverted .*"core\.hookspath"/);
    assert.doesNotMatch(config(scratch), /hooksPath/i);
    assert.match(config(scratch), /example\.org/);
    assert.equal(kept(scratch).length, 1);
  });
}

async function launcherOf(pid: number): Promise<number> {
  const {childrenOf} = await import('../harness/processes.ts');
  return until('the launcher', () => childrenOf(pid)[0]?.pid);
}

/** One run tests the existing names, another the missing ones. In the whole suite each name also has a run of its own. */
const namesAtOnce = autorunNames.map(({name}) => name);
const groups = [namesAtOnce, ...(isWhole ? namesAtOnce.map((name) => [name]) : [])];

testCases(
  'every name of the list, as a folder:',
  groups.flatMap((names): Case[] => {
    const what = names.length > 1 ? 'all at once' : names[0]!;
    return [
      {
        name: `${what}, there`,
        only: 'user',
        files: Object.fromEntries(names.map((name) => [`${name}/x`, 'before\n'])),
        args: [
          'run',
          `for n in ${names.join(' ')}; do (echo evil > $n/x; rm $n/x; mv $n y; rm -r $n) 2> /dev/null; cat $n/x; done`,
        ],
        stdout: 'before\n'.repeat(names.length),
        stderr: /^(?:ion: blocked: [^\n]*\n(?:help: [^\n]*\n)*)*(?:ion: [^\n]*\n)*$/,
      },
      {
        name: `${what}, not there`,
        only: 'user',
        args: [
          'run',
          `mkdir d; for n in ${names.join(' ')}; do mkdir $n 2> /dev/null; mv -T d $n 2> /dev/null; done; ls -a`,
        ],
        stdout: '.\n..\nd\n',
        stderr: /^(?:ion: blocked: [^\n]*\n(?:help: [^\n]*\n)*)+(?:ion: [^\n]*\n)*$/,
      },
    ];
  }),
);
