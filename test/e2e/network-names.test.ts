import assert from 'node:assert/strict';
import {once} from 'node:events';
import {test} from 'node:test';
import {identities, testers} from '../harness/identity.ts';
import {connectRace} from '../harness/network-python.ts';
import {
  allowing,
  attackBoth,
  curl,
  python,
  reachedBy,
  together,
  worldFor,
  type NetworkAttack,
} from '../harness/network-scripts.ts';
import {compiled} from '../harness/native.ts';
import {patience} from '../harness/patience.ts';
import {relayBelow} from '../harness/relay-process.ts';
import {collect} from '../harness/run.ts';

/** Ordinary programs. Each prints "reached" as outside. */
const clients = [
  {name: 'curl', script: `${curl} https://ok.example/`},
  {name: 'curl over HTTP, two requests', script: `${curl} http://ok.example/ http://ok.example/`},
  {name: 'a name below a wildcard', script: `${curl} https://a.wild.example/`},
  {name: 'a name that is an alias', script: `${curl} https://alias.example/`},
  {name: 'a name whose answer does not fit a datagram', script: `${curl} https://long.example/`},
  {name: 'curl over IPv6', script: `${curl} -6 https://ok.example/`},
  {
    name: "node's fetch",
    script: `NODE_TLS_REJECT_UNAUTHORIZED=0 node -e "fetch('https://ok.example/').then((r) => r.text()).then(console.log)"`,
  },
  {
    name: "python's urllib",
    script: `python3 -c "import ssl, urllib.request; print(urllib.request.urlopen('https://ok.example/', context=ssl._create_unverified_context()).read())"`,
  },
  {
    name: "python's asyncio",
    script: `python3 -c "
import asyncio, ssl
async def main():
    r, w = await asyncio.open_connection('ok.example', 443, ssl=ssl._create_unverified_context())
    w.write(b'GET / HTTP/1.1\\r\\nHost: ok.example\\r\\n\\r\\n'); print(await r.readuntil(b'\\n\\r'[:1])); print(await r.read(200))
asyncio.run(main())"`,
  },
  {
    name: 'openssl',
    script: `printf 'GET / HTTP/1.1\\r\\nHost: ok.example\\r\\n\\r\\n' | timeout 20 openssl s_client -quiet -connect ok.example:443 -servername ok.example 2>/dev/null | grep -m1 reached; true`,
  },
  {
    name: 'a hello in records of one byte',
    script: python(
      "h = hello('ok.example')[5:]\nreach(('ok.example', 443), [b''.join(b'\\x16\\x03\\x01\\0\\1' + bytes([b]) for b in h)])",
    ),
  },
  {
    name: 'a hello in segments of seven bytes',
    script: python(
      "h = hello('ok.example')\nreach(('ok.example', 443), [h[i:i + 7] for i in range(0, len(h), 7)])",
    ),
  },
  {name: 'any protocol on a tcp:// entry', script: 'timeout 3 cat </dev/tcp/plain.example/22; true'},
  {name: 'a port of this machine', script: 'timeout 3 cat </dev/tcp/127.0.0.1/5432; true'},
  {
    name: 'a large upload',
    script: `head -c 2000000 /dev/zero | ${curl} --data-binary @- https://ok.example/`,
  },
  {
    name: 'a chunked upload over HTTP',
    script: `head -c 300000 /dev/zero | ${curl} -H 'Transfer-Encoding: chunked' -H Expect: -T - http://ok.example/ http://ok.example/ | tail -1`,
    outside: false,
  },
];

