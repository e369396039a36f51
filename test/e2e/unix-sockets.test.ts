import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {chmodSync} from 'node:fs';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon, startProgram} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const connect = `import socket
s = socket.socket(socket.AF_UNIX)
try: s.connect("s"); print("connected")
except OSError as e: print(type(e).__name__)
`;

const serve = `import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind('\\0' + sys.argv[1])
s.listen()
print('ready', flush=True)
while True: s.accept()
`;

const otherFamily = `import ctypes, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
for family in socket.AF_UNIX, 77:
  s = socket.socket(socket.AF_INET)
  address = struct.pack("H", family) + b"/tmp/a/socket/somewhere"
  print(libc.connect(s.fileno(), address, len(address)), ctypes.get_errno())
`;

/**
 * A server outside that passes an accepted connection as standard input, as inetd does. Its listening socket and the
 * connection have the same name. The kernel lists them in any order; the test needs the connection to be last.
 */
const handOver = `import os, socket, sys
def last(name): return [line.split()[5] for line in open('/proc/net/unix') if line.rstrip().endswith('/' + name)][-1:]
for attempt in range(200):
  name = 's' if attempt == 0 else 's%d' % attempt
  path = os.path.join(os.getcwd(), name)
  server, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
  server.bind(path)
  server.listen()
  client.connect(path)
  accepted = server.accept()[0]
  if last(name) == ['03']: break # SS_CONNECTED; the list can lack some while it changes
else: sys.exit('no such pair')
os.symlink(name, 'name')
os.set_inheritable(server.fileno(), True) # ion keeps it open, not the run
os.dup2(accepted.fileno(), 0)
os.execv(sys.argv[1], sys.argv[1:])
`;

/**
 * Passes sockets of the outside namespace as standard input, and tests what a run can reach with them. Runs ion with each
 * and prints what succeeded.
 */
const handSockets = `import select, socket, struct, subprocess, sys
name = '\\0ion-handed-%d' % __import__('os').getpid()
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); datagrams.bind(name)
streams = socket.socket(socket.AF_UNIX); streams.bind(name + 's'); streams.listen()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(('127.0.0.1', 0))
code = 'import ctypes, socket, struct\\ns = socket.socket(fileno=0)\\n'
def tell(what, given, does, victim):
  subprocess.run([*sys.argv[1:], 'python3', '-c', code + does], stdin=given, stderr=subprocess.DEVNULL)
  print(what, 'got through' if select.select([victim], [], [], 0.1)[0] else 'refused')
  if victim is not streams and select.select([victim], [], [], 0)[0]: victim.recv(9)
pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0]
tell('datagrams', pair, 's.connect(%r); s.send(b"x")' % name, datagrams)
tell('a stream', socket.socket(socket.AF_UNIX), 's.connect(%r); s.send(b"x")' % (name + 's'), streams)
address = struct.pack('=H', 0) + struct.pack('!H', udp.getsockname()[1]) + bytes([127, 0, 0, 1]) + bytes(8)
tell('no family', socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 'ctypes.CDLL(None).sendto(0, b"x", 1, 0, %r, 16)' % address, udp)
`;

