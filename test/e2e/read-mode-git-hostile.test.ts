import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {test} from 'node:test';
import {git, gitEnvironment, makeRepository} from '../harness/git.ts';
import {identities, type Identity} from '../harness/identity.ts';
import {runIon, runProgram} from '../harness/run.ts';
import {giveTo, makeScratch, type Scratch} from '../harness/scratch.ts';

/**
 * Repositories whose git folder or config is hidden from ion, but not from git. `refused`: ion cannot resolve it as git
 * does, and refuses the command.
 */
interface Hostile {
  readonly name: string;
  readonly prepare: (work: string, make: Make) => void;
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly refused?: RegExp;
  /** Outside, git would not run the program for another reason. */
  readonly onlyInside?: true;
}

interface Make {
  readonly git: (...args: string[]) => void;
  readonly repository: (folder: string) => void;
}

const external = '[diff]\n\texternal = $EV\n';
const newlines = '\n'.repeat(5000);
const config = (work: string, text: string, at = `${work}/.git/config`): void =>
  appendFileSync(at, text.replaceAll('$EV', `${work}/ev.sh`));
/** `.git` is a file that points to the git folder. */
const moved = (work: string, folder: string, gitFile: string): void => {
  config(work, external);
  renameSync(`${work}/.git`, `${work}/${folder}`);
  writeFileSync(`${work}/.git`, gitFile);
};
const attributes = (work: string, text: string): void => writeFileSync(`${work}/.gitattributes`, text);
const unknown = /git in a folder that is known only when it runs/;

const hostile: readonly Hostile[] = [
  {
    name: 'a .git file with many newlines',
    prepare: (work) => moved(work, 'real', `gitdir: real${newlines}`),
  },
  {
    name: 'a git folder with a newline in its name',
    prepare: (work) => moved(work, 're\nal', 'gitdir: re\nal\n'),
  },
  {
    name: 'a git folder with a trailing space in its name',
    prepare: (work) => moved(work, 'real ', 'gitdir: real \n'),
  },
  {
    name: 'a .git file that goes up from the target of a symlink',
    prepare(work) {
      mkdirSync(`${work}/a/b`, {recursive: true});
      moved(work, 'a/real', 'gitdir: link/../real\n');
      symlinkSync('a/b', `${work}/link`);
    },
  },
  ...[newlines, '\n'].map((end) => ({
    name: `a common folder with ${end.length} newlines`,
    prepare(work: string) {
      config(work, external);
      mkdirSync(`${work}/gf`);
      renameSync(`${work}/.git`, `${work}/common `);
      renameSync(`${work}/common /HEAD`, `${work}/gf/HEAD`);
      renameSync(`${work}/common /index`, `${work}/gf/index`);
      writeFileSync(`${work}/gf/commondir`, `../common ${end}`);
      writeFileSync(`${work}/.git`, 'gitdir: gf\n');
    },
  })),
  {
    name: 'a folder by a glob',
    prepare: (work, {repository}) => (repository('sub'), config(work, external, `${work}/sub/.git/config`)),
    command: 'git -C ./su* diff',
    refused: unknown,
  },
  {
    name: 'a folder by a variable',
    prepare: (work, {repository}) => (repository('sub'), config(work, external, `${work}/sub/.git/config`)),
    command: 'git -C "./$X" diff',
    env: {X: 'sub'},
    refused: unknown,
  },
  {
    name: 'a git folder by a variable',
    prepare: (work, {repository}) => (repository('sub'), config(work, external, `${work}/sub/.git/config`)),
    command: 'git --git-dir="$X" diff',
    env: {X: 'sub/.git'},
    refused: /git in a folder that is known only when it runs/,
  },
  {
    name: 'a folder in home',
    prepare: (work, {repository}) => (repository('sub'), config(work, external, `${work}/sub/.git/config`)),
    command: 'git -C ~/work/sub diff',
  },
  {
    name: 'behind a symlink',
    prepare(work, {repository}) {
      repository('sub');
      config(work, external, `${work}/sub/.git/config`);
      mkdirSync(`${work}/sub/in`);
      symlinkSync('sub/in', `${work}/link`);
    },
    command: 'cd link && git diff',
  },
  {
    name: 'a git folder that is a file',
    prepare(work) {
      moved(work, 'real', 'none');
      writeFileSync(`${work}/file`, 'gitdir: real\n');
    },
    command: 'git --git-dir=file diff',
  },
  {
    name: 'a git folder whose HEAD is a dangling symlink',
    prepare(work) {
      config(work, `${external}[core]\n\tbare = false\n\tworktree = ..\n`);
      renameSync(`${work}/.git`, `${work}/bare`);
      const head = readFileSync(`${work}/bare/HEAD`, 'utf8');
      rmSync(`${work}/bare/HEAD`);
      symlinkSync(`${head.trim().replace('ref: ', '')}-unborn`, `${work}/bare/HEAD`);
    },
    command: 'git -C bare diff',
  },
  {
    name: 'a driver without a name',
    prepare(work) {
      attributes(work, '*.txt filter=\n');
      config(work, '[filter ""]\n\tclean = $EV %f\n');
    },
    command: 'git status',
  },
  {
    name: 'a driver with a line separator in its name',
    prepare(work) {
      attributes(work, '*.txt diff=a\u2028b\n');
      config(work, '[diff "a\u2028b"]\n\ttextconv = $EV\n');
    },
  },
  {
    name: 'a NUL in a comment',
    prepare: (work) => config(work, `# \0\n${external}`),
    refused: /"config" is not a config that ion can read/,
  },
  {
    name: 'an include of the standard input',
    prepare: (work) => config(work, '[include]\n\tpath = /dev/stdin\n'),
    command: "printf '[diff]\\n\\texternal = ./ev.sh\\n' | git diff",
    refused: /leads into \/dev/,
  },
  {
    name: 'an include by a symlink to the standard input',
    prepare(work) {
      symlinkSync('/proc/self/fd/0', `${work}/.git/in`);
      config(work, '[include]\n\tpath = in\n');
    },
    command: "printf '[diff]\\n\\texternal = ./ev.sh\\n' | git diff",
    refused: /leads into \/proc/,
  },
  ...['~root/x', '%(prefix)/x'].map((path) => ({
    name: `an include of ${path}`,
    prepare: (work: string) => config(work, `[include]\n\tpath = ${path}\n`),
    refused: /"config" includes "[~%].*", which ion does not follow/,
    onlyInside: true as const,
  })),
  {
    name: 'a config that is too large',
    prepare: (work) => config(work, `${'#\n'.repeat(600_000)}${external}`),
    refused: /"config" is too large to check/,
  },
  {
    name: 'an include that goes up from the target of a symlink',
    prepare(work) {
      mkdirSync(`${work}/a/b`, {recursive: true});
      symlinkSync('../a/b', `${work}/.git/link`);
      config(work, external, `${work}/a/more`);
      config(work, '[include]\n\tpath = link/../more\n');
    },
  },
  ...[2, 4].map((version) => ({
    name: `a submodule with a git folder of its own, index version ${version}`,
    prepare(work: string, make: Make) {
      make.repository('a/sub');
      make.git('add', 'a/sub');
      make.git('update-index', '--index-version', String(version));
      writeFileSync(`${work}/a/sub/.gitattributes`, '*.txt filter=fl\n');
      config(work, '[filter "fl"]\n\tclean = $EV %f\n', `${work}/a/sub/.git/config`);
    },
    command: 'git status --short',
  })),
  {
    name: 'a program that fetches what a partial clone lacks',
    prepare(work) {
      config(
        work,
        '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = o\n' +
          '[remote "o"]\n\turl = ext::$EV\n\tpromisor = true\n[protocol "ext"]\n\tallow = always\n',
      );
      rmSync(`${work}/.git/objects`, {recursive: true});
      mkdirSync(`${work}/.git/objects`);
    },
    command: 'git log -p || true',
  },
  {
    name: 'a submodule in another folder, below a work tree that the config names',
    prepare(work, make) {
      make.repository('tree/sub');
      writeFileSync(`${work}/tree/f.txt`, 'b\n');
      config(work, '[core]\n\tworktree = ../tree\n');
      make.git('add', 'sub');
      writeFileSync(`${work}/tree/sub/.gitattributes`, '*.txt filter=fl\n');
      config(work, '[filter "fl"]\n\tclean = $EV %f\n', `${work}/tree/sub/.git/config`);
    },
    command: 'git status --short',
  },
];

