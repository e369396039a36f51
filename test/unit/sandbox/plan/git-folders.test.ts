import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {execa} from 'execa';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {gitFolders} from '../../../../src/sandbox/plan/git-folders.ts';
import {requireProgram} from '../../../harness/must-run.ts';

interface Namespaces {
  readonly base: string;
  readonly git: (folder: string, ...args: readonly string[]) => void;
  readonly file: (name: string, text: string) => void;
}

function namespaces(t: TestContext): Namespaces {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'ion-git-')));
  t.after(() => rmSync(base, {recursive: true, force: true}));
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  return {
    base,
    git: (folder, ...args) => {
      mkdirSync(path.join(base, folder), {recursive: true});
      execFileSync('git', [...identity, ...args], {cwd: path.join(base, folder), stdio: 'pipe'});
    },
    file: (name, text) => {
      mkdirSync(path.dirname(path.join(base, name)), {recursive: true});
      writeFileSync(path.join(base, name), text);
    },
  };
}

/** Looks like a repository. ~/.ssh would not, but an attacker could build such a folder. */
const repositoryAt = ({file}: Namespaces, folder: string): void => {
  file(`${folder}/HEAD`, 'ref: refs/heads/main\n');
  file(`${folder}/objects/x`, '');
  file(`${folder}/refs/x`, '');
};

const cases: readonly {
  readonly name: string;
  readonly make: (namespaces: Namespaces) => void;
  /** Paths are relative to the base; `ws` is the workspace. */
  readonly want: readonly string[];
}[] = [
  {name: 'no repository', make: ({file}) => file('ws/x', ''), want: []},
  {name: 'a repository', make: ({git}) => git('ws', 'init', '-q'), want: ['ws/.git']},
  {
    name: 'a linked worktree',
    make: ({git}) => {
      git('main', 'init', '-q');
      git('main', 'commit', '-q', '--allow-empty', '-m', 'x');
      git('main', 'worktree', 'add', '-q', '../ws');
    },
    want: ['main/.git'],
  },
  {
    name: 'a linked worktree of a bare repository',
    make: ({git}) => {
      git('main', 'init', '-q');
      git('main', 'commit', '-q', '--allow-empty', '-m', 'x');
      git('.', 'clone', '-q', '--bare', 'main', 'bare');
      git('bare', 'worktree', 'add', '-q', '../ws');
    },
    want: ['bare'],
  },
  {
    name: 'a .git file that names a secret folder',
    make: ({file}) => (file('secret/key', ''), file('ws/.git', 'gitdir: ../secret\n')),
    want: [],
  },
  {
    name: 'a .git file that names a repository which does not list this worktree',
    make: (w) => (repositoryAt(w, 'other'), w.file('ws/.git', 'gitdir: ../other\n')),
    want: [],
  },
  {
    name: 'a worktree that points back to another workspace',
    make: (w) => {
      repositoryAt(w, 'other/.git');
      w.file('other/.git/worktrees/n/gitdir', `${w.base}/elsewhere/.git\n`);
      w.file('other/.git/worktrees/n/commondir', '../..\n');
      w.file('elsewhere/.git', 'x');
      w.file('ws/.git', 'gitdir: ../other/.git/worktrees/n\n');
    },
    want: [],
  },
  {
    name: 'a worktree whose commondir names another folder',
    make: (w) => {
      repositoryAt(w, 'other/.git');
      repositoryAt(w, 'third');
      w.file('ws/.git', 'gitdir: ../other/.git/worktrees/n\n');
      w.file('other/.git/worktrees/n/gitdir', `${w.base}/ws/.git\n`);
      w.file('other/.git/worktrees/n/commondir', `${w.base}/third\n`);
    },
    want: [],
  },
  {
    name: 'a worktree folder that the workspace itself made, of a folder that is not a repository',
    make: (w) => {
      w.file('secret/key', '');
      w.file('ws/.git', 'gitdir: w/worktrees/n\n');
      w.file('ws/w/worktrees/n/gitdir', `${w.base}/ws/.git\n`);
      w.file('ws/w/worktrees/n/commondir', `${w.base}/secret\n`);
    },
    want: [],
  },
  {
    name: 'a symlink in the worktree folder that leads to a secret',
    make: (w) => {
      w.file('secret/key', '');
      w.file('ws/.git', 'gitdir: w/worktrees/n\n');
      w.file('ws/w/x', '');
      symlinkSync(`${w.base}/secret`, `${w.base}/ws/w/worktrees`);
    },
    want: [],
  },
  {
    name: 'a repository with submodules, one with a slash in its name; one is a dangling symlink',
    make: (w) => {
      repositoryAt(w, 'secret');
      for (const folder of ['ws/.git', 'ws/.git/modules/m', 'ws/.git/modules/a/b']) repositoryAt(w, folder);
      symlinkSync('../../../secret', `${w.base}/ws/.git/modules/l`);
    },
    want: ['ws/.git', 'ws/.git/modules/m', 'ws/.git/modules/a/b'],
  },
  {
    name: 'modules that are a symlink',
    make: (w) => {
      repositoryAt(w, 'secret/m');
      repositoryAt(w, 'ws/.git');
      symlinkSync('../../secret', `${w.base}/ws/.git/modules`);
    },
    want: ['ws/.git'],
  },
  {
    name: "another submodule's folder, which a .git file names",
    make: (namespaces) => {
      repositoryAt(namespaces, 'ws/../.git');
      repositoryAt(namespaces, '.git/modules/good');
      namespaces.file('.git/modules/good/config', '[core]\n\tworktree = ../../../good\n');
      namespaces.file('good/x', '');
      namespaces.file('ws/.git', 'gitdir: ../.git/modules/good\n');
    },
    want: [],
  },
  {
    name: 'a submodule with a worktree in its config.worktree',
    make: (namespaces) => {
      repositoryAt(namespaces, '.git/modules/own');
      namespaces.file('.git/modules/own/config', '[extensions]\n\tworktreeConfig = true\n');
      namespaces.file('.git/modules/own/config.worktree', '[core]\n\tworktree = ../../../ws\n');
      namespaces.file('ws/.git', 'gitdir: ../.git/modules/own\n');
    },
    want: ['.git/modules/own'],
  },
  {
    name: 'not a submodule: it is not inside the outer repository',
    make: (w) => {
      repositoryAt(w, 'other/.git/modules/m');
      w.file('ws/.git', 'gitdir: ../other/.git/modules/m\n');
    },
    want: [],
  },
  {
    name: 'a .git that is a symlink to a folder',
    make: (w) => (repositoryAt(w, 'other'), w.file('ws/x', ''), symlinkSync('../other', `${w.base}/ws/.git`)),
    want: [],
  },
  {
    name: 'a .git that is a symlink to a secret file',
    make: (w) => (w.file('ws/x', ''), w.file('s', 'gitdir: /\n'), symlinkSync('../s', `${w.base}/ws/.git`)),
    want: [],
  },
  {name: 'a huge .git file', make: ({file}) => file('ws/.git', `gitdir: ${'x'.repeat(10_000)}\n`), want: []},
  {name: 'a .git file that names the root', make: ({file}) => file('ws/.git', 'gitdir: /\n'), want: []},
  {
    name: 'a .git FIFO',
    make: ({base, file}) => (file('ws/x', ''), execFileSync('mkfifo', [`${base}/ws/.git`])),
    want: [],
  },
];