/** Each prints "reached" outside. Inside no script may print it. */
const attacks: readonly NetworkAttack[] = [
  {name: 'another name', script: `${curl} https://other.example/`, want: 'network-name other.example'},
  {name: 'an address', script: `${curl} https://203.0.113.12/`, want: 'network-address 203.0.113.12:443'},
  {
    name: 'another server name at an allowed address',
    script: `getent ahostsv4 ok.example >/dev/null; ${curl} --resolve other.example:443:203.0.113.10 https://other.example/`,
    want: 'network-server-name other.example at ok.example:443',
  },
  {
    name: 'no server name',
    script: `getent ahostsv4 ok.example >/dev/null; ${curl} https://203.0.113.10/`,
    want: 'network-no-name ok.example:443',
  },
  {
    name: 'a server name with a NUL',
    script: python(
      "socket.gethostbyname('ok.example')\nh = hello('ok.exampl0')\nreach(('203.0.113.10', 443), [h.replace(b'ok.exampl0', b'ok.exampl\\0')])",
    ),
    want: 'network-no-name ok.example:443',
    fails: true,
  },
  {
    name: 'an encrypted server name',
    script: python(`socket.gethostbyname('ok.example')
h = hello('ok.example')
n = struct.unpack('>H', h[3:5])[0] + 8
e = h.rindex(b'\\0\\x2b') if b'\\0\\x2b' in h else 0
x = 5 + 4 + 2 + 32; x += 1 + h[x]; x += 2 + struct.unpack('>H', h[x:x + 2])[0]; x += 1 + h[x]
size = struct.unpack('>H', h[x:x + 2])[0] + 8
h = h[:3] + struct.pack('>H', n) + h[5:6] + struct.pack('>I', n - 4)[1:] + h[9:x] + struct.pack('>H', size) + h[x + 2:] + b'\\xfe\\x0d\\0\\4abcd'
reach(('ok.example', 443), [h])`),
    want: 'network-ech ok.example:443',
    fails: true,
  },
  {
    name: 'another Host',
    script: `${curl} -H 'Host: other.example' http://ok.example/`,
    want: 'network-host other.example at ok.example:80',
  },
  {
    name: 'another Host in the second request',
    script:
      "exec 3<>/dev/tcp/ok.example/80; printf 'GET / HTTP/1.1\\r\\nHost: ok.example\\r\\n\\r\\n' >&3; head -3 <&3 >/dev/null; printf 'GET / HTTP/1.1\\r\\nHost: second.example\\r\\n\\r\\n' >&3; timeout 5 grep -m1 second <&3",
    want: 'network-host second.example at ok.example:80',
  },
  {
    name: 'a whole URL for another host',
    script:
      "exec 3<>/dev/tcp/ok.example/80; printf 'GET http://other.example/ HTTP/1.1\\r\\nHost: ok.example\\r\\n\\r\\n' >&3; timeout 2 cat <&3",
    want: 'network-no-name ok.example:80',
  },
  {name: 'another port', script: `${curl} https://ok.example:8443/`, want: 'network-port ok.example:8443'},
  {
    name: 'no TLS on a TLS entry',
    script: python(
      "s = socket.create_connection(('a.wild.example', 443), 5); s.send(b'GET / HTTP/1.0\\r\\n\\r\\n'); s.settimeout(5)\nif s.recv(9): print('reached')",
    ),
    want: 'network-no-tls a.wild.example:443',
    fails: true,
  },
  {
    name: 'a name of this machine',
    script: 'timeout 2 cat </dev/tcp/rebind.example/5432',
    want: 'network-local rebind.example at 127.0.0.1',
  },
  {
    name: 'a name of the local network',
    script: `${curl} https://lan.example/`,
    want: 'network-local lan.example at 10.9.8.7',
  },
  {
    name: 'a mapped address',
    script: `${curl} -6 https://mapped.example/`,
    want: 'network-local mapped.example at 10.9.8.7',
    fails: true,
  },
  {name: 'a port of this machine that is not listed', script: `${curl} http://127.0.0.1:80/`},
  {
    name: 'a datagram',
    script: python(
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)\ns.sendto(b'x', ('203.0.113.10', 443)); print(s.recv(99))",
    ),
    want: 'network-datagram 203.0.113.10:443',
  },
  {
    name: 'QUIC to an allowed name',
    script: python(
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)\ns.connect((socket.gethostbyname('ok.example'), 443)); s.send(b'x'); print(s.recv(99))",
    ),
  },
  {
    name: 'another name server',
    script: python(
      "q = b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\5other\\7example\\0\\0\\1\\0\\1'\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)\ns.sendto(q, ('203.0.113.12', 53)); print('reached' if s.recv(99)[7] else '')",
    ),
  },
  {
    name: 'text records',
    script: python(
      "q = b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\2ok\\7example\\0\\0\\x10\\0\\1'\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)\ns.sendto(q, ('203.0.113.53', 53)); print(s.recv(199))",
    ),
  },
  {
    name: 'the first data with the connection',
    script: python(
      "s = socket.socket(); s.settimeout(5); s.sendto(b'GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', 0x20000000, ('203.0.113.12', 80)); print(s.recv(99))",
    ),
    fails: true,
  },
  {
    name: 'a socket bound to the device',
    script: python(
      "s = socket.socket(); s.setsockopt(1, 25, b'lo\\0'); s.settimeout(2); s.connect(('203.0.113.12', 22)); print(s.recv(99))",
    ),
  },
  {
    name: 'a raw socket',
    script: python("socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('reached')"),
    rootOnly: true,
  },
  {
    name: 'a packet socket',
    script: python("socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3); print('reached')"),
    rootOnly: true,
  },
  {
    name: 'a transparent socket',
    script: python("s = socket.socket(); s.setsockopt(0, 19, 1); print('reached')"),
    rootOnly: true,
  },
  {
    name: 'a mark',
    script: python("s = socket.socket(); s.setsockopt(1, 36, 1); print('reached')"),
    rootOnly: true,
  },
  {
    name: 'SCTP',
    script: python(
      "s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132); s.connect(('203.0.113.12', 22)); print('reached')",
    ),
    fails: true,
  },
  {
    name: 'an address that a second thread changes',
    script: python(connectRace('203.0.113.12', 1.5, "print('reached'); break")),
  },
];

