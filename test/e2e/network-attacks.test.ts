import {test} from 'node:test';
import {identities} from '../harness/identity.ts';
import {attackBoth, curl, python, worldFor, type NetworkAttack} from '../harness/network-scripts.ts';

/** `ask(LABELS, SERVER)`: the last address of an answer. Undefined if there is none. */
const asking = `def message(labels, kind=1):
    return b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + b''.join(bytes([len(l)]) + l for l in labels) + b'\\0' + struct.pack('>HH', kind, 1)
def answered(m):
    found = m.rfind(b'\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4')
    return socket.inet_ntoa(m[found + 10:found + 14]) if m[7] else None
def ask(labels, server='203.0.113.53'):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5)
    s.sendto(message(labels), (server, 53))
    return answered(s.recv(999))
def greet(address, family=socket.AF_INET):
    s = socket.socket(family); s.settimeout(5); s.connect((address, 22)); print(s.recv(99))
`;
const asks = (code: string): string => python(asking + code);

/** Each prints "reached" outside. Inside no script may print it. */
const attacks: readonly NetworkAttack[] = [
  {
    name: 'an allowed name whose answer has the address of another name',
    script: asks("greet(ask([b'foreign', b'example']))"),
  },
  {
    name: 'an allowed name that is an alias of a local one',
    script: 'timeout 5 cat </dev/tcp/alias-lan.example/22',
    want: 'network-local alias-lan.example at 10.9.8.7',
  },
  {
    name: 'a label with a dot in it',
    script: asks("if ask([b'a.wild', b'example']): print('reached')"),
  },
  {
    name: 'a label with a NUL in it',
    script: asks("if ask([b'other\\0', b'wild', b'example']): print('reached')"),
  },
  {
    name: 'the allowed name as the end of a label',
    script: asks("if ask([b'x-a.wild', b'example']): print('reached')"),
  },
  {
    name: 'a thousand names below a wildcard',
    script: asks(`s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3); count = 0
for i in range(1000):
    s.sendto(message([b'n%d' % i, b'wild', b'example']), ('203.0.113.53', 53))
    try:
        if answered(s.recv(999)): count += 1
    except TimeoutError: pass
    if count < i - 200: break
if count > 900: print('reached')`),
    want: 'network-many wild.example',
  },
  {
    name: 'an address as IPv6 writes it',
    script: asks("greet('::ffff:203.0.113.14', socket.AF_INET6)"),
    want: 'network-address [::ffff:203.0.113.14]:22',
  },
  {
    name: 'another name server by TCP',
    script: asks(`s = socket.create_connection(('203.0.113.14', 53), 5); s.settimeout(5)
m = message([b'other', b'example']); s.send(struct.pack('>H', len(m)) + m)
if answered(s.recv(999)): print('reached')`),
    want: 'network-address 203.0.113.14:53',
  },
  {
    name: "the machine's own name server by TCP",
    script: asks(`s = socket.create_connection(('203.0.113.53', 53), 5); s.settimeout(5)
m = message([b'other', b'example']); s.send(struct.pack('>H', len(m)) + m)
if answered(s.recv(999)[2:]): print('reached')`),
  },
  {
    name: 'the second name server of the machine',
    script: asks("if ask([b'other', b'example'], '203.0.113.54'): print('reached')"),
  },
  {
    name: 'a resolv.conf of its own',
    script: `printf 'nameserver 203.0.113.14\\n' >own.conf; unshare -rm bash -c 'mount --bind own.conf /etc/resolv.conf && ${curl} https://other.example/'`,
    rootOnly: true,
  },
  {
    name: 'ICMP',
    script: python(`s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); s.settimeout(2)
s.sendto(b'\\x08\\0\\xf7\\xff\\0\\0\\0\\0', ('203.0.113.10', 0))
if s.recv(99): print('reached')`),
    rootOnly: true,
  },
  {
    name: 'an address of its own',
    script: python(`import fcntl
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8916, struct.pack('16sHH4s8x', b'lo:99', socket.AF_INET, 0, socket.inet_aton('203.0.113.99')))
print('reached')`),
    rootOnly: true,
  },
  {
    name: 'a route of its own',
    script:
      python(`r = struct.pack('BBBBBBBBI', 2, 32, 0, 0, 255, 4, 254, 2, 0) + struct.pack('HH4sHHI', 8, 1, socket.inet_aton('203.0.113.98'), 8, 4, 1)
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
s.send(struct.pack('IHHII', 16 + len(r), 24, 0x405, 1, 0) + r)
if struct.unpack('i', s.recv(99)[16:20])[0] == 0: print('reached')`),
    rootOnly: true,
  },
];

const entries = [
  'ok.example',
  '*.wild.example',
  'foreign.example:22',
  'tcp://foreign.example:22',
  'tcp://alias-lan.example:22',
];

for (const as of identities) {
  test(`network names: attacks by names and by sockets (${as.name})`, async (t) => {
    const world = await worldFor(t, as);
    if (!world) return;
    await attackBoth({world, as, attacks, entries});
  });
}
