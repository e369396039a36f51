import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isWhole} from '../harness/extent.ts';
import {own} from '../harness/identity.ts';
import {skip} from '../harness/must-run.ts';
import {openWorld} from '../harness/network-world.ts';
import {makeScratch} from '../harness/scratch.ts';

const allow = (...entries: string[]): string[] => [
  'run',
  '--set',
  `sandbox.network.allow=${JSON.stringify(entries)}`,
];

const runs = 20;
const fetchesEach = 20;

/** Ten processes, each with a new connection, then ten connections of one process. */
const fetches = `import ssl, subprocess, sys, urllib.request
c = ssl._create_unverified_context()
for n in range(${fetchesEach}):
    if n % 2: print(urllib.request.urlopen('https://ok.example/', context=c, timeout=60).read().decode(), end='')
    else: print(subprocess.run(['curl', '-sSk', '--max-time', '60', 'https://a.wild.example/'], capture_output=True, text=True, check=True).stdout, end='')
`;

test(`network names: ${runs} runs at once, each with ${fetchesEach} fetches, without a failure`, async (t) => {
  if (!isWhole) return t.skip('only in the whole suite (.ci/run whole)');
  const world = await openWorld(makeScratch(t, own), own);
  if (typeof world === 'string') return skip(t, world);
  const script = `python3 - <<'END'\n${fetches}END`;
  const all = await Promise.all(
    Array.from({length: runs}, () => world.ion([...allow('ok.example', '*.wild.example'), script])),
  );
  const failed = all.filter(
    ({code, stdout}) => code !== 0 || stdout.split('reached').length !== fetchesEach + 1,
  );
  assert.deepEqual(
    failed.map(({code, stderr}) => `${code}: ${stderr}`),
    [],
  );
});

/** Attacks of a hostile run on the relay. Each prints nothing; afterwards a fetch must still work. */
const storms: readonly {readonly name: string; readonly code: string}[] = [
  {
    name: 'refused names',
    code: `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5); s.connect(('203.0.113.53', 53))
for n in range(COUNT):
    name = b'n%d' % n
    s.send(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + bytes([len(name)]) + name + b'\\4evil\\7example\\0\\0\\1\\0\\1'); s.recv(500)`,
  },
  {
    name: 'datagrams',
    code: `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(COUNT):
    try: s.sendto(os.urandom(n % 100), ('203.0.113.53', 53))
    except OSError: pass`,
  },
  {
    name: 'connections that are closed at once',
    code: `a = socket.gethostbyname('ok.example')
for n in range(COUNT // 4):
    s = socket.socket(); s.setblocking(False); s.connect_ex((a, 443)); s.close()`,
  },
  {
    name: 'changed hellos',
    code: `c = ssl._create_unverified_context(); i, o = ssl.MemoryBIO(), ssl.MemoryBIO()
t = c.wrap_bio(i, o, server_hostname='ok.example')
try: t.do_handshake()
except ssl.SSLWantReadError: pass
hello, random = o.read(), random.Random(1)
for n in range(COUNT // 40):
    h = bytearray(hello)
    for _ in range(1 + n % 4): h[random.randrange(len(h))] = random.randrange(256)
    s = socket.create_connection(('ok.example', 443), 20); s.send(h[:random.randrange(1, len(h) + 1)]); s.close()`,
  },
  {
    name: 'connections that stay silent',
    code: `a = socket.gethostbyname('ok.example')
held = []
for n in range(900):
    try: s = socket.socket(); s.setblocking(False); s.connect_ex((a, 443)); held.append(s)
    except OSError: break
time.sleep(1)
for s in held[::2]: s.close()`,
  },
];

for (const {name, code} of storms)
  test(`network names: the relay outlives a storm of ${name}`, async (t) => {
    const world = await openWorld(makeScratch(t, own), own);
    if (typeof world === 'string') return skip(t, world);
    const count = isWhole ? 20_000 : 2000;
    const script = `python3 - <<'END'\nimport os, random, socket, ssl, time\n${code.replaceAll('COUNT', String(count))}\nEND
curl -sSk --max-time 60 https://ok.example/`;
    const {stdout, stderr} = await world.ion([...allow('ok.example'), script]);
    assert.match(stdout, /^reached/, stderr.slice(-2000));
    // One line for each target, so that many attempts do not fill the terminal.
    assert.ok(
      stderr.split('\n').length < 200,
      `${stderr.split('\n').length} lines: ${stderr.slice(0, 2000)}`,
    );
  });
