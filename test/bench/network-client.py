"""Prints milliseconds of a client as JSON: medians, but for the upload. Its servers are those of test/harness/network-world.py."""
import http.client, json, socket, ssl, statistics, time


def median_of(count, work):
    took = []
    for _ in range(count):
        before = time.perf_counter()
        work()
        took.append((time.perf_counter() - before) * 1e3)
    return statistics.median(took)


def greeting():
    with socket.create_connection(('203.0.113.12', 22), 10) as s:
        assert s.recv(100)


def one_fetch():
    c = http.client.HTTPSConnection('ok.example', context=context)
    c.request('GET', '/')
    assert b'reached' in c.getresponse().read()
    c.close()


def kept_fetch():
    kept.request('GET', '/')
    assert b'reached' in kept.getresponse().read()


def upload():
    size = 400 << 20
    with socket.create_connection(('ok.example', 80), 30) as s:
        s.sendall(b'POST / HTTP/1.1\r\nHost: ok.example\r\nContent-Length: %d\r\n\r\n' % size)
        for _ in range(size >> 20):
            s.sendall(block)
        assert s.recv(500)


context, block = ssl._create_unverified_context(), bytes(1 << 20)
socket.gethostbyname('plain.example')
kept = http.client.HTTPSConnection('ok.example', context=context)
print(json.dumps({
    'lookup': median_of(100, lambda: socket.gethostbyname('ok.example')),
    'greeting': median_of(200, greeting),
    'fetch': median_of(60, one_fetch),
    'kept': median_of(300, kept_fetch),
    'upload': median_of(2, upload),
}))