for (const {name, make, want} of cases) {
  test(`git folders: ${name}`, (t) => {
    const w = namespaces(t);
    make(w);
    assert.deepEqual(
      gitFolders(`${w.base}/ws`).map((folder) => path.relative(w.base, folder)),
      want,
    );
  });
}

test('git folders: a submodule', (t) => {
  const w = namespaces(t);
  w.git('lib', 'init', '-q');
  w.git('lib', 'commit', '-q', '--allow-empty', '-m', 'x');
  w.git('ws', 'init', '-q');
  w.git('ws', 'submodule', '--quiet', 'add', '../lib', 'sub');
  assert.deepEqual(gitFolders(`${w.base}/ws/sub`), [`${w.base}/ws/.git/modules/sub`]);
});

/** At the end it releases a process that waits at the FIFO, and reports it. */
const swap = `
import ctypes, os, stat, time
rename, end = ctypes.CDLL(None).renameat2, time.time() + 2
while time.time() < end:
  rename(-100, b'.git', -100, b'fifo', 2)
for name in ('.git', 'fifo'):
  try: stat.S_ISFIFO(os.stat(name).st_mode) and os.open(name, os.O_WRONLY | os.O_NONBLOCK) and print('waits')
  except OSError: pass
`;

test('a FIFO that replaces a .git file between check and read: ion does not wait for it', async (t) => {
  if (!requireProgram(t, 'python3')) return;
  const {base, file} = namespaces(t);
  file('.git', 'gitdir: elsewhere\n');
  execFileSync('mkfifo', [path.join(base, 'fifo')]);
  const swapping = execa('python3', ['-c', swap], {cwd: base, stdin: 'ignore'});
  const end = Date.now() + 1500;
  while (Date.now() < end) assert.deepEqual(gitFolders(base), []);
  assert.equal((await swapping).stdout, '');
});
