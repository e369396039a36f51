"""Servers for tests of network names, in the network and mount namespaces that it is started in.

usage: network-world.py FOLDER, which holds cert.pem and key.pem and gets resolv.conf and hosts. Prints "ready". The names are in ZONE.
Every server answers "reached".
"""
import ctypes, fcntl, io, os, socket, ssl, struct, sys, threading, zipfile

FOLDER = sys.argv[1]
ZONE = {
    'ok.example': ['203.0.113.10', '2001:db8:5::1'],
    'other.example': ['203.0.113.10'],
    'a.wild.example': ['203.0.113.11'],
    'plain.example': ['203.0.113.12'],
    'rebind.example': ['127.0.0.1'],
    'mapped.example': ['::ffff:10.9.8.7'],
    'nat64.example': ['64:ff9b::a09:807'],
    'lan.example': ['10.9.8.7'],
    'unique.example': ['fd00:9::7'],
    'link.example': ['169.254.169.254'],
    'any.example': ['0.0.0.0'],
    'mixed.example': ['203.0.113.12', '10.9.8.7'],
    'denied.wild.example': ['203.0.113.14'],
    'down.example': ['203.0.113.14'],
    'long.example': ['203.0.113.11'],
}
# A name that is an alias.
ALIASES = {'alias.example': 'ok.example', 'alias-lan.example': 'lan.example'}
# The answer has an address of another name.
FOREIGN = {'foreign.example': 'other.example'}
# The answer does not fit a datagram.
LONG = ['long.example']
ADDRESSES = ['203.0.113.10', '203.0.113.11', '203.0.113.12', '203.0.113.14', '203.0.113.53', '203.0.113.54',
             '10.9.8.7',
             '169.254.169.254', '2001:db8:5::1', 'fd00:9::7', '64:ff9b::a09:807']
HOSTS = '127.0.0.1 localhost hosts.example\n10.9.8.7 hosts-lan.example\n'


def set_up():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(s, 0x8914, struct.pack('16sH14x', b'lo', 1))  # SIOCSIFFLAGS: up
    s6 = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    for n, address in enumerate(ADDRESSES):
        if ':' in address:
            fcntl.ioctl(s6, 0x8916, socket.inet_pton(socket.AF_INET6, address) + struct.pack('Ii', 128, 1))
            continue
        name, family = ('lo:%d' % n).encode(), struct.pack('HH', socket.AF_INET, 0)
        fcntl.ioctl(s, 0x8916, struct.pack('16s', name) + family + socket.inet_aton(address) + bytes(8))
        fcntl.ioctl(s, 0x891C, struct.pack('16s', name) + family + bytes([255] * 4) + bytes(8))
    libc = ctypes.CDLL(None, use_errno=True)
    for name, text in [('resolv.conf', 'nameserver 203.0.113.53\nnameserver 203.0.113.54\nsearch corp.example\n'), ('hosts', HOSTS)]:
        with open(FOLDER + '/' + name, 'w') as f:
            f.write(text)
        if libc.mount((FOLDER + '/' + name).encode(), ('/etc/' + name).encode(), None, 0x1000, None):
            sys.exit('bind: %s' % os.strerror(ctypes.get_errno()))


def wire(name):
    return b''.join(bytes([len(label)]) + label.encode() for label in name.split('.')) + b'\0'


def record(owner, kind, data):
    return owner + struct.pack('>HHIH', kind, 1, 60, len(data)) + data


def reply(m, is_datagram):
    at, labels = 12, []
    while m[at]:
        labels.append(m[at + 1:at + 1 + m[at]].decode('latin1'))
        at += 1 + m[at]
    name, kind = '.'.join(labels).lower(), struct.unpack('>H', m[at + 1:at + 3])[0]
    owner, records = b'\xc0\x0c', []
    if name in ALIASES:
        target = ALIASES[name]
        records.append(record(owner, 5, wire(target)))
        name, owner = target, wire(target)
    if name in FOREIGN:
        name, owner = FOREIGN[name], wire(FOREIGN[name])
    addresses = ZONE.get(name, ['203.0.113.11'] if name.endswith('.wild.example') else [])
    known = addresses or kind == 16
    for address in addresses:
        if kind == (28 if ':' in address else 1):
            records.append(record(owner, kind, socket.inet_pton(socket.AF_INET6 if kind == 28 else socket.AF_INET, address)))
    if kind == 16:
        records.append(record(owner, kind, b'\x07reached'))
    cut = is_datagram and name in LONG
    flags = bytes([0x83 if cut else 0x81, 0x80 if known else 0x83])
    records = [] if cut else records
    return m[:2] + flags + struct.pack('>HHHH', 1, len(records), 0, 0) + m[12:at + 5] + b''.join(records)


