import assert from 'node:assert/strict';
import {openSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {kernels} from '../conformance/kernels.ts';
import {environmentOn, through} from '../conformance/world.ts';
import {identities} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {packageRoot} from '../harness/package.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

/** Without Landlock the run has a file system of its own: with mount_setattr, and before Linux 5.12 with MS_REMOUNT. */
const script = `
[ ! -e ../../outside ] || echo 'a file beside home is there'
[ -z "$(ls -A .. | grep -vx -e work -e .cache)" ] || echo 'home holds more than the workspace'
touch ../new 2>/dev/null && echo 'home is written'
touch /usr/new 2>/dev/null && echo '/usr is written'
chmod 777 /usr 2>/dev/null && echo '/usr has another mode'
grep -rqs hidden . && echo 'a denied file is read'
echo x >> .vscode/tasks.json 2>/dev/null && echo 'a protected file is written'
mv .vscode other 2>/dev/null && echo 'a protected folder is moved'
find /proc -maxdepth 2 -name root -exec readlink {} + 2>/dev/null | grep -v '^/$'
(exec 3<>/dev/udp/192.0.2.1/9) 2>/dev/null && echo 'there is a network'
echo x > inside && cat inside && mktemp > /dev/null && [ "$(id -u)" = "$(stat -c %u .)" ] && ls -l /proc/self/exe > /dev/null && echo done
`;

for (const id of ['no Landlock', 'before 5.12']) {
  const kernel = kernels.find((one) => one.id === id)!;
  for (const as of identities) {
    test(`view: ${id} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc')) return;
      const scratch = makeScratch(t, as, {
        '/outside': '',
        secret: 'hidden\n',
        '.vscode/tasks.json': '{}\n',
      });
      const config = `${scratch.root}/c.toml`;
      writeFileSync(config, `[permissions]\ndenied_paths = ["${scratch.work}/secret"]\n`);
      const column = {kernel, as};
      const options = {as: identities[0]!, env: environmentOn(column), through: through(column)};
      const {stdout, stderr} = await runIon(scratch, ['run', '--json', '--config', config, script], options);
      assert.equal(stdout, 'x\ndone\n', stderr);
      const facts = JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as {sandbox: {backend: string}};
      assert.equal(facts.sandbox.backend, 'mounts');
    });
  }
}

/** Every way in which a process names its stream. The run's own file system does not even contain the folder of the log. */
const reopened = `
for name in /dev/stdout /proc/self/fd/1 /proc/$$/fd/1 /proc/thread-self/fd/1 link; do
  [ $name = link ] && ln -s /proc/self/fd/1 link
  python3 -c 'import fcntl, os, sys; f = os.open(sys.argv[1], os.O_WRONLY); os.write(f, b"next\\n")' $name
  printf 'next\\n' 1<>$name && echo "$name is opened for reading too"
done
echo last > /dev/stdout
`;

for (const as of identities) {
  test(`view: a log whose folder is not in it is only appended to (${as.name})`, async (t) => {
    if (!requireProgram(t, 'cc', 'python3')) return;
    const scratch = makeScratch(t, as, {'/logs/a/log': 'first\n'});
    const log = `${scratch.root}/logs/a/log`;
    const column = {kernel: kernels.find(({id}) => id === 'no Landlock')!, as};
    const {stderr} = await runIon(scratch, ['run', reopened], {
      as: identities[0]!,
      env: environmentOn(column),
      through: through(column),
      stdio: ['ignore', openSync(log, 'a'), 'pipe'],
    });
    assert.equal(readFileSync(log, 'utf8'), `first\n${'next\n'.repeat(5)}last\n`, stderr);
    assert.match(stderr, /could not overwrite "\/dev\/stdout"/);
  });
}

/** A session of the library gives a command files that were not known when it was planned. */
const library = `
import {openSync} from 'node:fs';
const [, , entry, cwd, given, command] = process.argv;
const {open} = await import(entry);
const session = await open({cwd, env: process.env});
const child = session.spawn(command, {stdio: [openSync(given, 'r'), 'inherit', 'inherit']});
await child.catch(() => undefined);
await session.close();
`;

for (const id of ['no Landlock', 'before 5.12']) {
  const kernel = kernels.find((one) => one.id === id)!;
  for (const as of identities) {
    test(`view: a file that the library gives for reading is not opened again for writing: ${id} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc', 'python3')) return;
      const scratch = makeScratch(t, as, {'/program.mjs': library, '~/outside': 'given\n'});
      const given = `${scratch.home}/outside`;
      const command = `cat; echo x >> /dev/stdin; echo x >> /proc/self/fd/0; python3 -c 'import os; os.fchmod(0, 0o600)'; true`;
      const column = {kernel, as};
      const {stdout, stderr} = await runIon(
        scratch,
        [path.join(packageRoot, 'lib/index.mjs'), scratch.work, given, command],
        {
          as: identities[0]!,
          program: `${scratch.root}/program.mjs`,
          env: environmentOn(column),
          through: through(column),
        },
      );
      assert.equal(stdout, 'given\n', stderr);
      assert.equal(readFileSync(given, 'utf8'), 'given\n');
      assert.equal(statSync(given).mode & 0o777, 0o644);
    });
  }
}