const entries = [
  'ok.example',
  'ok.example:80',
  'alias.example',
  'long.example',
  '*.wild.example',
  'rebind.example',
  'rebind.example:5432',
  'lan.example',
  'mapped.example',
  'tcp://plain.example:22',
  'localhost:5432',
];

for (const as of testers)
  test(`network names: programs reach what is listed, unchanged (${as.name})`, async (t) => {
    const world = await worldFor(t, as);
    if (!world) return;
    const {stdout, stderr} = await world.ion([...allowing(...entries), together(clients)]);
    for (const [n, {name}] of clients.entries())
      assert.ok(reachedBy(stdout, n), `${name}: ${stdout}${stderr}`);
    assert.doesNotMatch(stderr, /blocked/);
  });

test('network names: when the relay is killed the network is closed, and that is reported once', async (t) => {
  const world = await worldFor(t);
  if (!world) return;
  const ask = `${curl} --max-time 5 https://ok.example/`;
  const child = world.start([...allowing('ok.example'), `${ask}; read -r _; ${ask}; ${ask}; echo "code $?"`]);
  const all = collect(child, 120_000 * patience);
  await once(child.stdout!, 'data');
  const relay = relayBelow(child.pid!)?.relay;
  assert.ok(relay !== undefined, 'no relay');
  process.kill(relay, 'SIGKILL');
  child.stdin!.end('\n');
  const {stdout, stderr} = await all;
  assert.match(stdout, /^reached.*\ncode (?!0$)\d+\n$/, stdout + stderr);
  assert.equal(stderr.split('the relay has ended, so the network is closed').length, 2, stderr);
});

test('network names: connections to the name server that stay silent leave the others their network', async (t) => {
  const world = await worldFor(t);
  if (!world) return;
  const silent = `import subprocess
held = [socket.create_connection(('203.0.113.53', 53), 5) for _ in range(400)]
print(len(held), flush=True)
subprocess.run(${JSON.stringify(`${curl} https://ok.example/`.split(' '))})`;
  const {stdout, stderr} = await world.ion([...allowing('ok.example'), python(silent)], {
    through: ['prlimit', '--nofile=440:440', '--'],
  });
  assert.match(stdout, /^400\nreached/, stdout + stderr);
});

test('network names: where a connection cannot be opened from the other side, it is accepted first', async (t) => {
  const world = await worldFor(t);
  if (!world) return;
  const setsockopt = process.arch === 'arm64' ? 208 : 54;
  const reusePort = `${setsockopt}:1:2:is:15`;
  // No server is on port 8081. If the relay opens connections exactly, connect(2) fails as outside.
  const refused = 'https://other.example/ https://ok.example:8443/';
  const {stdout, stderr} = await world.ion(
    [
      ...allowing('ok.example', 'ok.example:80', 'ok.example:8081', 'tcp://plain.example:22'),
      '--json',
      `${curl} https://ok.example/ http://ok.example/; timeout 3 cat </dev/tcp/plain.example/22; (: 3<>/dev/tcp/ok.example/8081) && echo opened; ${curl} ${refused}; echo "refused $?"`,
    ],
    {through: [compiled('deny-syscalls.c'), reusePort, '--']},
  );
  assert.match(stdout, /^reached.*\nreached.*\nreached\nopened\nrefused (?!0$)\d+\n$/, stdout + stderr);
  assert.match(stderr, /"other\.example"/);
  assert.match(stderr, /"connections":"accepted first"\}\n$/);
});

test('network names: a refused name is not reported again with a search domain', async (t) => {
  const world = await worldFor(t);
  if (!world) return;
  const {stderr} = await world.ion([
    ...allowing('ok.example'),
    'getent ahosts other.example; getent ahosts bare',
  ]);
  assert.match(stderr, /"other\.example"/);
  // For a name without a dot, the resolver first asks for the name with the domain.
  assert.match(stderr, /"bare\.corp\.example"/);
  assert.doesNotMatch(stderr, /other\.example\.corp/);
});

test('network names: with "*" the closing lines list what was reached', async (t) => {
  const world = await worldFor(t);
  if (!world) return;
  const {stderr} = await world.ion([
    ...allowing('*', 'tcp://plain.example:22'),
    `${curl} https://ok.example/ http://ok.example/ https://a.wild.example/ >/dev/null`,
  ]);
  assert.match(
    stderr,
    /help: instead of "\*": sandbox\.network\.allow = \["tcp:\/\/plain\.example:22", "a\.wild\.example", "ok\.example", "ok\.example:80"\]\n/,
  );
});

for (const as of identities) {
  test(`network names: nothing else is reached (${as.name})`, async (t) => {
    const world = await worldFor(t, as);
    if (!world) return;
    const records = await attackBoth({world, as, attacks, entries});
    const byName = records.find(({rule}) => rule === 'network-server-name');
    assert.deepEqual([byName?.name, byName?.address, byName?.port], ['other.example', '203.0.113.10', 443]);
    // A program may have ended when the kernel itself refuses a port.
    assert.ok(records.filter(({program}) => program).length > records.length / 2, JSON.stringify(records));
  });
}
