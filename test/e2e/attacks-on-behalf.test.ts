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

/**
 * Attempts to have the launcher act with root's rights for a process or a thread of root's run that gave them up: ids, ids for files
 * alone, or capabilities. Each line is the answer. With `keep`, nothing is given up.
 */
const program = `
import ctypes, os, socket, stat, struct, sys, threading, signal
libc = ctypes.CDLL(None, use_errno=True)
signal.alarm(25)
def say(name, act, drop):
    sys.stdout.flush(); pid = os.fork()
    if pid: return os.waitpid(pid, 0)
    try: drop(); print(name, act())
    except OSError as e: print(name, e.strerror)
    sys.stdout.flush(); os._exit(0)
def ck(r):
    if r < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return r
os.umask(0o22)
os.makedirs('c4/sticky'); os.chmod('c4', 0o755); os.chmod('c4/sticky', 0o1777); open('c4/sticky/f','w').close()
os.makedirs('c4/mine'); os.chown('c4/mine', 1234, 4321)
os.makedirs('c4/other'); os.chown('c4/other', 77, 77); os.chmod('c4/other', 0o700); 
s = socket.socket(socket.AF_UNIX); s.bind('c4/s'); os.chown('c4/s', 77, 77); os.chmod('c4/s', 0o600); s.listen(9)
ids = lambda: (os.setgroups([]), os.setgid(1234), os.setuid(1234))
def fsuid(): libc.setgroups(0, None); libc.setfsgid(1234); libc.setfsuid(1234)
def nocaps():
    hdr = struct.pack('Ii', 0x20080522, 0); ck(libc.capset(hdr, bytes(24)))
def conn():
    c = socket.socket(socket.AF_UNIX); c.connect('c4/s'); return 'connected'
def mode(p, m):
    os.chmod(p, m); return oct(os.stat(p).st_mode)
def thread(act):
    out = []
    def run():
        ck(libc.syscall(119, 1234, 1234, 1234)); ck(libc.syscall(117, 1234, 1234, 1234))
        try: out.append(act())
        except OSError as e: out.append(e.strerror)
    t = threading.Thread(target=run); t.start(); t.join(); return out[0]
none = lambda: None
if sys.argv[1:]: ids = fsuid = nocaps = none; thread = lambda act: act()
say('1 fsuid connects:', conn, fsuid)
say('2 no capabilities connects:', conn, nocaps)
say('3 thread connects:', lambda: thread(conn), none)
say('4 g+s with a foreign group:', lambda: mode('c4/mine', 0o2755), ids)
say('5 g+s on root\\'s folder:', lambda: mode('c4/sticky', 0o3777), ids)
say('6 g+s in a thread:', lambda: thread(lambda: mode('c4/sticky', 0o3777)), none)
say('7 rename in a sticky folder:', lambda: os.rename('c4/sticky/f', 'c4/sticky/g'), ids)
say('8 rename into another\\'s, no capabilities:', lambda: os.rename('c4/sticky/f', 'c4/other/f'), nocaps)
say('9 rename in a thread:', lambda: thread(lambda: os.rename('c4/sticky/f', 'c4/sticky/h')), none)
say('10 g+s without capabilities on another\\'s:', lambda: mode('c4/other', 0o2700), nocaps)
say('11 score of another:', lambda: open('/proc/%d/oom_score_adj' % os.getppid(), 'w').write('500'), ids)
def bind(p): socket.socket(socket.AF_UNIX).bind(p); return 'bound'
say('12 bind in root\\'s folder:', lambda: bind('c4/s1'), ids)
say('13 bind in another\\'s, no capabilities:', lambda: bind('c4/other/s2'), nocaps)
say('14 bind in a thread:', lambda: thread(lambda: bind('c4/s3')), none)
d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); d.bind('c4/d'); os.chmod('c4/d', 0o600)
def send(how):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); how(s); return 'sent'
say('15 send a datagram:', lambda: send(lambda s: s.sendto(b'x', 'c4/d')), ids)
say('16 send a message in a thread:', lambda: thread(lambda: send(lambda s: s.sendmsg([b'x'], [], 0, 'c4/d'))), none)
os.makedirs('.git/objects', exist_ok=True); os.chmod('.git', 0o1777); open('.git/of-root', 'w').close(); os.makedirs('c4/open'); os.chmod('c4/open', 0o777)
say('17 rename out of a sticky folder:', lambda: os.rename('.git/of-root', 'c4/open/x'), ids)
open('.git/of-root', 'w').close(); open('c4/open/mine', 'w').close()
say('18 exchange with a file in it:', lambda: ck(libc.renameat2(-100, b'.git/of-root', -100, b'c4/open/mine', 2)), ids)
os.chmod('below/.git', 0o1777); open('c4/open/cfg', 'w').write(open('below/.git/config').read())
say('19 replace root\\'s config:', lambda: os.rename('c4/open/cfg', 'below/.git/config'), ids)
def by_descriptor():
    f = os.open('c4/sticky', os.O_PATH); ck(libc.syscall(452, f, b'', 0o3777, 0x1000)); return 'changed'
say('20 g+s by a descriptor:', by_descriptor, ids)
`;

const settings: readonly (readonly [string, readonly string[]])[] = [
  ['namespaces', []],
  ['no namespaces', [compiled('deny-syscalls.c'), ...noNamespaces, '--']],
];

for (const [name, through] of settings) {
  test(`attacks on behalf: a part of the rights is given up (${name})`, {skip: !root}, async (t) => {
    if (!requireProgram(t, 'python3', 'cc')) return;
    const scratch = makeScratch(t, root!, {
      'ids.py': program,
      '.git/hooks/pre-commit': '',
      '.git/HEAD': '',
      'below/.git/HEAD': '',
      'below/.git/config': '[core]\n\tbare = false\n',
      'below/.git/objects/': '',
    });
    chmodSync(scratch.root, 0o755);
    chmodSync(scratch.home, 0o755);
    const ran = async (command: string, ...flags: readonly string[]): Promise<string> => {
      const run = ['run', ...flags, `python3 ids.py ${command}; rm -r c4`];
      const {stdout, stderr} = await runIon(scratch, run, {as: root!, ...(flags.length ? {} : {through})});
      assert.equal(stdout.trimEnd().split('\n').length, 20, stderr);
      return stdout;
    };
    const refused = await ran('', '--no-sandbox');
    for (const line of refused.trimEnd().split('\n'))
      assert.match(line, /(?:Permission denied|not permitted|0o40755)$/);
    // With its rights root can do each of them: the refusals above come from the missing rights.
    assert.doesNotMatch(await ran('keep', '--no-sandbox'), /Permission denied|not permitted|0o40755/);
    assert.equal(await ran(''), refused);
  });
}