function repository(scratch: Scratch, as: Identity, folder: string): void {
  mkdirSync(folder, {recursive: true});
  giveTo(scratch.work, as);
  const at = {...scratch, work: folder};
  git(at, as, ['init', '-q']);
  writeFileSync(`${folder}/f.txt`, 'a\n');
  giveTo(scratch.work, as);
  git(at, as, ['add', 'f.txt']);
  git(at, as, ['commit', '-q', '-m', 'first']);
  writeFileSync(`${folder}/f.txt`, 'b\n');
}

const [as] = identities;
for (const {name, prepare, command = 'git diff', env = {}, refused, onlyInside} of hostile) {
  test(`read mode runs no program of a hostile repository: ${name}`, async (t) => {
    const scratch = makeScratch(t, as!);
    const {work} = scratch;
    makeRepository(scratch, as!);
    repository(scratch, as!, work);
    writeFileSync(`${work}/ev.sh`, '#!/bin/sh\necho RAN >&2\ncat "$1" 2>/dev/null\nexit 0\n');
    chmodSync(`${work}/ev.sh`, 0o755);
    prepare(work, {
      git: (...args) => void git(scratch, as!, args),
      repository: (folder) => repository(scratch, as!, `${work}/${folder}`),
    });
    giveTo(work, as!);
    const outside = await runProgram(scratch, ['bash', '-c', command], {
      as: as!,
      env: {...gitEnvironment, ...env},
    });
    if (!onlyInside) assert.match(outside.stderr, /RAN/, 'the attack works outside');
    const inside = await runIon(scratch, ['run', '--read', command], {as: as!, env});
    assert.doesNotMatch(inside.stderr, /RAN/);
    assert.equal(inside.code, refused ? 126 : 0, inside.stderr);
    if (!refused) return;
    assert.match(inside.stderr, refused);
    assert.match(inside.stderr, /^help: /m);
  });
}
