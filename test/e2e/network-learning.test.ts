import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {own, plain, testers} from '../harness/identity.ts';
import {skip} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {openWorld} from '../harness/network-world.ts';
import {ionFile} from '../harness/package.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const curl = 'curl -sS --max-time 25 -k';
const fetches = `${curl} https://ok.example/ http://ok.example/ https://a.wild.example/ && read -r line </dev/tcp/plain.example/22 && echo $line`;
const reached = /^(?:reached.*\n){4}$/;

for (const as of testers)
  test(`network names: the line that "*" ends with is pasted, and the command works (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const world = await openWorld(scratch, as);
    if (typeof world === 'string') return skip(t, world);
    const config = path.join(scratch.work, 'learned.toml');
    writeFileSync(config, '[sandbox.network]\nallow = ["*", "tcp://plain.example:22"]\n');
    const learning = await world.ion(['run', '--config', config, fetches]);
    assert.match(learning.stdout, reached, learning.stderr);
    const line = /^help: instead of "\*": (.*)$/m.exec(learning.stderr)?.[1] ?? '';
    writeFileSync(config, `${line}\n`);
    const learned = await world.ion(['run', '--config', config, fetches]);
    assert.match(learned.stdout, reached, line + learned.stderr);
    assert.doesNotMatch(learned.stderr, /blocked|instead of/);
    // Only these names.
    const other = await world.ion(['run', '--config', config, `${curl} https://other.example/`]);
    assert.match(
      other.stderr,
      /could not look up "other\.example" \(\w+: the name is not on the network allow list/,
      other.stdout,
    );
  });

test('network names: what a refusal proposes for one run works when it is pasted', async (t) => {
  const scratch = makeScratch(t, own);
  const world = await openWorld(scratch, own);
  if (typeof world === 'string') return skip(t, world);
  // Each refusal proposes the next setting: another name, then another port.
  const attempt = (script: string, sets: readonly string[]) =>
    world.bash(
      `${process.execPath} ${ionFile} run --set 'sandbox.network.allow=["ok.example"]' ${sets.join(' ')} ${JSON.stringify(script)}`,
    );
  for (const script of [`${curl} https://other.example/`, `${curl} https://ok.example:8443/`]) {
    const refused = await attempt(script, []);
    const pasted = /^help: .*?(--set \S.*?)(?=;|$)/m.exec(refused.stderr)?.[1] ?? '';
    assert.notEqual(refused.code, 0);
    const allowed = await attempt(script, [pasted]);
    assert.match(allowed.stdout, /^reached/, `${pasted}: ${allowed.stderr}${refused.stderr}`);
  }
});

test('network names: without network namespaces a table is refused, with what is missing', async (t) => {
  const scratch = makeScratch(t, plain, {
    'c.toml': '[sandbox.network]\nallow = ["ok.example"]\n',
  });
  const user = own.name === 'root' ? ['--user', `${plain.uid}:${plain.gid}`] : [];
  const through = [compiled('deny-syscalls.c'), ...user, ...noNamespaces, '--'];
  const {code, stdout, stderr} = await runIon(scratch, ['run', '--config', 'c.toml', 'echo ran'], {
    as: own,
    through,
  });
  assert.deepEqual(
    {code, stdout, stderr},
    {
      code: 125,
      stdout: '',
      stderr: `ion: cannot enforce a table of network names here
 --> c.toml:1
help: it needs network namespaces, which this machine does not grant; for this run: --set sandbox.network=full; for all: sandbox.network = "full" in ~/.ion/config.toml, without the one in c.toml
`,
    },
  );
});