for (const as of testers) {
  test(`unix sockets: a passed socket reaches nothing outside (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {'hand.py': handSockets});
    const through = ['python3', 'hand.py'];
    const outside = await runIon(scratch, ['run', '--no-sandbox', '--'], {as, through});
    assert.equal(outside.stdout, 'datagrams got through\na stream got through\nno family got through\n');
    const inside = await runIon(scratch, ['run', '--'], {as, through});
    assert.equal(inside.stdout, 'datagrams refused\na stream refused\nno family refused\n', inside.stderr);
  });

  test(`unix sockets: a connection on standard input does not allow other connections to its server (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3', 'cc')) return;
    const files = {'connect.py': connect.replace('"s"', '"name"'), 'hand-over.py': handOver};
    const through = [compiled('deny-syscalls.c'), ...noNamespaces, '--', 'python3', 'hand-over.py'];
    for (const [flags, want] of [
      [['--no-sandbox'], 'connected\n'],
      [[], 'PermissionError\n'],
    ] as const) {
      const scratch = makeScratch(t, as, files);
      const ended = await runIon(scratch, ['run', ...flags, 'python3 connect.py'], {as, through});
      assert.equal(ended.stdout, want, ended.stderr);
    }
  });

  test(`unix sockets: a socket without a server fails as it does outside (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {
      'left.py': 'import socket\nsocket.socket(socket.AF_UNIX).bind("s")\n',
      'connect.py': connect,
    });
    assert.equal((await runIon(scratch, ['run', '--no-sandbox', 'python3 left.py'], {as})).code, 0);
    const {stdout, stderr} = await runIon(scratch, ['run', 'python3 connect.py'], {as});
    assert.deepEqual([stdout, stderr], ['ConnectionRefusedError\n', '']);
  });

  test(`unix sockets: ion reports when the kernel does not say which process owns one (${as.name})`, async (t) => {
    if (process.arch !== 'x64') return t.skip('by the number of socket(2)');
    if (!requireProgram(t, 'python3', 'cc')) return;
    const scratch = makeScratch(t, as, {
      'own.py': `import socket\nserver = socket.socket(socket.AF_UNIX); server.bind("s"); server.listen()\n${connect}`,
    });
    // No netlink socket of SOCK_DIAG.
    const through = [compiled('deny-syscalls.c'), '41:93:2:is:4', '--'];
    const {stdout, stderr} = await runIon(scratch, ['run', 'python3 own.py'], {as, through});
    assert.equal(stdout, 'PermissionError\n');
    assert.match(
      stderr,
      /could not connect to ".*\/s" \(connect: without the kernel module unix_diag ion cannot tell whether it is a socket of this run\)\nhelp: .*sandbox\.unix_sockets/,
    );
    const set = ['--set', `sandbox.unix_sockets=["${scratch.work}/s"]`];
    const allowed = await runIon(scratch, ['run', ...set, 'rm s; python3 own.py'], {as, through});
    assert.equal(allowed.stdout, 'connected\n', allowed.stderr);
  });

  test(`unix sockets: a socket of a process outside is refused, and ion explains what a grant means (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {'connect.py': connect});
    let connections = 0;
    const server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(`${scratch.work}/s`, resolve));
    t.after(() => server.close());
    chmodSync(`${scratch.work}/s`, 0o777);
    const {stdout, stderr} = await runIon(scratch, ['run', 'python3 connect.py'], {as});
    assert.equal(stdout, 'PermissionError\n');
    assert.match(
      stderr,
      /^ion: blocked: python3\S* \(pid \d+\) could not connect to ".*\/s" \(connect: a socket of another process\)\nhelp: for this run: --set sandbox\.unix_sockets\+=\S+\/s; for all: sandbox\.unix_sockets = \[".*\/s"\] in ~\/\.ion\/config\.toml; its server is not confined\n$/,
    );
    assert.equal(connections, 0);
    const outside = await runIon(scratch, ['run', '--no-sandbox', 'python3 connect.py'], {as});
    assert.equal(outside.stdout, 'connected\n');
  });

  test(`unix sockets: an abstract socket outside is refused, and named (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const name = `ion-test-${process.pid}-"${as.name}`;
    const scratch = makeScratch(t, as, {
      'open.toml': '[sandbox]\nnetwork = "full"\n',
      'connect.py': connect.replace('"s"', JSON.stringify(`\0${name}`).replace('\\u0000', '\\0')),
    });
    // Not Node's own server: libuv may pad a name with NULs.
    const argv = ['python3', '-c', serve, name];
    const server = startProgram(scratch, argv, {stdio: ['ignore', 'pipe', 'inherit']});
    scratch.companions.push(server);
    await once(server.stdout!, 'data');
    const run = (...flags: string[]) =>
      runIon(scratch, ['run', '--config', 'open.toml', ...flags, 'python3 connect.py'], {as});
    const {stdout, stderr} = await run();
    assert.equal(stdout, 'PermissionError\n');
    const [refusal, help] = stderr.split('\n');
    assert.match(refusal!, /^ion: blocked: python3\S* \(pid \d+\) could not connect to /);
    assert.ok(
      refusal!.includes(`"@${name.replace('"', '\\"')}" (connect: a socket of another process)`),
      refusal,
    );
    assert.equal(help, 'help: no setting allows it: do it outside ion');
    assert.equal((await run('--no-sandbox')).stdout, 'connected\n');
  });

  test(`unix sockets: the kernel refuses an address of another family (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {'connect.py': otherFamily});
    const outside = await runIon(scratch, ['run', '--no-sandbox', 'python3 connect.py'], {as});
    const inside = await runIon(scratch, ['run', 'python3 connect.py'], {as});
    assert.deepEqual([inside.stdout, inside.stderr], [outside.stdout, '']);
    assert.match(inside.stdout, /^-1 97\n-1 97\n$/); // EAFNOSUPPORT
  });

  test(`unix sockets: a path that takes long to resolve delays no other call (${as.name})`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {
      'walk.py': `import ctypes, os, socket
top = os.getcwd() + '/c'
depth = (4080 - len(top)) // 2
os.mkdir('c'); os.chdir('c')
for i in range(depth): os.mkdir('a'); os.chdir('a')
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind('s')
way = top + '/a' * depth
for i in range(38): os.symlink(way + ('/s' if i == 0 else '/%d' % (i - 1)), str(i))
class Message(ctypes.Structure):
  _fields_ = [(name, ctypes.c_void_p) for name in ('name', 'size', 'iov', 'count', 'control', 'length', 'flags', 'sent')]
os.symlink(way + '/37', top + '/../x')
name = ctypes.create_string_buffer(b'\\1\\0x')
os.chdir(top + '/..')
one = Message(ctypes.addressof(name), 4)
messages = (Message * 1024)(*[one] * 1024)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
ctypes.CDLL(None).sendmmsg(s.fileno(), messages, 1024, 0)
print('done')
`,
    });
    // Each resolution took seconds, and one call can request 1,024 of them.
    const {code, stdout, stderr} = await runIon(
      scratch,
      ['run', '--timeout', '60s', 'python3 walk.py; rm -rf c x'],
      {
        as,
        timeoutMs: 60_000,
      },
    );
    assert.deepEqual([code, stdout], [0, 'done\n'], stderr);
  });
}
