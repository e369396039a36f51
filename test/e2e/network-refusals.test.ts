import assert from 'node:assert/strict';
import {once} from 'node:events';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {requireProgram, skip} from '../harness/must-run.ts';
import {own, testers} from '../harness/identity.ts';
import {openWorld} from '../harness/network-world.ts';
import {allowing} from '../harness/network-scripts.ts';
import {patience} from '../harness/patience.ts';
import {sleep} from '../harness/processes.ts';
import {relayBelow} from '../harness/relay-process.ts';
import {collect, type Ended} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const https = '--set sandbox.network.allow+=other.example';
const ssh = `--set 'sandbox.network.allow+="tcp://other.example:22"'`;

const said =
  /^ion: blocked: (\S+) \(pid (\d+)\) could not look up "other\.example" \(\w+: the name is not on the network allow list.*\)\n --> c\.toml:2\nhelp: for this run: (.*?); for all/m;

/** Each asks for a name that is not listed, by libc or by a resolver of its own. */
const askers: readonly {readonly name: string; readonly script: string; readonly grant: string}[] = [
  {name: 'getent', script: 'getent ahosts other.example', grant: https},
  {name: 'curl', script: 'curl -sS https://other.example/', grant: https},
  {name: 'node', script: `node -e "fetch('https://other.example/').catch(() => {})"`, grant: https},
  {
    name: 'node',
    script: `node -e "require('dns').resolve4('other.example', () => {})"`,
    grant: https,
  },
  {
    name: String.raw`python3[\d.]*`,
    script: `python3 -c "import socket; socket.create_connection(('other.example', 443))"`,
    grant: https,
  },
  {name: 'git-remote-http', script: 'git ls-remote https://other.example/x.git', grant: https},
  {name: 'ssh', script: 'git ls-remote ssh://git@other.example/x.git', grant: ssh},
  {name: 'ssh', script: 'ssh -o BatchMode=yes git@other.example', grant: ssh},
];

for (const as of testers)
  test(`network names: a refused name is reported by name, with the program, the line and the grant (${as.name})`, async (t) => {
    if (!requireProgram(t, 'curl', 'git', 'ssh', 'python3')) return;
    const scratch = makeScratch(t, as);
    const world = await openWorld(scratch, as);
    if (typeof world === 'string') return skip(t, world);
    writeFileSync(path.join(scratch.work, 'c.toml'), '# names\n[sandbox.network]\nallow = ["ok.example"]\n');
    for (const {name, script, grant} of askers) {
      const ended: Ended = await world.ion(['run', '--config', 'c.toml', script]);
      const {stderr} = ended;
      const [, asked, pid, help] = said.exec(stderr) ?? [];
      assert.match(asked ?? '', new RegExp(`^${name}$`), `${script}: ${stderr}`);
      assert.ok(Number(pid) > 0);
      assert.equal(help, grant, script);
    }
  });

test('network names: a denied name is reported with the entry, and a wide wildcard is a warning', async (t) => {
  const scratch = makeScratch(t, own);
  const world = await openWorld(scratch, own);
  if (typeof world === 'string') return skip(t, world);
  writeFileSync(
    path.join(scratch.work, 'c.toml'),
    '[sandbox.network]\nallow = ["*.com",\n  "ok.example", "*.wild.example"]\ndeny = ["denied.wild.example"]\n',
  );
  const {stderr} = await world.ion(['run', '--config', 'c.toml', 'getent ahosts denied.wild.example']);
  assert.match(
    stderr,
    /^ion: warning: "\*\.com" allows the names of everybody who registers one below com\n --> c\.toml:2\nhelp: name the domain: "\*\.example\.com"\n/,
  );
  assert.match(
    stderr,
    /could not look up "denied\.wild\.example" \(\w+: denied by sandbox\.network\.deny "denied\.wild\.example".*\)\n --> c\.toml:4\nhelp: remove the entry from sandbox\.network\.deny to allow it\n/,
  );
});

test('network names: a refusal that the relay sees only when the command has ended is reported', async (t) => {
  // A look-up, a connection to a port of another entry, and a name that is not listed. None waits for an answer.
  const sends = `import socket
a = socket.gethostbyname('ok.example'); print(1, flush=True); input()
s = socket.socket(); s.setblocking(False); s.connect_ex((a, 80))
d = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
d.sendto(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\5other\\7example\\0\\0\\1\\0\\1', ('203.0.113.53', 53))
print(2, flush=True)`;
  const scratch = makeScratch(t, own, {'sends.py': sends});
  const world = await openWorld(scratch, own);
  if (typeof world === 'string') return skip(t, world);
  const child = world.start([...allowing('ok.example', 'plain.example:80'), 'python3 sends.py']);
  const all = collect(child, 60_000 * patience);
  await once(child.stdout!, 'data');
  const {relay} = relayBelow(child.pid!) ?? {};
  assert.ok(relay !== undefined, 'no relay');
  process.kill(relay, 'SIGSTOP');
  child.stdin!.end('\n');
  await once(child.stdout!, 'data');
  await sleep(200);
  process.kill(relay, 'SIGCONT');
  const {code, stderr} = await all;
  assert.equal(code, 0);
  assert.match(stderr, /could not reach "ok\.example:80"/);
  assert.match(stderr, /could not look up "other\.example"/);
});
