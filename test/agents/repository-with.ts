import {spawnSync} from 'node:child_process';
import type {TestContext} from 'node:test';
import {plain} from '../harness/identity.ts';
import {environmentOf} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Files, type Scratch} from '../harness/scratch.ts';

const date = '2026-01-01T00:00:00Z';

/** A repository with one commit, of the file `a`, and with other files that are not added. */
export function repositoryWith(t: TestContext, files: Files = {}): Scratch {
  const scratch = makeScratch(t, plain, {a: 'x\n'});
  const git = (...args: string[]) =>
    spawnSync(
      'git',
      ['-c', 'safe.directory=*', '-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args],
      {
        cwd: scratch.work,
        env: environmentOf(scratch, {GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date}),
      },
    );
  for (const args of [
    ['init', '--initial-branch=main'],
    ['add', '-A'],
    ['commit', '-m', 'first'],
  ])
    git(...args);
  writeFiles(scratch, files);
  giveTo(scratch.root, plain);
  return scratch;
}
