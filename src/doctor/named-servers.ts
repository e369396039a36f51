import {execa} from 'execa';

/**
 * Runs a program in a network namespace with servers, instead of the machine's network. It has the addresses of the machine's
 * own name servers, where it answers the names below. At each address of a name, ports 80 and 443 answer "reached" to any bytes.
 * Exits as the program does, or with 77 where this machine does not grant the namespace.
 */
const world = `
import ctypes, fcntl, os, socket, struct, subprocess, sys, threading
NAMES = {'allowed.example': '203.0.113.1', 'other.example': '203.0.113.2', 'local.example': '10.255.255.1',
         'machine.example': '127.0.0.1', 'link.example': '169.254.169.254'}
NEW_USER, NEW_NET = 0x10000000, 0x40000000
SET_FLAGS, SET_ADDRESS, SET_MASK = 0x8914, 0x8916, 0x891c

def enter():
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    ids = [('uid_map', os.geteuid()), ('gid_map', os.getegid())]
    if os.geteuid() == 0 and unshare(NEW_NET) == 0:
        return
    if unshare(NEW_USER | NEW_NET) != 0:
        sys.exit(77)
    for name, text in [('setgroups', 'deny')] + [(name, '%d %d 1' % (id, id)) for name, id in ids]:
        with open('/proc/self/' + name, 'w') as f:
            f.write(text)

def name_servers():
    with open('/etc/resolv.conf') as f:
        return [words[1] for words in map(str.split, f) if len(words) > 1 and words[0] == 'nameserver']

def add(number, address):
    if address.startswith('127.') or address == '::1':
        return
    if ':' in address:
        request = socket.inet_pton(socket.AF_INET6, address) + struct.pack('Ii', 128, 1)
        fcntl.ioctl(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM), SET_ADDRESS, request)
        return
    for request, value in (SET_ADDRESS, address), (SET_MASK, '255.255.255.255'):
        given = struct.pack('16sHH4s8x', b'lo:%d' % number, socket.AF_INET, 0, socket.inet_aton(value))
        fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), request, given)

def answer_names(s):
    while True:
        query, peer = s.recvfrom(512)
        at, labels = 12, []
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        address = NAMES.get('.'.join(labels).lower())
        found = address is not None and query[at + 1:at + 3] == b'\\0\\1'
        head = query[:2] + (b'\\x81\\x80' if address else b'\\x81\\x83') + struct.pack('>HHHH', 1, found, 0, 0)
        record = b'\\xc0\\x0c' + struct.pack('>HHIH', 1, 1, 60, 4) + socket.inet_aton(address) if found else b''
        s.sendto(head + query[12:at + 5] + record, peer)

def answer(connection):
    try:
        if connection.recv(2000):
            connection.sendall(b'reached\\n')
        while connection.recv(2000):
            pass  # closed with bytes unread, it would be reset
    except OSError:
        pass
    connection.close()

def serve(s):
    while True:
        threading.Thread(target=answer, args=(s.accept()[0],), daemon=True).start()

def listen(kind, host, port):
    s = socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if ':' in host:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    s.bind((host, port))
    if kind == socket.SOCK_STREAM:
        s.listen(20)
    threading.Thread(target=answer_names if kind == socket.SOCK_DGRAM else serve, args=(s,), daemon=True).start()

try:
    enter()
    up = struct.pack('16sH14x', b'lo', 1)
    fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), SET_FLAGS, up)
    for number, address in enumerate([*NAMES.values(), *name_servers()]):
        try:
            add(number, address)
        except OSError:
            pass
    listen(socket.SOCK_DGRAM, '0.0.0.0', 53)
    if any(':' in address for address in name_servers()):
        listen(socket.SOCK_DGRAM, '::', 53)
    for port in 80, 443:
        listen(socket.SOCK_STREAM, '0.0.0.0', port)
except OSError:
    sys.exit(77)
sys.exit(subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode)
`;

const longestMs = 20_000;

export interface AmongServers {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Returns the exit code of the program: 77 where there can be no such servers. */
export async function runAmongServers(
  argv: readonly string[],
  {cwd, environment}: AmongServers,
): Promise<number> {
  const {exitCode} = await execa('/usr/bin/python3', ['-I', '-c', world, ...argv], {
    cwd,
    env: environment,
    extendEnv: false,
    stdio: 'ignore',
    timeout: longestMs,
    reject: false,
  });
  return exitCode ?? nothingToAttack;
}

const nothingToAttack = 77;

/** Bash: connects, sends these bytes, and succeeds if the server has answered. */
const asks = (name: string, port: number, bytes: Buffer): string => {
  const escaped = [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  return `( exec 3<>/dev/tcp/${name}/${port} && printf '${escaped}' >&3 && read -rt 5 line <&3 && [ "$line" = reached ] ) 2>/dev/null`;
};

export const asksWeb = (name: string, host = name): string =>
  asks(name, 80, Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`));

export const asksTls = (name: string, serverName = name): string => asks(name, 443, clientHello(serverName));

/** The attack counts only where the servers can be reached as the table allows it. */
export const afterAllowed = (allowed: string, attack: string): string => `${allowed} || exit 77\n${attack}`;

const sized = (bytes: number, content: Buffer): Buffer => {
  const length = Buffer.alloc(bytes);
  length.writeUIntBE(content.length, 0, bytes);
  return Buffer.concat([length, content]);
};

/** The shortest ClientHello with a server name (RFC 8446, 4.1.2; RFC 6066, 3). */
function clientHello(serverName: string): Buffer {
  const name = sized(2, Buffer.concat([Buffer.from([0]), sized(2, Buffer.from(serverName))]));
  const extensions = Buffer.concat([Buffer.from([0, 0]), sized(2, name)]);
  const cipherSuites = sized(2, Buffer.from([0x13, 0x01]));
  const body = [Buffer.from([3, 3]), Buffer.alloc(32), Buffer.from([0]), cipherSuites, Buffer.from([1, 0])];
  const message = Buffer.concat([Buffer.from([1]), sized(3, Buffer.concat([...body, sized(2, extensions)]))]);
  return Buffer.concat([Buffer.from([0x16, 3, 1]), sized(2, message)]);
}
