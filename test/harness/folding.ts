import assert from 'node:assert/strict';
import type {TestContext} from 'node:test';
import type {Identity} from './identity.ts';
import {compiled} from './native.ts';
import {packageRoot} from './package.ts';
import {runProgram} from './run.ts';
import {makeScratch} from './scratch.ts';

interface InFolding {
  readonly script: string;
  readonly input?: string;
  readonly inodes?: '' | ':changing';
  readonly deny?: readonly string[];
  readonly config?: string;
}

/** Runs bash in the workspace, which is the file system of folding-fuse.c. Returns what it prints. Needs root and cc. */
export async function inFolding(
  t: TestContext,
  as: Identity,
  {script, input = '', inodes = '', deny = [], config = ''}: InFolding,
): Promise<string> {
  const scratch = makeScratch(t, as, {'/config.toml': config});
  const {root, work} = scratch;
  const through = [`${as.uid}:${as.gid}${inodes}`, work, compiled('deny-syscalls.c'), ...deny, '--'];
  const ready = `sed -i "s#{work}#${work}#g" ${root}/config.toml; ion() { ${process.execPath} ${packageRoot}/bin/ion run --config ${root}/config.toml "$@"; }`;
  const argv = [compiled('folding-fuse.c'), ...through, 'bash', '-c', `${ready}\n${script}`];
  const spec = {env: {ROOT: root}, stdin: input, timeoutMs: 90_000};
  const {stdout, stderr} = await runProgram(scratch, argv, spec);
  assert.equal(stderr, '');
  return stdout;
}
