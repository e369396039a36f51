import {spawnSync} from 'node:child_process';
import {spawnAs, type Identity} from '../harness/identity.ts';
import {searchPath} from './environment.ts';

/** The programs that this user can run: programs in another user's home may be unreachable. */
export function programsFor(as: Identity, names: readonly string[]): ReadonlySet<string> {
  const {stdout} = spawnSync(
    '/bin/bash',
    ['-c', 'for p; do type -P "$p" >/dev/null && echo "$p"; done', '-', ...names],
    {
      encoding: 'utf8',
      env: {PATH: searchPath},
      ...spawnAs(as),
    },
  );
  return new Set(stdout.split('\n'));
}
