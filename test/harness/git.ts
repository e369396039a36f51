import {execaSync} from 'execa';
import {cpSync, existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {own, spawnAs, type Identity} from './identity.ts';
import {once} from './once.ts';
import {environmentOf} from './run.ts';
import {giveTo, type Scratch} from './scratch.ts';

/** Runs git outside any sandbox and returns its output. The test fails when git fails. */
export function git(scratch: Scratch, as: Identity, args: readonly string[], cwd = scratch.work): string {
  const {stdout} = execaSync('git', args, {
    cwd,
    env: environmentOf(scratch, gitEnvironment),
    extendEnv: false,
    stripFinalNewline: false,
    ...spawnAs(as),
  });
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

/** A repository with one commit. Copied from one that each test process makes once: two starts of git cost more. */
export function makeRepository(scratch: Scratch, as: Identity, folder = scratch.work): void {
  const made = mkdirSync(folder, {recursive: true});
  if (made !== undefined) giveTo(made, as);
  if (existsSync(`${folder}/.git`)) throw new Error(`${folder} is a repository already`);
  cpSync(preparedRepository(), `${folder}/.git`, {recursive: true});
  giveTo(`${folder}/.git`, as);
}

const preparedRepository = once((): string => {
  const folder = mkdtempSync('/var/tmp/ion-test-repository-');
  process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
  const scratch = {root: folder, home: folder, work: folder, companions: []};
  git(scratch, own, ['init', '-q', folder]);
  git(scratch, own, ['commit', '-q', '--allow-empty', '-m', 'first'], folder);
  return `${folder}/.git`;
});

/** A commit with the submodule `sub`, made from `lib` beside it. */
export function addSubmodule(scratch: Scratch, as: Identity): void {
  git(scratch, as, ['submodule', '--quiet', 'add', './lib', 'sub']);
  git(scratch, as, ['commit', '-qm', 'sub']);
}
