import type {ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import {clientHello, connectRace} from '../harness/network-python.ts';
import type {Row} from './table.ts';

type Attack = Omit<Row, 'protection'>;

/** Names, addresses and servers of test/harness/network-world.py. Port 22 greets every client with "reached". */
const named = (config: string, name: string, script: string, more: Partial<Attack> = {}): Attack => ({
  name,
  script,
  config: `[sandbox.network]\n${config}\n`,
  servers: true,
  ...more,
});

const helpers = `import ctypes, socket, ssl, struct, sys
${clientHello}
def asks(address, pieces, wanted=b'\\x16\\x03', family=socket.AF_UNSPEC):
    s = socket.create_connection(address, 3); s.settimeout(3); s.setsockopt(6, 1, 1)
    for piece in pieces: s.send(piece)
    data = more = s.recv(200)
    while more and wanted not in data: more = s.recv(200); data += more
    assert wanted in data
def greeted(address, family=socket.AF_INET, protocol=0):
    s = socket.socket(family, socket.SOCK_STREAM, protocol); s.settimeout(3)
    s.connect(address)
    assert s.recv(100) == b'reached\\n'
def query(name, kind, server):
    labels = b''.join(bytes([len(l)]) + l.encode() for l in name.split('.')) + b'\\0'
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
    s.sendto(b'\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0' + labels + struct.pack('>HH', kind, 1), (server, 53))
    return s.recv(500)[7]
`;
const python = (code: string): string => `python3 - <<'END'\n${helpers}${code}\nEND`;
/** Reads the greeting, then closes the connection. */
const greets = (name: string, port = 22): string =>
  `read -rt 3 line </dev/tcp/${name}/${port} && [ "$line" = reached ]`;

const names =
  'allow = ["ok.example", "*.wild.example", "tcp://plain.example:22", "localhost:5432"]\ndeny = ["denied.wild.example"]';
const reaches = (name: string, script: string, more?: Partial<Attack>): Attack =>
  named(names, name, script, more);

const onlyPlain = (name: string, script: string): Attack =>
  named('allow = ["ok.example", "ok.example:80", "plain.example:22"]', name, script);

/** Without \`private = true\`, on all ports that the servers have. */
const local = (name: string, target: string, script = greets(target)): Attack =>
  named(`allow = ["tcp://${target}:22", "tcp://${target}:5432"]`, name, script);

/** Attacks on a network table, which need servers with names. */
export const nameRows: Partial<Record<ProtectionId, readonly Attack[]>> = {
  'network-names': [
    reaches('a name that is not listed', 'exec 3<>/dev/tcp/down.example/443'),
    reaches('a name below a wildcard that is denied', 'exec 3<>/dev/tcp/denied.wild.example/443'),
    reaches('look up a name that is not listed', 'getent ahosts down.example'),
    reaches(
      'look it up at the name server itself',
      python("assert query('down.example', 1, '203.0.113.53')"),
    ),
    reaches('look it up at another name server', python("assert query('down.example', 1, '203.0.113.14')")),
    reaches('text of an allowed name', python("assert query('ok.example', 16, '203.0.113.53')")),
    reaches('an address that no name led to', 'exec 3<>/dev/tcp/203.0.113.14/443'),
    reaches('such an address by IPv6', 'exec 3<>/dev/tcp/2001:db8:5::1/22'),
    reaches(
      'such an address, as IPv6 writes it',
      python("greeted(('::ffff:203.0.113.14', 22), socket.AF_INET6)"),
    ),
    reaches('such an address by MPTCP', python("greeted(('203.0.113.14', 22), protocol=262)")),
    reaches(
      'such an address by TCP fast open',
      python("s = socket.socket()\ns.sendto(b'x', 0x20000000, ('203.0.113.14', 22))\nassert s.recv(100)"),
    ),
    reaches(
      'such an address, which another thread writes over an allowed one',
      python(`${connectRace('203.0.113.14', 2, 'sys.exit(0)')}
sys.exit(1)`),
    ),
    reaches('another port of an allowed name', 'exec 3<>/dev/tcp/ok.example/22'),
    reaches('another port of this machine', 'exec 3<>/dev/tcp/127.0.0.1/22'),
    reaches(
      'a datagram to an allowed name',
      python(
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)\ns.connect((socket.gethostbyname('ok.example'), 443)); s.send(b'x')\nassert s.recv(99)",
      ),
    ),
    reaches(
      'a raw datagram to an allowed name',
      python(
        "s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 17)\ns.sendto(struct.pack('>HHHH', 9, 443, 9, 0) + b'x', ('203.0.113.10', 0))",
      ),
      {only: 'root'},
    ),
  ],
  'network-server-names': [
    onlyPlain(
      'another server name at an allowed address',
      python("asks(('ok.example', 443), [hello('other.example')])"),
    ),
    onlyPlain('no server name', python("asks(('ok.example', 443), [hello(None)])")),
    onlyPlain(
      'another server name in segments of seven bytes',
      python(
        "h = hello('other.example')\nasks(('ok.example', 443), [h[i:i + 7] for i in range(0, len(h), 7)])",
      ),
    ),
    onlyPlain(
      'another server name in records of one byte',
      python(
        "asks(('ok.example', 443), [b''.join(b'\\x16\\3\\1\\0\\1' + bytes([b]) for b in hello('other.example')[5:])])",
      ),
    ),
    onlyPlain('a server that speaks first, where TLS is allowed', greets('plain.example')),
    onlyPlain(
      'bytes that are not TLS',
      python("asks(('plain.example', 22), [b'SSH-2.0-x\\r\\n'], b'reached')"),
    ),
    onlyPlain(
      'another Host',
      python(
        "asks(('ok.example', 80), [b'GET / HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n'], b'reached')",
      ),
    ),
    onlyPlain('no Host', python("asks(('ok.example', 80), [b'GET / HTTP/1.0\\r\\n\\r\\n'], b'reached')")),
    onlyPlain(
      'two Hosts',
      python(
        "asks(('ok.example', 80), [b'GET / HTTP/1.1\\r\\nHost: ok.example\\r\\nHost: other.example\\r\\n\\r\\n'], b'reached')",
      ),
    ),
    onlyPlain(
      'another Host in the second request',
      python(
        "asks(('ok.example', 80), [b'GET / HTTP/1.1\\r\\nHost: ok.example\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n'], b'Content-Length: 28\\r\\n\\r\\nreached Host: other.example')",
      ),
    ),
    onlyPlain(
      'another Host in the body of a request that claims to have none',
      python(
        "asks(('ok.example', 80), [b'POST / HTTP/1.1\\r\\nHost: ok.example\\r\\nContent-Length: 0\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: other.example\\r\\n\\r\\n'], b'reached Host: other.example')",
      ),
    ),
    onlyPlain(
      'a URL of another host',
      python(
        "asks(('ok.example', 80), [b'GET http://other.example/ HTTP/1.1\\r\\nHost: ok.example\\r\\n\\r\\n'], b'reached')",
      ),
    ),
    onlyPlain(
      'a tunnel to another host',
      python(
        "asks(('ok.example', 80), [b'CONNECT other.example:443 HTTP/1.1\\r\\nHost: ok.example\\r\\n\\r\\n'], b'reached')",
      ),
    ),
  ],
  'network-local': [
    local('a name that leads to this machine', 'rebind.example', greets('rebind.example', 5432)),
    local('a name that leads to 0.0.0.0', 'any.example'),
    local('a name that leads to a local network', 'lan.example'),
    local(
      'a name that also leads to a local network',
      'mixed.example',
      python("assert '10.9.8.7' in socket.gethostbyname_ex('mixed.example')[2]\ngreeted(('10.9.8.7', 22))"),
    ),
    local('a name that leads to metadata of a cloud', 'link.example'),
    local('a name that leads to a local network by IPv6', 'unique.example'),
    local(
      'a name that leads to a mapped address',
      'mapped.example',
      python(
        "[a] = {a[4] for a in socket.getaddrinfo('mapped.example', 22, socket.AF_INET6)}\ngreeted(a, socket.AF_INET6)",
      ),
    ),
    local('a name that leads to a translated address', 'nat64.example'),
    local('a name that /etc/hosts leads to this machine', 'hosts.example', greets('hosts.example', 5432)),
    local('a name that /etc/hosts leads to a local network', 'hosts-lan.example'),
  ],
};
