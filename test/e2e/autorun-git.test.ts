import assert from 'node:assert/strict';
import {chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {testCases, type Case} from '../harness/cases.ts';
import {giveTo} from '../harness/scratch.ts';
import {addSubmodule, git, gitEnvironment, makeRepository} from '../harness/git.ts';

/** Everyday git in an existing repository. Each line must exit with 0, and ion must report nothing. */
const everyday: readonly (Pick<Case, 'name' | 'before' | 'after'> & {readonly command: string})[] = [
  {name: 'commit', command: 'echo a > a && git add a && git commit -qm a'},
  {name: 'init again', command: 'git init -q && test "$(git config core.fileMode)" = true'},
  {
    name: 'remote add, rename, set-url, remove',
    command:
      'git remote add a https://example.org/a && git remote rename a b 2>/dev/null && git remote set-url b https://example.org/b && git remote add c ./c && git remote remove c && test "$(git remote)" = b',
    after: (scratch, _ended, as) =>
      assert.equal(git(scratch, as, ['config', '--get', 'remote.b.url']), 'https://example.org/b\n'),
  },
  {
    name: 'clone of a local repository',
    command:
      'git clone -q lib copy && cd copy && git checkout -q -b t --track origin/main && git push -q origin t',
  },
  {
    name: 'init of a new repository and a commit in it',
    command: 'git init -q fresh && cd fresh && git config user.name b && git commit -q --allow-empty -m x',
  },
  {
    name: 'worktree add, commit in it, remove',
    command:
      'git worktree add -q wt -b wt && cd wt && echo w > w && git add w && git commit -qm w && cd .. && git worktree remove --force wt',
  },
  {
    name: 'submodule add, absorbgitdirs, update, deinit',
    command:
      'git submodule --quiet add ./lib sub && git clone -q lib own && git submodule --quiet add ./own own > /dev/null 2>&1 && git submodule --quiet absorbgitdirs 2>/dev/null && test -f own/.git && git commit -qm subs && git submodule --quiet update --init && git submodule --quiet deinit own && git -C sub log -1 --format=%s > /dev/null',
  },
  {
    name: 'a submodule that was there before: update, pull, a branch that tracks another',
    before: addSubmodule,
    command:
      'git submodule --quiet update --init --recursive && git -C sub fetch -q && git -C sub checkout -q -b t --track origin/main && git -C sub config user.name s && git submodule --quiet update --remote && git submodule --quiet sync',
    after: (scratch, _ended, as) =>
      assert.equal(git(scratch, as, ['-C', 'sub', 'config', '--get', 'branch.t.merge']), 'refs/heads/main\n'),
  },
  {name: 'stash', command: 'echo z > z && git add z && git stash -q && git stash pop -q'},
  {
    name: 'rebase',
    command:
      'git checkout -q -b f && git commit -q --allow-empty -m f && git checkout -q main && git commit -q --allow-empty -m g && git checkout -q f && git rebase -q main',
  },
  {name: 'gc', command: 'git gc -q && git fsck --no-progress'},
  {
    name: 'checkout -b --track, branch -m, branch -d',
    command:
      'git remote add s ./lib && git fetch -q s && git checkout -q -b tr --track s/main 2>/dev/null && git branch -m tr ts && git checkout -q main && git branch -q -D ts',
    after: (scratch, _ended, as) =>
      assert.doesNotMatch(git(scratch, as, ['config', '--list']), /branch\.t[rs]\./),
  },
  {
    name: 'config user.name, seen at once and afterwards',
    command: 'git config user.name x && test "$(git config user.name)" = x',
    after: (scratch, _ended, as) => assert.equal(git(scratch, as, ['config', 'user.name']), 'x\n'),
  },
  {
    name: 'a commit hook that exists runs',
    command: 'git commit -q --allow-empty -m h && test -e hooked',
  },
  {
    name: 'a scaffolder writes .vscode, .idea and .husky into a new folder',
    command:
      'for n in .vscode .idea .husky .claude .zed .windsurf .opencode .kiro .qwen .devcontainer; do mkdir -p app/$n && echo {} > app/$n/settings.json || exit 1; done',
  },
  {
    name: 'a branch with .vscode in a folder is checked out',
    command:
      'mkdir -p app/.vscode && echo {} > app/.vscode/s && git checkout -q -b v && git add app && git commit -qm v && git checkout -q main && git checkout -q v && test -e app/.vscode/s',
  },
];

testCases(
  'everyday git',
  everyday.map(({name, command, before, after}): Case => ({
    name,
    args: ['run', command],
    env: gitEnvironment,
    needs: ['git'],
    before: (scratch, as) => {
      makeRepository(scratch, as);
      makeRepository(scratch, as, `${scratch.work}/lib`);
      mkdirSync(`${scratch.work}/.git/hooks`, {recursive: true});
      const hook = `${scratch.work}/.git/hooks/pre-commit`;
      writeFileSync(hook, '#!/bin/sh\ntouch hooked\n');
      chmodSync(hook, 0o755);
      giveTo(`${scratch.work}/.git/hooks`, as);
      void before?.(scratch, as);
    },
    after: (scratch, ended, as) => {
      assert.ok(!existsSync(`${scratch.work}/.git/config.lock`));
      void after?.(scratch, ended, as);
    },
  })),
);

/** Where ion cannot keep a private copy, a lock or a quarantine. */
const homeless: readonly Pick<Case, 'name' | 'only' | 'env' | 'before'>[] = [
  {
    name: 'a home that is not writable',
    only: 'user',
    env: gitEnvironment,
    before: ({home}) => chmodSync(home, 0o555),
  },
];

testCases(
  "git config without a place for ion's copy:",
  homeless.map(({before, ...given}): Case => ({
    ...given,
    needs: ['git'],
    before: (scratch, as) => {
      makeRepository(scratch, as);
      void before?.(scratch, as);
    },
    args: ['run', 'git remote add o https://example.org/x && git config core.fsmonitor evil'],
    stderr:
      /ion: reverted [^\n]*"core\.fsmonitor"[^\n]*\nhelp: [^\n]*unprotect = \["\.git\/config"\][^\n]* is lost: [^\n]*\n$/,
    after: (scratch, _ended, as) => {
      const config = git(scratch, as, ['config', '--list']);
      assert.match(config, /^remote\.o\.url=/m);
      assert.doesNotMatch(config, /fsmonitor/);
    },
  })),
);

/** A config that this user cannot read. git inside cannot read it either, and ion could not check its changes. */
const unreadable: readonly Pick<Case, 'name' | 'before'>[] = [
  {name: 'closed by its mode', before: ({work}) => chmodSync(`${work}/.git/config`, 0)},
  {
    name: "root's, in a repository of the user's own",
    before: ({work}) => {
      chmodSync(`${work}/.git/config`, 0o600);
      if (process.getuid!() === 0) chownSync(`${work}/.git/config`, 0, 0);
      else chmodSync(`${work}/.git/config`, 0);
    },
  },
  {name: 'in a closed git folder', before: ({work}) => chmodSync(`${work}/.git`, 0)},
];
const attempts =
  'rm -f .git/config; mv .git/config x; echo evil > y; mv y .git/config; chmod 600 .git/config; echo evil >> .git/config; mv .git z';
const noMounts = ['--dev-bind', '/', '/', '--unshare-user', '--cap-drop', 'ALL', '--disable-userns', '--'];

testCases(
  'an unreadable git config',
  unreadable.flatMap(({name, before}) => [
    {
      name: `${name}: does not change`,
      only: 'user',
      needs: ['git'],
      before: (scratch, as) => {
        makeRepository(scratch, as);
        void before!(scratch, as);
      },
      args: ['run', `(${attempts}) 2> /dev/null; echo ok > made; cat made`],
      stdout: 'ok\n',
      stderr: /^(?:ion: blocked: [^\n]*\nhelp: [^\n]*\n)*$/,
      after: ({work}) => {
        chmodSync(`${work}/.git`, 0o755);
        chmodSync(`${work}/.git/config`, 0o644);
        assert.doesNotMatch(readFileSync(`${work}/.git/config`, 'utf8'), /evil/);
      },
    } satisfies Case,
    {
      name: `${name}: a command runs where there are no mounts`,
      only: 'user',
      needs: ['git', 'bwrap'],
      through: ['bwrap', ...noMounts],
      before: (scratch, as) => {
        makeRepository(scratch, as);
        void before!(scratch, as);
      },
      args: ['run', 'echo ok > made; cat made'],
      stdout: 'ok\n',
      after: ({work}) => chmodSync(`${work}/.git`, 0o755),
    } satisfies Case,
  ]),
);
