import {spawnSync} from 'node:child_process';
import {spawnAs, type Identity} from './identity.ts';
import {environmentOf} from './run.ts';
import type {Scratch} from './scratch.ts';

/** Runs git outside any sandbox and returns its output. The test fails when git fails. */
export function git(scratch: Scratch, as: Identity, args: readonly string[], cwd = scratch.work): string {
  const {status, stdout, stderr} = spawnSync('git', args, {
    cwd,
    env: environmentOf(scratch, gitEnvironment),
    encoding: 'utf8',
    ...spawnAs(as),
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** The committer, and the protocols that git may clone from. A test needs no git config in home. */
export const gitEnvironment = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'init.defaultBranch',
  GIT_CONFIG_VALUE_0: 'main',
  GIT_CONFIG_KEY_1: 'protocol.file.allow',
  GIT_CONFIG_VALUE_1: 'always',
} as const;

/** A repository with one commit. */
export function makeRepository(scratch: Scratch, as: Identity, folder = scratch.work): void {
  git(scratch, as, ['init', '-q', folder]);
  git(scratch, as, ['commit', '-q', '--allow-empty', '-m', 'first'], folder);
}

/** A commit with the submodule `sub`, made from `lib` beside it. */
export function addSubmodule(scratch: Scratch, as: Identity): void {
  git(scratch, as, ['submodule', '--quiet', 'add', './lib', 'sub']);
  git(scratch, as, ['commit', '-qm', 'sub']);
}
