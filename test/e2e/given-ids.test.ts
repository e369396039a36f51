import assert from 'node:assert/strict';
import {chmodSync} from 'node:fs';
import {test} from 'node:test';
import {noNamespaces} from '../conformance/kernels.ts';
import {identities} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {runIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const root = identities.find(({uid}) => uid === 0);

/** A process of root's run that gave up its ids. Each line is the result of a call that the launcher makes for it. */
const program = `
import os, socket, struct, sys
os.makedirs('closed/inner'); open('closed/old', 'w').close(); open('closed/.git', 'w').close(); os.chmod('.', 0o755)
server = socket.socket(socket.AF_UNIX); server.bind('closed/sock'); server.listen(9)
root = os.getpid()
def say(name, act):
    sys.stdout.flush()
    pid = os.fork()
    if pid: return os.waitpid(pid, 0)
    os.setgroups([4321]); os.setgid(1234); os.setuid(1234)
    try: print(name, act())
    except OSError as e: print(name, e.strerror)
    sys.stdout.flush(); os._exit(0)
def connect(path):
    s = socket.socket(socket.AF_UNIX); s.connect(path); return 'connected'
def listen():
    s = socket.socket(socket.AF_UNIX); s.bind('/tmp/ids-%d' % os.getpid()); s.listen(1); n = s.getsockname(); c = socket.socket(socket.AF_UNIX); c.connect(n); os.unlink(n)
    return struct.unpack('3i', c.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1:]
def write(path):
    with open(path, 'w') as f: f.write('0')
    return 'written'
os.chmod('closed/sock', 0o777); os.chmod('closed', 0o755); say('open socket:', lambda: connect('closed/sock'))
print('peer:', struct.unpack('3i', server.accept()[0].getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1:])
os.chmod('closed/sock', 0o660); os.chown('closed/sock', 0, 4321); say('socket of its group:', lambda: connect('closed/sock'))
os.chown('closed/sock', 0, 0); say("socket of root's:", lambda: connect('closed/sock'))
os.chmod('closed/sock', 0o777); os.chmod('closed', 0o700); say("socket in a folder of root's:", lambda: connect('closed/sock'))
say('peer of its listener:', listen)
say("score of a process of root's:", lambda: write('/proc/%d/oom_score_adj' % root))
say('its own score:', lambda: write('/proc/self/oom_score_adj'))
say("rename in a folder of root's:", lambda: os.rename('closed/old', 'closed/new'))
`;

const want = `open socket: connected
peer: (1234, 1234)
socket of its group: connected
socket of root's: Permission denied
socket in a folder of root's: Permission denied
peer of its listener: (1234, 1234)
score of a process of root's: Permission denied
its own score: Permission denied
rename in a folder of root's: Permission denied
`;

for (const [namespaces, through] of Object.entries({
  namespaces: [],
  'no namespaces': [compiled('deny-syscalls.c'), ...noNamespaces, '--'],
})) {
  test(`on behalf: as a process that gave up its ids (${namespaces})`, {skip: !root}, async (t) => {
    if (!requireProgram(t, 'python3', 'cc')) return;
    const scratch = makeScratch(t, root!, {'ids.py': program});
    chmodSync(scratch.root, 0o755);
    chmodSync(scratch.home, 0o755);
    const outside = await runIon(scratch, ['run', '--no-sandbox', 'python3 ids.py; rm -r closed'], {
      as: root!,
    });
    assert.equal(outside.stdout, want, outside.stderr);
    const {stdout, stderr} = await runIon(scratch, ['run', 'python3 ids.py'], {as: root!, through});
    assert.equal(stdout, want, stderr);
  });
}
