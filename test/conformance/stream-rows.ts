import type {ProtectionId} from '../../src/sandbox/matrix/matrix.ts';
import type {Row} from './table.ts';

type Attack = Omit<Row, 'protection'>;

/** The program is on another descriptor, because the attacks target the standard streams. */
const python = (code: string): string =>
  `exec 9<<'END'\nimport ctypes, fcntl, mmap, os, socket, struct, sys, threading, time\nlibc = ctypes.CDLL(None, use_errno=True)\ne = os.environ\ndef call(*a):\n    r = libc.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])\n    if r < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n    return r\n${code}\nEND\npython3 /dev/fd/9`;

const writes = (open: string): string => python(`os.write(${open}, b'x')`);
const reads = (open: string): string => python(`sys.exit(os.read(${open}, 6) != b'secret')`);
const x86 = process.arch !== 'arm64';
const number = (x64: number, arm64: number): number => (x86 ? x64 : arm64);
const pwritev2 = number(328, 287);
const ioSetup = number(206, 0);
const ioSubmit = number(209, 2);

/** Attacks that open a stream of the run again, to use it for another purpose than it was given for. */
export const streamRows: Partial<Record<ProtectionId, readonly Attack[]>> = {
  streams: [
    {name: 'a pipe, to read and write', given: 'piped', script: ': <> /dev/stdin'},
    {
      name: 'a pipe, by /dev/fd under another number',
      given: 'piped',
      script: 'exec 7<&0; echo x > /dev/fd/7',
    },
    {
      name: 'a pipe, by a link in the workspace to a link',
      given: 'piped',
      script: 'ln -s /proc/self/fd l; ln -s l/0 m; echo x > m',
    },
    {
      name: 'a pipe, by a descriptor that is only a name',
      given: 'piped',
      script: writes('os.open("/proc/self/fd/%d" % os.open("/proc/self/fd/0", os.O_PATH), os.O_WRONLY)'),
    },
    {
      name: 'a pipe, from the folder of descriptors of a thread',
      given: 'piped',
      script: writes(
        'os.open("0", os.O_WRONLY, dir_fd=os.open("/proc/thread-self/fd", os.O_RDONLY | os.O_DIRECTORY))',
      ),
    },
    {
      name: 'a pipe, from a current folder in /proc',
      given: 'piped',
      script: python(
        'os.chdir("/proc/self/fd")\nos.write(os.open("../fd/./0", os.O_WRONLY | os.O_NONBLOCK), b"x")',
      ),
    },
    {
      name: 'a pipe, by creat(2) in a child that has it as standard output',
      given: 'piped',
      script: python(
        'if os.fork() == 0:\n    os.dup2(0, 1); os._exit(os.open("/dev/stdout", os.O_CREAT | os.O_WRONLY | os.O_TRUNC) < 0)\nsys.exit(os.wait()[1] != 0)',
      ),
    },
    {
      name: 'a pipe, through the parent process',
      given: 'piped',
      script: 'bash -c "echo x > /proc/$$/fd/0"',
    },
    {
      name: 'a pipe, received over a socket',
      given: 'piped',
      script: python(
        'a, b = socket.socketpair()\nsocket.send_fds(a, [b"x"], [0])\nfd = socket.recv_fds(b, 1, 1)[1][0]\nos.write(os.open(f"/proc/self/fd/{fd}", os.O_RDWR), b"x")',
      ),
    },
    {
      name: 'a removed file, by truncate(2)',
      given: 'removed',
      script: python('os.truncate("/proc/self/fd/0", 1)'),
    },
    {
      name: 'a removed file, through a mapping',
      given: 'removed',
      script: python('m = mmap.mmap(os.open("/proc/self/fd/0", os.O_RDWR), 1); m[0] = 120'),
    },
    {
      name: 'a removed file, by a write of the kernel',
      given: 'removed',
      script: python(
        'libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]\nsys.exit(libc.fallocate(os.open("/proc/self/fd/0", os.O_RDWR), 3, 0, 1) != 0)',
      ),
    },
  ],
  'streams-written': [
    {
      name: 'by /dev/stdout',
      given: 'reader',
      script: reads('os.open("/dev/stdout", os.O_RDONLY | os.O_NONBLOCK)'),
    },
    {
      name: 'to read and write',
      given: 'reader',
      script: reads('os.open("/dev/fd/1", os.O_RDWR | os.O_NONBLOCK)'),
    },
    {
      name: 'of another process',
      given: 'reader',
      script: reads(
        'os.open(f"/proc/{os.fork() or (time.sleep(1), os._exit(0))}/fd/1", os.O_RDONLY | os.O_NONBLOCK)',
      ),
    },
    {
      name: 'copied out by splice(2)',
      given: 'reader',
      script: python(
        'r, w = os.pipe()\nsys.exit(os.splice(os.open("/dev/stdout", os.O_RDONLY | os.O_NONBLOCK), w, 6) != 6) if hasattr(os, "splice") else sys.exit(os.read(os.open("/dev/stdout", os.O_RDONLY | os.O_NONBLOCK), 6) != b"secret")',
      ),
    },
    {
      name: 'its length, read without consuming it (FIONREAD)',
      given: 'reader',
      script: python('sys.exit(struct.unpack("i", fcntl.ioctl(1, 0x541b, bytes(4)))[0] != 6)'),
    },
    {
      name: 'made smaller',
      given: 'reader',
      // Its pages belong to the reader and other writers too.
      script: python(
        'size = fcntl.fcntl(1, 1032); fcntl.fcntl(1, 1031, 4096)\nsys.exit(struct.unpack("i", fcntl.ioctl(1, 0x541b, bytes(4)))[0] != 6)',
      ),
    },
  ],
  'streams-appended': [
    {name: 'a copy of the descriptor', given: 'log', script: python('os.ftruncate(os.dup(1), 0)')},
    {
      name: 'a copy that another process received over a socket',
      given: 'log',
      script: python(
        'a, b = socket.socketpair()\nif os.fork() == 0:\n    os.ftruncate(socket.recv_fds(b, 1, 1)[1][0], 0); os._exit(0)\nsocket.send_fds(a, [b"x"], [1]); sys.exit(bool(os.wait()[1]))',
      ),
    },
    {
      name: 'writing without appending (RWF_NOAPPEND)',
      given: 'log',
      rare: true,
      script: python(
        `b = ctypes.create_string_buffer(b'XXX')\ncall(${pwritev2}, 1, struct.pack('QQ', ctypes.addressof(b), 3), 1, 0, 0, 0x20)`,
      ),
    },
    {
      name: 'writing without appending, asynchronously',
      given: 'log',
      rare: true,
      script: python(
        `ctx = ctypes.c_ulong(0); call(${ioSetup}, 4, ctypes.byref(ctx))\nb = ctypes.create_string_buffer(b'XXX')\ncb = ctypes.create_string_buffer(struct.pack('QIIHhIQQqQII', 0, 0, 0x20, 1, 0, 1, ctypes.addressof(b), 3, 0, 0, 0, 0))\ncall(${ioSubmit}, ctx.value, 1, struct.pack('Q', ctypes.addressof(cb))); time.sleep(0.1)`,
      ),
    },
    {name: 'truncate(2) by its link', given: 'log', script: python('os.truncate("/dev/stdout", 0)')},
    {
      name: 'opened with O_TRUNC',
      given: 'log',
      script: python('fd = os.open("/dev/stdout", os.O_WRONLY | os.O_TRUNC); sys.exit(os.fstat(fd).st_size)'),
    },
    {
      name: 'opened and mapped',
      given: 'log',
      script: python('m = mmap.mmap(os.open("/proc/self/fd/1", os.O_RDWR), 1); m[0] = 120'),
    },
    {
      name: 'opened, and overwritten with zeros',
      given: 'log',
      rare: true,
      script: python(
        'libc.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]\nsys.exit(libc.fallocate(os.open("/dev/stdout", os.O_WRONLY), 16, 0, 5) != 0)',
      ),
    },
    {
      name: 'flags changed by another process',
      given: 'log',
      script:
        'python3 -c "import fcntl; fcntl.fcntl(1, fcntl.F_SETFL, 2048)"; ' +
        python('sys.exit(bool(fcntl.fcntl(1, fcntl.F_GETFL) & os.O_APPEND))'),
    },
    {
      name: 'truncated through a descriptor that another thread exchanges',
      given: 'log',
      script: python(
        'open("f", "w").close(); f = os.open("f", os.O_RDWR); log = os.dup(1); n = os.dup(f); end = time.time() + 1\ndef swap():\n    while time.time() < end: os.dup2(log, n); os.dup2(f, n)\nthreading.Thread(target=swap).start()\nwhile time.time() < end and os.fstat(log).st_size:\n    try: os.ftruncate(n, 0)\n    except OSError: pass\nsys.exit(os.fstat(log).st_size)',
      ),
    },
  ],
  'streams-sockets': [
    {
      name: 'listened on',
      given: 'connection',
      script: python('s = socket.socket(fileno=0); libc.connect(0, bytes(16), 16); s.listen(1)'),
    },
    {
      name: 'connected to another server with its first data',
      given: 'connection',
      script: python(
        's = socket.socket(fileno=0); libc.connect(0, bytes(16), 16)\ns.sendto(b"x", 0x20000000, ("127.0.0.1", int(e["TCP"])))',
      ),
    },
    {
      name: 'connected to another server',
      given: 'connection',
      script: python(
        's = socket.socket(fileno=0); libc.connect(0, bytes(16), 16); s.connect(("127.0.0.1", int(e["TCP"])))',
      ),
    },
    {
      name: 'a datagram socket, with an address',
      given: 'datagrams',
      script: python(
        's = socket.socket(fileno=0); s.settimeout(2); s.sendto(b"x", ("127.0.0.1", int(e["UDP"]))); s.recv(9)',
      ),
    },
    {
      name: 'a datagram socket, connected and with another address',
      given: 'datagrams',
      script: python(
        's = socket.socket(fileno=0); s.settimeout(2); s.connect(("127.0.0.1", 9)); s.sendto(b"x", ("127.0.0.1", int(e["UDP"])))',
      ),
    },
    {
      name: 'an unconnected socket',
      given: 'unconnected',
      script: python('s = socket.socket(fileno=0); s.connect(("127.0.0.1", int(e["TCP"])))'),
    },
    {
      name: 'an unconnected socket, listened on',
      given: 'unconnected',
      script: python('socket.socket(fileno=0).listen(1)'),
    },
  ],
};
