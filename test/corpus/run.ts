import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {own, type Identity} from '../harness/identity.ts';
import {compiled} from '../harness/native.ts';
import {ionFile} from '../harness/package.ts';
import {runProgram, type Ended} from '../harness/run.ts';
import type {Scratch} from '../harness/scratch.ts';
import {corpusEnvironment} from './environment.ts';
import type {Row} from './row.ts';
import type {Setting} from './settings.ts';

const timeoutMs = 180_000;

/** The command as its user types it without ion. */
export function runOutside(row: Row, as: Identity, scratch: Scratch): Promise<Ended> {
  return start(['/bin/bash', '--norc', '-c', row.command], as, scratch);
}

export function runInside(row: Row, {as, deny}: Setting, scratch: Scratch): Promise<Ended> {
  const config = `${scratch.root}/ion.toml`;
  if (row.config !== undefined) writeFileSync(config, row.config, {mode: 0o644});
  const ion = [
    process.execPath,
    ionFile,
    'run',
    ...(row.mode === 'read' ? ['--read'] : []),
    ...(row.config === undefined ? [] : ['--config', config]),
    row.command,
  ];
  if (deny.length === 0) return start(ion, as, scratch);
  const user = as.uid === process.getuid!() ? [] : ['--user', `${as.uid}:${as.gid}`];
  // deny-syscalls first installs its filter and then changes the user.
  return start([compiled('deny-syscalls.c'), ...user, ...deny, '--', ...ion], own, scratch);
}

/** In the temp folder, which both may write. These rows do not test the folders of npm and cargo in home. */
export function cacheOf({root}: Scratch): string {
  return path.join('/tmp', path.basename(root));
}

function start(argv: readonly string[], as: Identity, scratch: Scratch): Promise<Ended> {
  const cache = cacheOf(scratch);
  return runProgram(scratch, argv, {
    as,
    env: {...corpusEnvironment, npm_config_cache: cache, CARGO_HOME: cache},
    timeoutMs,
  });
}
