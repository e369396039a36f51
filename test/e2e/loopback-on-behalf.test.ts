import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer, type AddressInfo} from 'node:net';
import {networkInterfaces} from 'node:os';
import {test, type TestContext} from 'node:test';
import {noListener, noNamespaces} from '../conformance/kernels.ts';
import {isFull, isWhole} from '../harness/extent.ts';
import {identities, plain, testers, type Identity} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {config, loopback, through} from '../harness/shared-loopback.ts';
import {until} from '../harness/processes.ts';
import {collect, runIon, startIon, startProgram, type Ended} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';

/** An address of this machine that other machines can reach, if there is one. */
const [beyond] = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({family, internal}) => family === 'IPv4' && !internal)
  .map(({address}) => address);

interface Attack {
  readonly name: string;
  /** Python. It exits with 0 when it succeeded. `PORT` is the port of a server outside, on every address of the machine. */
  readonly code: string;
  /** The text of the closing lines. */
  readonly says?: RegExp;
  readonly only?: Identity['name'];
}

const prelude = `import ctypes, os, socket, struct, sys, threading, time
PORT, BEYOND, RACE, SHARED = int(os.environ['PORT']), os.environ['BEYOND'], os.environ['RACE'], int(os.environ['SHARED'])
V4, V6 = socket.AF_INET, socket.AF_INET6
libc = ctypes.CDLL(None, use_errno=True)
def tcp(family=V4): return socket.socket(family, socket.SOCK_STREAM)
def reached(s):
    s.settimeout(5)
    sys.exit(0 if s.recv(7) == b'reached' else 1)
def connect(family, host):
    s = tcp(family)
    s.connect((host, PORT))
    reached(s)
def server(host='127.0.0.1', backlog=9):
    s = tcp()
    s.bind((host, 0))
    s.listen(backlog)
    return s
def dissolve(s):
    if libc.connect(s.fileno(), struct.pack('H', 0) + bytes(14), 16) < 0: raise OSError(ctypes.get_errno())
def beyond(s): sys.exit(1 if s.getsockname()[0] in ('127.0.0.1', '::1', '::ffff:127.0.0.1') else 0)
`;

const outsideServer =
  /^ion: blocked: python3\S* \(pid \d+\) could not connect to ".*" \(connect: a server of another process.*\)\nhelp: for this run: --set sandbox\.network=full; for all: sandbox\.network = "full" in ~\/\.ion\/config\.toml, without the one in loopback\.toml\n$/m;
const beyondLoopback =
  /^ion: blocked: python3\S* \(pid \d+\) could not listen on ".*" \(bind: not a loopback address\)\nhelp: for this run: --set sandbox\.network=full; for all: sandbox\.network = "full" in ~\/\.ion\/config\.toml, without the one in loopback\.toml\n$/m;

