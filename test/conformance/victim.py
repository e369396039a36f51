"""What lies outside the sandbox and must not be reached: sockets of every kind, shared memory, and this process itself.

Prints one line of JSON with the names of it all, then serves until its standard input ends. Whoever connects gets "reached".
"""
import ctypes, itertools, json, os, select, signal, socket, sys

root = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)


def listening(family, address):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.bind(address)
    s.listen(64)
    return s


def datagram(family, address):
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.bind(address)
    return s


tag = os.path.basename(root)
streams = {
    'TCP': listening(socket.AF_INET, ('127.0.0.1', 0)),
    'SOCK': listening(socket.AF_UNIX, f'{root}/stream.sock'),
    'TMPSOCK': listening(socket.AF_UNIX, f'/tmp/{tag}.sock'),
    'ABSTRACT': listening(socket.AF_UNIX, f'\0{tag}'),
}
datagrams = {
    'UDP': datagram(socket.AF_INET, ('127.0.0.1', 0)),
    'TMPDGRAM': datagram(socket.AF_UNIX, f'/tmp/{tag}.dgram'),
}
os.chmod(f'/tmp/{tag}.sock', 0o777)
received = f'{root}/received'
open(received, 'w').close()
# Another terminal of the user. Both ends stay open.
_, terminal = os.openpty()
# The process shows received signals in its name.
signals = itertools.count()
signal.signal(signal.SIGURG, lambda *_: libc.prctl(15, b'urged%d' % next(signals)))
shm = libc.shmget(0, 4096, 0o1666)
print(json.dumps({
    'VICTIM': str(os.getpid()),
    'TCP': str(streams['TCP'].getsockname()[1]),
    'UDP': str(datagrams['UDP'].getsockname()[1]),
    'SOCK': f'{root}/stream.sock',
    'TMPSOCK': f'/tmp/{tag}.sock',
    'TMPDGRAM': f'/tmp/{tag}.dgram',
    'ABSTRACT': tag,
    'SHM': str(shm),
    'TERMINAL': os.ttyname(terminal),
}), flush=True)
while True:
    ready, _, _ = select.select([sys.stdin, *streams.values(), *datagrams.values()], [], [])
    for one in ready:
        if one is sys.stdin:
            libc.shmctl(shm, 0, None)
            for name in ('sock', 'dgram'):
                os.unlink(f'/tmp/{tag}.{name}')
            sys.exit()
        if one in streams.values():
            connection, _ = one.accept()
            try:
                connection.sendall(b'reached')
            except OSError:
                pass
            connection.close()
        else:
            text, sender = one.recvfrom(100)
            with open(received, 'a') as file:
                file.write(text.decode() + '\n')
            try:
                if sender:
                    one.sendto(b'reached', sender)
            except OSError:
                pass
