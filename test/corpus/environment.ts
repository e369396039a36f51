import {spawnSync} from 'node:child_process';
import path from 'node:path';
import {gitEnvironment} from '../harness/git.ts';

/** Only fixed folders: other users cannot use programs in the home of the user who runs the tests. */
export const searchPath = [
  path.dirname(process.execPath),
  ...rustFolder(),
  ...'/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'.split(':'),
].join(':');

/** The real programs: rustup's proxies would look for them in the home of the user who runs them. */
function rustFolder(): string[] {
  const {status, stdout} = spawnSync('rustc', ['--print', 'sysroot'], {encoding: 'utf8'});
  return status === 0 ? [path.join(stdout.trim(), 'bin')] : [];
}

/** With fixed times and names, git and archivers produce the same result twice. */
export const corpusEnvironment = {
  ...gitEnvironment,
  PATH: searchPath,
  GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z',
  GIT_PAGER: 'cat',
  TZ: 'UTC',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  GOTELEMETRY: 'off',
  // The folders of incremental builds have random names.
  CARGO_INCREMENTAL: '0',
} as const;
