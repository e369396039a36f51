import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {testCases, type Case} from '../harness/cases.ts';
import {git, gitEnvironment, makeRepository} from '../harness/git.ts';
import {giveTo} from '../harness/scratch.ts';

const noLock: Case['after'] = ({work}) => assert.ok(!existsSync(`${work}/.git/index.lock`));

/** Actions that git cannot do inside. git reports its own error, ion explains it, and no file is left behind. */
testCases('closed to git', [
  {
    name: 'a signing key in home: the commit fails, and ion reports the reason',
    files: {
      '~/.gitconfig':
        '[user]\n\tsigningkey = ~/.ssh/id.pub\n[gpg]\n\tformat = ssh\n[commit]\n\tgpgsign = true\n',
      '~/.ssh/id': 'key',
      '~/.ssh/id.pub': 'ssh-ed25519 AAAA a@b\n',
    },
    needs: ['git', 'ssh-keygen'],
    env: gitEnvironment,
    before: (scratch, as) => void git(scratch, as, ['init', '-q', '.']),
    args: ['run', 'echo a > a && git add a && git commit -qm a'],
    code: 128,
    stderr:
      /failed to write commit object\nion: git may have failed to sign: .*\nhelp: commit with --no-gpg-sign.*\n$/,
    after: noLock,
  },
  {
    name: 'the same commit without a signature',
    files: {
      '~/.gitconfig':
        '[user]\n\tsigningkey = ~/.ssh/id.pub\n[gpg]\n\tformat = ssh\n[commit]\n\tgpgsign = true\n',
    },
    needs: ['git'],
    env: gitEnvironment,
    before: (scratch, as) => void git(scratch, as, ['init', '-q', '.']),
    args: ['run', 'echo a > a && git add a && git commit -qm a --no-gpg-sign'],
    after: noLock,
  },
  {
    name: 'a config that the command replaced by a FIFO',
    needs: ['git'],
    env: gitEnvironment,
    args: ['run', 'mkdir .git && mkfifo .git/config; git commit'],
    code: 128,
    stderr: /not a git repository/,
  },
  {
    name: 'a remote in a folder that cannot be read',
    needs: ['git'],
    env: gitEnvironment,
    before: (scratch, as) => {
      git(scratch, as, ['init', '-q', '../origin']);
      git(scratch, as, ['init', '-q', '.']);
      git(scratch, as, ['remote', 'add', 'origin', `${scratch.home}/origin`]);
    },
    args: ['run', 'git fetch -q'],
    code: 128,
    stderr: /ion: ".*\/origin" is outside the read roots\nhelp: .*read_roots = \[".*\/origin"\]/,
  },
  {
    name: 'stored credentials',
    files: {
      '~/.gitconfig': '[credential]\n\thelper = store\n',
      '~/.git-credentials': 'https://u:password@example.org\n',
    },
    needs: ['git'],
    env: {GIT_TERMINAL_PROMPT: '0'},
    stdin: 'protocol=https\nhost=example.org\n\n',
    args: ['run', 'git credential fill'],
    code: 128,
    stderr: /could not read Username for 'https:\/\/example\.org'/,
  },
  {
    name: 'a hook that was refused leaves no lock',
    needs: ['git'],
    env: gitEnvironment,
    before: (scratch, as) => makeRepository(scratch, as),
    args: [
      'run',
      'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; echo a > a; git add a && git commit -qm a; git log --format=%s',
    ],
    stdout: 'a\nfirst\n',
    stderr: /could not change ".*\/\.git\/hooks/,
    after: noLock,
  },
  {
    name: 'a repository of another user: git asks for safe.directory as it does outside',
    only: 'root',
    needs: ['git'],
    before: (scratch, as) => {
      makeRepository(scratch, as);
      giveTo(scratch.work, {name: 'user', uid: 65534, gid: 65534});
    },
    args: ['run', 'git status'],
    code: 128,
    stderr: /detected dubious ownership[^]*git config --global --add safe\.directory/,
  },
  {
    name: 'safe.directory in the settings of home is obeyed',
    only: 'root',
    files: {'~/.gitconfig': '[safe]\n\tdirectory = *\n'},
    needs: ['git'],
    before: (scratch, as) => {
      makeRepository(scratch, as);
      giveTo(scratch.work, {name: 'user', uid: 65534, gid: 65534});
    },
    args: ['run', 'git log --format=%s'],
    stdout: 'first\n',
  },
  {
    name: 'filters of the system config run (as git-lfs installs them)',
    needs: ['git'],
    env: gitEnvironment,
    before: (scratch, as) => makeRepository(scratch, as),
    args: [
      'run',
      'git config -f sys filter.up.clean "tr a-z A-Z"; git config -f sys filter.up.smudge "tr A-Z a-z"; export GIT_CONFIG_SYSTEM=$PWD/sys; echo "*.up filter=up" > .gitattributes; echo text > a.up; git add a.up .gitattributes; git show :a.up; git commit -qm up; rm a.up; git checkout -q a.up; cat a.up',
    ],
    stdout: 'TEXT\ntext\n',
  },
]);
