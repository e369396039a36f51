import type {ProtectionId} from '../sandbox/matrix/matrix.ts';
import {given, type Attack} from './attack.ts';

/** Attacks on the standard streams that a run receives. */
export const onStreams = {
  streams: [
    {name: 'write into a pipe on standard input', given: 'piped', script: 'echo x > /dev/stdin'},
    {
      name: 'write into it through /proc/PID/fd of another process',
      given: 'piped',
      script: 'exec 7<&0; sleep 1 & echo x > /proc/$!/fd/7',
    },
    {
      // The script can't tell whether it has changed the file or a copy.
      name: 'change the mode of a removed file on standard input',
      doctor: true,
      given: 'removed',
      script: given('os.fchmod(0, 0o640); sys.exit(1)'),
    },
    {
      name: 'write a removed file on standard input',
      given: 'removed',
      script: given('os.fchmod(0, 0o600); os.write(os.open("/proc/self/fd/0", os.O_RDWR), b"x")'),
    },
  ],
  'streams-written': [
    {
      name: 'read what other processes wrote to standard output',
      given: 'reader',
      script: given(
        'sys.exit(os.read(os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK), 6) != b"secret")',
      ),
    },
  ],
  'streams-appended': [
    {name: 'truncate a log', given: 'log', script: given('os.ftruncate(1, 0)')},
    {
      name: 'write a log before its end',
      given: 'log',
      script: given(
        'fcntl.fcntl(1, fcntl.F_SETFL, 0); sys.exit(bool(fcntl.fcntl(1, fcntl.F_GETFL) & os.O_APPEND))',
      ),
    },
    {
      name: 'open a log without appending',
      given: 'log',
      script: given(
        'sys.exit(bool(fcntl.fcntl(os.open("/proc/self/fd/1", os.O_WRONLY), fcntl.F_GETFL) & os.O_APPEND))',
      ),
    },
    {
      name: 'write a log in memory, which was given for reading too',
      given: 'read-log',
      script: given('import mmap\nm = mmap.mmap(1, 1)\nm[0:1] = b"y"'),
    },
    {
      name: 'remove a part of a log',
      given: 'log',
      script: given('sys.exit(ctypes.CDLL(None).fallocate(1, 3, ctypes.c_long(0), ctypes.c_long(1)) != 0)'),
    },
  ],
  'streams-sockets': [
    {
      name: 'disconnect a socket to connect it elsewhere',
      given: 'connection',
      without: 'no server could be started',
      script: given(
        's = socket.socket(fileno=0)\nsys.exit(ctypes.CDLL(None).connect(0, bytes(16), 16) != 0)',
      ),
    },
    {
      name: 'send by a datagram socket made outside',
      given: 'datagrams',
      without: 'no socket could be made',
      script: given('socket.socket(fileno=0).sendto(b"x", ("127.0.0.1", 9))'),
    },
    {
      // Nothing is tried with it, because no run is given such a socket.
      name: 'have a datagram socket made outside',
      given: 'datagrams',
      without: 'no socket could be made',
      script: given('socket.socket(fileno=0).getsockname()'),
    },
  ],
} satisfies Partial<Record<ProtectionId, readonly Attack[]>>;