const attacks: readonly Attack[] = [
  {name: 'a server outside by IPv4', code: 'connect(V4, "127.0.0.1")', says: outsideServer},
  {name: 'by another address of the loopback', code: 'connect(V4, "127.0.0.2")', says: outsideServer},
  {name: 'by any address of IPv4', code: 'connect(V4, "0.0.0.0")', says: outsideServer},
  {name: 'by IPv6', code: 'connect(V6, "::1")', says: outsideServer},
  {name: 'by any address of IPv6', code: 'connect(V6, "::")', says: outsideServer},
  {name: 'by IPv4 in its IPv6 form', code: 'connect(V6, "::ffff:127.0.0.1")', says: outsideServer},
  {name: 'by any address in that form', code: 'connect(V6, "::ffff:0.0.0.0")', says: outsideServer},
  {
    name: 'by an address of this machine other than the loopback',
    code: 'connect(V4, BEYOND)',
    says: /could not reach ".*" \(connect: the network is closed\)/,
  },
  {
    name: 'without waiting for it',
    code: 's = tcp()\ns.setblocking(False)\ns.connect_ex(("127.0.0.1", PORT))\nreached(s)',
  },
  {
    name: "with a socket that was connected to the run's own server",
    code: 'own, s = server(), tcp()\ns.connect(own.getsockname())\ndissolve(s)\ns.connect(("127.0.0.1", PORT))\nreached(s)',
  },
  {
    name: 'with the first data (sendto)',
    code: 's = tcp()\ns.sendto(b"x", 0x20000000, ("127.0.0.1", PORT))\nreached(s)',
  },
  {
    name: 'with the first data (sendmsg)',
    code: 's = tcp()\ns.sendmsg([b"x"], [], 0x20000000, ("127.0.0.1", PORT))\nreached(s)',
  },
  {name: 'with the first data of a delayed connection', code: 'tcp().setsockopt(6, 30, 1)'},
  {name: 'by MPTCP', code: 's = socket.socket(V4, 1, 262)\ns.connect(("127.0.0.1", PORT))\nreached(s)'},
  {
    name: 'while another thread swaps address and socket',
    code: 'os.execv(RACE, [RACE, "connect", str(PORT)])',
    says: /could not connect to ".*" \(connect: a server of another process/,
  },
  {
    // The kernel sends another SYN after a second, to whichever server listens there then.
    name: "a server that replaces the run's own one while a connection is being made",
    code: `own = server(backlog=0)
others = [tcp() for _ in range(3)]
for s in others:
    s.setblocking(False)
    s.connect_ex(own.getsockname())
port = own.getsockname()[1]
own.close()
open('port.part', 'w').write(str(port))
os.rename('port.part', 'port')
end = time.time() + 6
while time.time() < end:
    for s in others:
        try:
            if s.recv(7) == b'reached': sys.exit(0)
        except OSError: pass
    time.sleep(0.02)
sys.exit(1)`,
  },
  {
    name: "the same, with the run's own server shut down",
    code: `own = server(backlog=0)
others = [tcp() for _ in range(3)]
for s in others:
    s.setblocking(False)
    s.connect_ex(own.getsockname())
open('port.part', 'w').write(str(own.getsockname()[1]))
def end_it():
    own.shutdown(socket.SHUT_RDWR)
    own.close()
threading.Thread(target=end_it, daemon=True).start()
os.rename('port.part', 'port')
end = time.time() + 6
while time.time() < end:
    for s in others:
        try:
            if s.recv(7) == b'reached': os._exit(0)
        except OSError: pass
    time.sleep(0.02)
os._exit(1)`,
  },
  {name: 'a datagram', code: 's = socket.socket(V4, socket.SOCK_DGRAM)\ns.sendto(b"x", ("127.0.0.1", PORT))'},
  {name: 'a datagram by IPv6', code: 's = socket.socket(V6, socket.SOCK_DGRAM)\ns.connect(("::1", PORT))'},
  {
    name: 'a raw socket',
    code: 'socket.socket(V4, socket.SOCK_RAW, 253).sendto(b"x", ("127.0.0.1", 0))',
    only: 'root',
  },
  {
    // Newer kernels allow it only for root.
    name: 'a source route',
    code: 'tcp().setsockopt(0, 4, b"\\x83\\x07\\x04" + bytes([127, 0, 0, 1, 0]))',
    only: 'root',
  },
  {
    name: 'a source route of IPv6',
    code: 'one = socket.inet_pton(V6, "::1")\ntcp(V6).setsockopt(41, 57, struct.pack("BBBBBBH", 0, 4, 4, 1, 1, 0, 0) + one + one)',
  },
  {name: 'an interface', code: 'tcp().setsockopt(1, 25, b"lo")'},
  {name: 'an interface by its number', code: 'tcp().setsockopt(1, 62, 1)'},
  {
    name: 'listen at an address of this machine other than the loopback',
    code: 's = server(BEYOND)\nbeyond(s)',
    says: beyondLoopback,
  },
  {name: 'listen at any address', code: 'beyond(server("0.0.0.0"))'},
  {name: 'listen at any address of IPv6', code: 's = tcp(V6)\ns.bind(("::", 0))\ns.listen()\nbeyond(s)'},
  {
    name: 'listen at any address of IPv6 only',
    code: 's = tcp(V6)\ns.setsockopt(41, 26, 1)\ns.bind(("::", 0))\ns.listen()\nbeyond(s)',
  },
  {
    name: 'listen at any address in its IPv6 form',
    code: 's = tcp(V6)\ns.bind(("::ffff:0.0.0.0", 0))\ns.listen()\nbeyond(s)',
  },
  {name: 'listen without an address', code: 's = tcp()\ns.listen()\nbeyond(s)'},
  {name: 'listen without an address of IPv6', code: 's = tcp(V6)\ns.listen()\nbeyond(s)'},
  {
    name: 'listen without the address of a connection that failed',
    code: 's = tcp()\ns.connect_ex(("127.0.0.1", 1))\ns.listen()\nbeyond(s)',
  },
  {
    name: "listen with a socket that was connected to the run's own server",
    code: 'own, s = server(), tcp()\ns.connect(own.getsockname())\ndissolve(s)\ns.listen()\nbeyond(s)',
  },
  {
    name: 'bind while another thread swaps address and socket',
    code: 'os.execv(RACE, [RACE, "bind"])',
    says: /^$/,
  },
  {
    name: 'listen while another thread swaps the socket',
    code: 'os.execv(RACE, [RACE, "listen"])',
    says: /^$/,
  },
  {
    name: 'share the port of a server outside',
    code: 's = tcp()\ns.setsockopt(1, 15, 1)\ns.bind(("127.0.0.1", SHARED))\ns.listen()',
  },
  {name: 'a port of root', code: 'tcp().bind(("127.0.0.1", 1))', only: 'root'},
];

interface Outside {
  readonly variables: Readonly<Record<string, string>>;
  readonly connections: () => number;
}

async function openOutside(t: TestContext, scratch: Scratch, as: Identity): Promise<Outside> {
  let connections = 0;
  const server = createServer((connection) => {
    connections++;
    connection.on('error', () => undefined).end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.after(() => server.close());
  const code =
    'import socket, sys\ns = socket.socket()\ns.setsockopt(1, 15, 1)\ns.bind(("127.0.0.1", 0))\ns.listen()\nprint(s.getsockname()[1], flush=True)\nsys.stdin.read()';
  const spec = {as, stdio: ['pipe' as const, 'pipe' as const, 'inherit' as const]};
  const sharing = startProgram(scratch, ['/usr/bin/python3', '-c', code], spec);
  scratch.companions.push(sharing);
  const [shared] = (await once(sharing.stdout!, 'data')) as [Buffer];
  const variables = {
    PORT: String((server.address() as AddressInfo).port),
    SHARED: shared.toString().trim(),
    BEYOND: beyond ?? '192.0.2.1',
    RACE: compiled('loopback-race.c'),
  };
  return {variables, connections: () => connections};
}

/** A process outside that tries to bind the port of the run, until the run has ended. */
async function takeOver(t: TestContext, scratch: Scratch, run: Promise<Ended>): Promise<void> {
  let over = false;
  void run.finally(() => (over = true));
  const port = Number(
    await until('the port, or the end', () => readOr(`${scratch.work}/port`, over), 60_000),
  );
  const server = createServer((connection) => connection.on('error', () => undefined).end('reached'));
  t.after(() => server.close());
  const tryAgain = (): void => void (over || setTimeout(() => server.listen(port, '127.0.0.1'), 5));
  server.on('error', tryAgain);
  tryAgain();
}

function readOr(file: string, over: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return over ? '0' : undefined;
  }
}

async function attack(t: TestContext, {code}: Attack, as: Identity, args: readonly string[]) {
  const scratch = makeScratch(t, as, {...config, 'attack.py': prelude + code});
  const outside = await openOutside(t, scratch, as);
  const child = startIon(scratch, [...args, 'python3 attack.py'], {
    as,
    env: {...outside.variables, PATIENCE_S: args.includes('--no-sandbox') ? '30' : '0'},
    through: through(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run = collect(child, 90_000);
  if (code.includes("'port'")) await takeOver(t, scratch, run);
  return {ended: await run, connections: outside.connections()};
}

/** The users who try it in `npm test`: those without namespaces, on machines where users may not make any. */
const whoTries = ({only}: Attack): readonly Identity[] =>
  only || isFull ? identities.filter(({name}) => !only || only === name) : [plain];

for (const one of attacks) {
  for (const as of whoTries(one)) {
    test(`loopback on behalf: ${one.name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'python3', 'cc')) return;
      if (one.code.includes('BEYOND') && !beyond) return t.skip('this machine has no address of its own');
      if (isWhole) {
        const open = await attack(t, one, as, ['run', '--no-sandbox']);
        assert.equal(open.ended.code, 0, `it proves nothing: ${open.ended.stderr}`);
      }
      const {ended, connections} = await attack(t, one, as, loopback);
      assert.equal(ended.code, 1, ended.stderr);
      assert.equal(connections, 0, ended.stderr);
      if (one.says) assert.match(ended.stderr, one.says);
    });
  }
}

/** The sockets that listen on a port, as the machine sees them: local addresses of both families. */
function listenersOn(port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === '0A' && local?.endsWith(suffix))
      .map(([, local]) => local!.slice(0, -suffix.length)),
  );
}

const python = (code: string): string => `python3 - <<'END'\n${code}\nEND`;

const servers: readonly {readonly name: string; readonly code: string; readonly at: string}[] = [
  {name: 'without an address', code: 's = socket.socket()', at: '0100007F'},
  {
    name: 'without an address of IPv6',
    code: 's = socket.socket(socket.AF_INET6)',
    at: '0000000000000000FFFF00000100007F',
  },
  {
    name: 'for IPv6 only',
    code: 's = socket.socket(socket.AF_INET6)\ns.setsockopt(41, 26, 1)',
    at: '00000000000000000000000001000000',
  },
];

for (const {name, code, at} of servers) {
  test(`loopback on behalf: seen from outside, a server ${name} listens on the loopback`, async (t) => {
    if (!requireProgram(t, 'python3', 'cc')) return;
    const scratch = makeScratch(t, plain, config);
    const script = python(
      `import socket, time\n${code}\ns.listen()\nprint(s.getsockname()[1], flush=True)\ntime.sleep(60)`,
    );
    const child = startIon(scratch, [...loopback, script], {as: plain, through: through()});
    scratch.companions.push(child);
    const [text] = (await once(child.stdout!, 'data')) as [Buffer];
    assert.deepEqual(listenersOn(Number(text)), [at]);
  });
}

/** The features that it needs. Without one of them, a run that asks for loopback is refused. */
const refused: readonly {
  readonly name: string;
  readonly deny: readonly string[];
  readonly landlockAbi?: number;
}[] = [
  {name: 'pidfd_getfd', deny: ['438:1']},
  {name: 'a listener', deny: noListener},
  {name: 'Landlock ABI 4', deny: [], landlockAbi: 3},
];

for (const {name, deny, landlockAbi} of refused) {
  for (const as of testers) {
    test(`loopback on behalf: not without ${name} (${as.name})`, async (t) => {
      if (!requireProgram(t, 'cc')) return;
      const scratch = makeScratch(t, as, config);
      const older = landlockAbi
        ? {LD_PRELOAD: compiled('older-landlock.c'), ION_TEST_ABI: String(landlockAbi)}
        : {};
      const ended = await runIon(scratch, [...loopback, 'echo ran'], {
        as,
        env: older,
        through: [compiled('deny-syscalls.c'), ...noNamespaces, ...deny, '--'],
      });
      assert.deepEqual([ended.code, ended.stdout], [125, '']);
      assert.match(
        ended.stderr,
        /^ion: cannot enforce network = "loopback" here\n --> .*loopback\.toml:2\nhelp: .*\n$/,
      );
    });
  }
}
