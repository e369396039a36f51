import assert from 'node:assert/strict';
import {chmodSync, existsSync, readFileSync, renameSync, symlinkSync, writeFileSync} from 'node:fs';
import {testCases} from '../harness/cases.ts';
import {addSubmodule, git, gitEnvironment, makeRepository} from '../harness/git.ts';
import type {Identity} from '../harness/identity.ts';
import {writeFiles, giveTo, type Scratch} from '../harness/scratch.ts';

/** `main` and `other` differ in files above `lib`, in it, and beside it; `other` has one more, and lacks one. */
function twoBranches(scratch: Scratch, as: Identity): void {
  makeRepository(scratch, as);
  const write = (text: string): void => {
    writeFiles(scratch, {top: text, 'lib/one': text, 'lib/two': text, 'src/one': text});
    giveTo(scratch.work, as);
  };
  const commit = (message: string): void => {
    git(scratch, as, ['add', '-A']);
    git(scratch, as, ['commit', '-qm', message]);
  };
  write('main\n');
  writeFiles(scratch, {gone: 'main\n'});
  giveTo(scratch.work, as);
  commit('on main');
  git(scratch, as, ['checkout', '-qb', 'other']);
  write('other\n');
  writeFiles(scratch, {'src/new': 'other\n'});
  giveTo(scratch.work, as);
  git(scratch, as, ['rm', '-q', 'gone']);
  commit('on other');
  git(scratch, as, ['checkout', '-q', 'main']);
}

const below = {cwd: '{work}/lib', env: {...gitEnvironment}} as const;
const set = ['--set', 'sandbox.workspace=repository'] as const;
const help =
  'help: for this run: --set sandbox\\.workspace=repository; for all: sandbox\\.workspace = "repository" in ~/\\.ion/config\\.toml\n';
/** One message of ion, after git's own. */
const once = (what: string): RegExp =>
  new RegExp(`^(?!ion: )[^]*\\nion: blocked: git \\(pid \\d+\\) could not change ${what}[^\\n]*\\n${help}$`);
const status = (scratch: Scratch, as: Identity): string => git(scratch, as, ['status', '--porcelain']);

testCases('workspace = "folder", below the top of a repository', [
  {
    name: 'a checkout that leaves half of the tree and ends with 0 is reported once',
    before: twoBranches,
    ...below,
    args: ['run', 'git checkout -q other'],
    stderr: once('\\d paths of the repository outside the current folder, such as "[^"]+/work/[^"]+"'),
    after: (scratch, _, as) => assert.match(status(scratch, as), /M top/),
  },
  {
    name: 'a stash that keeps its entry and does not reset',
    before(scratch, as) {
      twoBranches(scratch, as);
      writeFileSync(`${scratch.work}/top`, 'changed\n');
    },
    ...below,
    args: ['run', 'git stash -q'],
    code: 1,
    stderr: once('"[^"]+/work/top"'),
  },
  ...['git merge -q other', 'git pull -q . other', 'git reset -q --hard other'].map((command) => ({
    name: command,
    before: twoBranches,
    ...below,
    args: ['run', `${command}; true`],
    stderr: once('"?[^\\n]*'),
  })),
  {
    name: 'a write outside the repository has another setting',
    before: twoBranches,
    ...below,
    args: ['run', 'echo x > ../../beside; true'],
    stderr: /^(?:(?!sandbox\.workspace)[^])*blocked: bash(?:(?!sandbox\.workspace)[^])*$/,
  },
  {
    name: 'where the repository is writable for other users, its top is not proposed',
    before(scratch, as) {
      twoBranches(scratch, as);
      chmodSync(scratch.work, 0o777);
    },
    ...below,
    args: ['run', 'echo x > ../top; true'],
    stderr: /^(?:(?!workspace)[^])*$/,
  },
]);

const whole = (command: string, want: Readonly<Record<string, string | undefined>>) => ({
  name: command,
  before: twoBranches,
  ...below,
  args: ['run', ...set, command],
  stdout: /^/,
  after(scratch: Scratch, ended: {readonly stderr: string}, as: Identity): void {
    assert.doesNotMatch(ended.stderr, /^ion:/m);
    for (const [name, text] of Object.entries(want)) {
      const file = `${scratch.work}/${name}`;
      assert.equal(existsSync(file) ? readFileSync(file, 'utf8') : undefined, text, name);
    }
    assert.equal(status(scratch, as), '');
  },
  stderr: /^/,
});
const other = {
  top: 'other\n',
  'src/one': 'other\n',
  'src/new': 'other\n',
  'lib/one': 'other\n',
  gone: undefined,
};

