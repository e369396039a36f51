import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {gitEnvironment} from '../harness/git.ts';
import {spawnAs, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {environmentOf, runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

interface Swap {
  readonly name: string;
  /** The script runs outside, before the run. */
  readonly make: string;
  readonly command: string;
  /** The reported files, with the text of the report. Nothing else may be reported. */
  readonly reported: readonly string[];
}

const evil = '"[core]\\n\\tfsmonitor = evil\\n"';
const evilBefore = 'git init -q --bare e; git -C e config core.fsmonitor evil';
const worktree = 'git init -q b; git -C b commit -q --allow-empty -m x; git -C b worktree add -q ../tree';
const submodule =
  'git init -q lib; git -C lib commit -q --allow-empty -m x; git init -q .; git -c protocol.file.allow=always submodule add -q ./lib sub; git commit -q -m s';
const fsmonitor = (file: string): string => `${file}: "core.fsmonitor"`;

/**
 * Files that git outside obeys because a repository moved to a place, or became one. Repositories that the run itself made
 * are its own: they are only reported.
 */
const swaps: readonly Swap[] = [
  {
    name: 'an existing folder becomes a repository, its HEAD last',
    make: 'mkdir d',
    command: `cd d; mkdir hooks objects refs; echo > hooks/pre-commit; chmod +x hooks/pre-commit; printf ${evil} > config; echo "ref: refs/heads/main" > HEAD`,
    reported: [fsmonitor('d/config'), 'd/hooks/pre-commit: a hook'],
  },
  {
    name: 'the same, its objects last',
    make: 'mkdir d',
    command: `cd d; mkdir refs; printf ${evil} > config; echo "ref: refs/heads/main" > HEAD; mkdir objects`,
    reported: [fsmonitor('d/config')],
  },
  {
    name: "a worktree's file that points to an existing repository",
    make: `${worktree}; ${evilBefore}`,
    command: 'rm tree/.git; echo "gitdir: ../e" > tree/.git',
    reported: [fsmonitor('e/config')],
  },
  {
    name: 'the same, by a symlink',
    make: `${worktree}; ${evilBefore}`,
    command: 'mv tree/.git g; ln -s ../e tree/.git',
    reported: [fsmonitor('e/config')],
  },
  {
    name: "a submodule's file",
    make: `${submodule}; ${evilBefore}`,
    command: 'rm sub/.git; echo "gitdir: ../e" > sub/.git',
    reported: [fsmonitor('e/config')],
  },
  {
    name: 'a submodule, replaced by a repository that this run made elsewhere',
    make: submodule,
    command: 'git init -q e; git -C e config core.fsmonitor evil; mv sub old; mv e sub',
    reported: [fsmonitor('sub/.git/config')],
  },
  {
    name: 'a submodule, replaced by an existing repository',
    make: `${submodule}; git init -q e; git -C e config core.fsmonitor evil`,
    command: 'mv sub old; mv e sub',
    reported: [fsmonitor('sub/.git/config')],
  },
  {
    name: 'an existing folder that gets the name .git',
    make: 'git init -q z; git -C z config core.fsmonitor evil; mv z/.git z/dot',
    command: 'mv z/dot z/.git',
    reported: [fsmonitor('z/.git/config')],
  },
  {
    name: 'a hook of a new repository, in a folder that is moved twice',
    make: 'true',
    command:
      'git init -q a/b; mkdir a/b/.git/hooks; echo > a/b/.git/hooks/x; chmod +x a/b/.git/hooks/x; mv a c; mv c/b d',
    reported: ['d/.git/hooks/x: a hook'],
  },
  {
    name: 'everyday: projects that are moved, cloned, or turned into worktrees and submodules',
    make: `${submodule}; git init -q p; git -C p config alias.st status; git -C p config core.editor vim`,
    command:
      'mv p q; git worktree add -q ../work/wt; git -c protocol.file.allow=always submodule add -q ./lib sub2; git clone -q --bare lib bare; git clone -q lib c; git -C c checkout -q -b x; git init -q -b m n; mv n o; rm -rf c; git submodule deinit -q -f sub2; git -c protocol.file.allow=always submodule update -q --init; git worktree move wt wt2; git worktree remove wt2',
    reported: [],
  },
];

for (const as of testers) {
  for (const {name, make, command, reported} of swaps) {
    test(`auto-run files, swapped: ${name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'git')) return;
      const scratch = makeScratch(t, as);
      execFileSync('bash', ['-c', make], {
        cwd: scratch.work,
        env: environmentOf(scratch, gitEnvironment),
        stdio: ['ignore', 'ignore', 'inherit'],
        ...spawnAs(as),
      });
      const {code, stderr} = await runIon(scratch, ['run', command], {as, env: gitEnvironment});
      assert.equal(code, 0, stderr);
      const found = [...stderr.matchAll(/^ion: check "(.*?)": (.*) in a repository/gm)].map(
        ([, file, what]) => `${file!.replace(`${scratch.work}/`, '')}: ${what}`,
      );
      assert.deepEqual(found.sort(), [...reported].sort(), stderr);
      if (reported.length === 0) assert.doesNotMatch(stderr, /^ion:/m);
    });
  }
}
