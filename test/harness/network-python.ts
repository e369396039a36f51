/** Python that attacks on a network table share: the conformance table and the end-to-end tests run it. */

/** Needs `ssl`. `hello(NAME)`: the bytes of a ClientHello for this server name. */
export const clientHello = `def hello(name):
    c = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE
    i, o = ssl.MemoryBIO(), ssl.MemoryBIO()
    t = c.wrap_bio(i, o, server_hostname=name)
    try: t.do_handshake()
    except ssl.SSLWantReadError: pass
    return o.read()`;

/**
 * Needs `socket` and `struct`. Connects again and again while a second thread writes `address` over that of ok.example.
 * Runs `won` once such a connection led to `address`.
 */
export const connectRace = (
  address: string,
  seconds: number,
  won: string,
): string => `import ctypes, threading, time
libc = ctypes.CDLL(None)
good, bad = socket.inet_aton(socket.gethostbyname('ok.example')), socket.inet_aton('${address}')
a = ctypes.create_string_buffer(struct.pack('=H', 2) + struct.pack('!H', 443) + good + bytes(8), 16)
def swap():
    n = 0
    while True: a[4:8] = (bad, good)[n % 2]; n += 1
threading.Thread(target=swap, daemon=True).start()
end = time.time() + ${seconds}
while time.time() < end:
    s = socket.socket()
    if libc.connect(s.fileno(), a, 16) == 0 and s.getpeername()[0] == '${address}': ${won}
    s.close()`;