testCases('workspace = "repository"', [
  whole('git checkout other', other),
  whole('git merge other', other),
  whole('git pull . other', other),
  whole('git rebase other', other),
  whole('git cherry-pick other', other),
  whole('git reset --hard other', other),
  whole('echo x > ../top; echo x > one; git stash && git checkout other && git stash drop', other),
  whole('echo x > ../src/one; git stash && git stash pop && git checkout .. && git switch other', other),
  whole('git mv ../src ../source && git commit -qm moved', {'source/one': 'main\n', 'src/one': undefined}),
  whole('git rm -qr .. && git commit -qm empty', {top: undefined, 'src/one': undefined}),
  {
    name: 'in a linked worktree it is that worktree',
    before(scratch, as) {
      twoBranches(scratch, as);
      git(scratch, as, ['worktree', 'add', '-q', '../linked', 'other']);
    },
    ...below,
    cwd: '{home}/linked/lib',
    args: ['run', ...set, 'echo x > ../top && git commit -qam x && echo x > {work}/top'],
    code: 1,
    stderr: /blocked: bash [^\n]*\/work\/top"/,
    after: ({home, work}) => {
      assert.equal(readFileSync(`${home}/linked/top`, 'utf8'), 'x\n');
      assert.equal(readFileSync(`${work}/top`, 'utf8'), 'main\n');
    },
  },
  {
    name: 'in a submodule it is the submodule',
    before(scratch, as) {
      makeRepository(scratch, as);
      makeRepository(scratch, as, `${scratch.work}/lib`);
      writeFiles(scratch, {'lib/in/file': 'x'});
      giveTo(scratch.work, as);
      git(scratch, as, ['add', '.'], `${scratch.work}/lib`);
      git(scratch, as, ['commit', '-qm', 'file'], `${scratch.work}/lib`);
      addSubmodule(scratch, as);
    },
    ...below,
    cwd: '{work}/sub/in',
    args: ['run', ...set, 'echo x > ../top && git add .. && git commit -qm x && echo x > ../../outer'],
    code: 1,
    stderr: /blocked: bash [^\n]*\/work\/outer"/,
    after: ({work}) => assert.equal(existsSync(`${work}/outer`), false),
  },
  {
    name: 'in a bare repository, and in none, it is the current folder',
    files: {'lib/': ''},
    before: (scratch, as) => void git(scratch, as, ['init', '-q', '--bare', '.']),
    cwd: '{work}/refs',
    args: ['run', ...set, 'echo x > inside && echo x > ../description'],
    code: 1,
    stderr: /blocked: bash [^\n]*description"/,
  },
  {
    name: 'what the run starts is not replaced, and what ion and others obey is not planted',
    files: {'a/.ion/config.toml': 'permissions.deny_commands = ["never"]\n', 'a/b/': ''},
    before: makeRepository,
    cwd: '{work}/a/b',
    env: {...gitEnvironment},
    args: [
      'run',
      ...set,
      [
        ['mv ../../a ../../z', 'mv ../b ../c', '(cd ../..; ln -s /etc l; mv -T l a/b)', 'rmdir ../b'],
        ['rm ../.ion/config.toml', 'echo > ../.ion/config.toml', 'mkdir .ion ../../.ion', 'mv ../.ion ../x'],
        ['mkdir ../.vscode', 'echo > ../.envrc', 'echo > ../../.envrc', 'echo > ../../.git/hooks/x'],
      ]
        .flat()
        .map((step) => `${step} 2>/dev/null && echo "done: ${step}"`)
        .join('\n'),
    ],
    code: 1,
    stderr: /ion: blocked/,
    after: ({work}) =>
      assert.equal(
        readFileSync(`${work}/a/.ion/config.toml`, 'utf8'),
        'permissions.deny_commands = ["never"]\n',
      ),
  },
  {
    name: 'an untrusted project cannot set it',
    files: {'lib/.ion/config.toml': 'sandbox.workspace = "repository"\n'},
    before: makeRepository,
    cwd: '{work}/lib',
    args: ['run', 'echo x > ../top'],
    code: 1,
    stderr: /^ion: ignored: sandbox\.workspace = "repository" \(this workspace is not trusted\)\n/,
    after: ({work}) => assert.equal(existsSync(`${work}/top`), false),
  },
  {
    name: 'an untrusted project can take it back',
    files: {
      '~/.ion/config.toml': 'sandbox.workspace = "repository"\n',
      'lib/.ion/config.toml': 'sandbox.workspace = "folder"\n',
    },
    before: makeRepository,
    cwd: '{work}/lib',
    args: ['run', 'echo x > ../top'],
    code: 1,
    stderr: /blocked: bash/,
    after: ({work}) => assert.equal(existsSync(`${work}/top`), false),
  },
]);

const refusedTop = (name: string, why: string, before: (scratch: Scratch, as: Identity) => void) => ({
  name,
  files: {'lib/': ''},
  before(scratch: Scratch, as: Identity) {
    makeRepository(scratch, as);
    before(scratch, as);
  },
  cwd: '{work}/lib',
  args: ['run', ...set, 'echo x > ../top'],
  code: 125,
  stderr: `ion: sandbox.workspace = "repository" cannot use {work}: ${why}\n --> --set sandbox.workspace=repository\nhelp: for this run: --set sandbox.workspace=folder; for all: sandbox.workspace = "folder" in ~/.ion/config.toml\n`,
  after: ({work}: Scratch) => assert.equal(existsSync(`${work}/top`), false),
});

testCases('workspace = "repository" is refused', [
  refusedTop('where every user writes', 'every user can write to {work}', ({work}) => chmodSync(work, 0o777)),
  refusedTop('where every user writes its .git', 'every user can write to {work}/.git', ({work}) =>
    chmodSync(`${work}/.git`, 0o777),
  ),
  refusedTop(
    'where .git is a link that leads out',
    'its ".git" names a git folder that does not name it in turn',
    ({work, home}) => {
      renameSync(`${work}/.git`, `${home}/elsewhere.git`);
      symlinkSync('../elsewhere.git', `${work}/.git`);
    },
  ),
  refusedTop(
    'where .git is a file that leads out',
    'its ".git" names a git folder that does not name it in turn',
    ({work, home}) => {
      renameSync(`${work}/.git`, `${home}/elsewhere.git`);
      writeFileSync(`${work}/.git`, `gitdir: ${home}/elsewhere.git\n`);
    },
  ),
  {
    name: 'in a home that is a repository, also for reading',
    files: {'~/notes/': '', '~/.bash_history': 'secret\n'},
    before: (scratch, as) => makeRepository(scratch, as, scratch.home),
    cwd: '{home}/notes',
    args: ['run', '--read', ...set, 'cat ../.bash_history'],
    code: 125,
    stderr: /cannot use \S+\/home: it is your home folder\n/,
  },
]);
