// Files and repositories for the timed work, made before it.
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {environment} from './measure.mjs';

const native = (name) => fileURLToPath(new URL(`../native/${name}.c`, import.meta.url));

const creator = `#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char name[256];
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "%s/f%d", argv[argc - 1], i);
		int fd = open(name, O_CREAT | O_WRONLY, 0644);
		if (fd < 0 || write(fd, "x", 1) != 1)
			return 1;
		close(fd);
	}
}
`;

/** Makes the fixtures in `scratch`. Returns which of them exist: npm's cache needs a registry. */
export function makeFixtures(scratch) {
  const run = (command, args, options = {}) =>
    execFileSync(command, args, {cwd: scratch, env: environment, stdio: 'ignore', ...options});
  writeFileSync(path.join(scratch, 'create.c'), creator);
  run('cc', ['-O1', '-o', 'create', 'create.c']);
  for (const helper of ['deny-syscalls', 'bare-listener']) run('cc', ['-O1', '-o', helper, native(helper)]);
  const files = path.join(scratch, 'files');
  mkdirSync(files);
  for (let number = 0; number < 2000; number++) {
    writeFileSync(path.join(files, `file${number}`), `${number}\n`.repeat(number % 200));
  }
  run('tar', ['cf', 'files.tar', '-C', 'files', '.']);
  run('git', ['init', '-q', 'repository']);
  run('cp', ['-r', 'files', 'repository/files']);
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  run('git', ['-C', 'repository', 'add', '.']);
  run('git', ['-C', 'repository', ...author, 'commit', '-qm', 'files']);
  run('cp', ['-r', 'repository', 'packed']);
  run('git', ['-C', 'packed', 'gc', '-q']);
  return {npm: fillCache(scratch)};
}

/** A few packages that ion itself uses, so nothing extra is downloaded. */
function fillCache(scratch) {
  const folder = path.join(scratch, 'npm');
  mkdirSync(folder);
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({dependencies: {commander: '^14.0.3', picomatch: '^4.0.7'}}),
  );
  // The second command requests what `npm ci` will request.
  const fill = ['install', 'ci'].map((verb) =>
    spawnSync('npm', [verb, '--silent', '--prefer-offline', '--cache', '../npm-cache'], {
      cwd: folder,
      env: environment,
      stdio: 'ignore',
    }),
  );
  return fill.every(({status}) => status === 0);
}