def dns():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(('0.0.0.0', 53))
    while True:
        m, peer = s.recvfrom(2048)
        s.sendto(reply(m, True), peer)


def dns_stream(connection):
    while True:
        size = connection.recv(2, socket.MSG_WAITALL)
        if len(size) < 2:
            return
        answer = reply(connection.recv(struct.unpack('>H', size)[0], socket.MSG_WAITALL), False)
        connection.sendall(struct.pack('>H', len(answer)) + answer)


def archive(files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, 'w') as z:
        for name, text in files.items():
            z.writestr(name, text)
    return held.getvalue()


# For git (a repository that is plain files), pip and go. Every other path has "reached" and the Host.
FILES = {
    '/x.git/info/refs': b'a' * 40 + b'\trefs/heads/reached\n',
    '/x.git/HEAD': b'ref: refs/heads/reached\n',
    '/simple/reached/': b'<a href="/reached-1.0-py3-none-any.whl">reached</a>',
    '/reached-1.0-py3-none-any.whl': archive({
        'reached.py': 'print("reached")\n',
        'reached-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: reached\nVersion: 1.0\n',
        'reached-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        'reached-1.0.dist-info/RECORD': ''}),
    '/reached.example/m/@v/v1.0.0.info': b'{"Version":"v1.0.0"}',
    '/reached.example/m/@v/v1.0.0.mod': b'module reached.example/m\n',
    '/reached.example/m/@v/v1.0.0.zip': archive({'reached.example/m@v1.0.0/go.mod': 'module reached.example/m\n'}),
}


def requests(connection):
    data = b''
    while True:
        while b'\r\n\r\n' not in data:
            more = connection.recv(4096)
            if not more:
                return
            data += more
        head, data = data.split(b'\r\n\r\n', 1)
        length = [int(l.split(b':')[1]) for l in head.split(b'\r\n') if l.lower().startswith(b'content-length')]
        for size in length:
            left = size - len(data)
            while left > 0:
                left -= len(connection.recv(65536))
            data = data[size:]
        if b'chunked' in head.lower():
            while b'0\r\n\r\n' not in data:
                data = data[-8:] + connection.recv(65536)
            data = b''
        host = [l for l in head.split(b'\r\n') if l.lower().startswith(b'host:')]
        path = head.split(b' ')[1].decode('latin1').split('?')[0]
        body = FILES.get(path, b'reached ' + b' '.join(host) + b'\n')
        kind = b'text/html' if body.startswith(b'<') else b'text/plain'
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n' % (kind, len(body)) + body)


def serve(port, tls=False, handler=requests, family=socket.AF_INET6, host='::'):
    s = socket.socket(family)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((host, port))
    s.listen(200)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER + '/cert.pem', FOLDER + '/key.pem')

    def one(connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            handler(context.wrap_socket(connection, server_side=True) if tls else connection)
        except Exception:
            pass
        connection.close()
    while True:
        threading.Thread(target=one, args=(s.accept()[0],), daemon=True).start()


def greet(connection):
    connection.sendall(b'reached\n')
    connection.recv(1)
    # A close with unread bytes is a reset, which can overtake the greeting.
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(999):
        pass


def echo():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(('0.0.0.0', 443))
    while True:
        s.sendto(b'reached', s.recvfrom(2048)[1])


set_up()
for target, args in [(dns, ()), (echo, ()), (serve, (443, True)), (serve, (8443, True)), (serve, (80,)),
                     (serve, (22, False, greet)), (serve, (53, False, dns_stream)),
                     (serve, (5432, False, greet, socket.AF_INET, '127.0.0.1'))]:
    threading.Thread(target=target, args=args, daemon=True).start()
for port in 443, 8443, 80, 22, 53, 5432:
    for _ in range(200):
        try:
            socket.create_connection(('127.0.0.1', port), 1).close()
            break
        except OSError:
            threading.Event().wait(0.02)
print('ready', flush=True)
sys.stdin.read()
