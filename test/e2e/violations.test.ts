import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer, type AddressInfo} from 'node:net';
import {test} from 'node:test';
import {identities, testers} from '../harness/identity.ts';
import {runIon} from '../harness/run.ts';
import {giveTo, makeScratch, writeFiles, type Files} from '../harness/scratch.ts';

interface Violation {
  readonly type: string;
  readonly violation_id: string;
  readonly operation: string;
  readonly path: string;
  readonly protection: string;
  readonly count: number;
  readonly would_allow: string;
}

/**
 * What is refused is told: as an event with path, protection and what would allow it, and as a closing line on stderr, also when
 * the command itself ends well.
 */
const cases: readonly {
  readonly name: string;
  readonly command: string;
  readonly files?: Files;
  readonly flags?: readonly string[];
  readonly config?: string;
  readonly code?: number;
  /** [operation, path below home, protection, times] of each; none: nothing is told. */
  readonly told: readonly (readonly [string, string, string, number])[];
  /** A part of the closing line. */
  readonly says?: string;
  /** Told, and yet no closing line. */
  readonly quiet?: true;
}[] = [
  {
    name: 'a write outside, once for each path',
    command: 'for i in 1 2 3; do echo x > ../f; done; echo x > ../g; true',
    told: [
      ['write', 'f', 'writes', 3],
      ['write', 'g', 'writes', 1],
    ],
    says: 'could not change',
  },
  {
    name: 'an execution outside the read roots',
    command: '~/tool; true',
    files: {'~/tool': {text: '#!/bin/sh\necho ran\n', mode: 0o755}},
    flags: ['--explain'],
    told: [
      ['exec', 'tool', 'exec', 1],
      ['read', 'tool', 'reads', 1],
    ],
    says: 'could not execute',
  },
  {
    name: 'the same, where there are deny rules',
    command: '~/tool; true',
    files: {'~/tool': {text: '#!/bin/sh\necho ran\n', mode: 0o755}},
    config: '[permissions]\ndeny_commands = ["base64 *"]\n',
    told: [['exec', 'tool', 'exec', 1]],
    says: 'could not execute',
  },
  {
    name: 'a file that nobody may execute is no refusal of ours',
    command: '~/text; true',
    files: {'~/text': 'x\n'},
    told: [],
  },
  {
    name: 'a program by a link to it',
    command: 'ln -s /usr/bin/true t && ./t',
    told: [],
  },
  {
    name: 'an execution that deny_commands names, in a script',
    command: 'sh script',
    files: {script: '/usr/bin/base64 /dev/null\ntrue\n'},
    config: '[permissions]\ndeny_commands = ["base64 *"]\n',
    told: [['exec', '/usr/bin/base64', 'denied-exec', 1]],
    says: 'denied by deny_commands',
  },
  {
    name: 'an auto-run file that is planted',
    command: 'echo x > .envrc; true',
    told: [['write', 'work/.envrc', 'autorun', 1]],
    says: 'sandbox.unprotect',
  },
  {
    name: 'a connection, with its address',
    command: 'exec 3<>/dev/tcp/192.0.2.1/80; true',
    told: [['connect', '192.0.2.1:80', 'network', 1]],
    says: 'the network is closed',
  },
  {
    name: 'datagrams to a name server, with the names they ask for',
    command: 'python3 ask.py',
    files: {
      'ask.py': `import socket
def query(*labels): return bytes([0, 7, 1, 0, 0, 1] + [0] * 6) + b''.join(bytes([len(l)]) + l for l in labels) + bytes([0, 0, 1, 0, 1])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def send(to, *parts):
    try: s.sendmsg(parts, [], 0, to)
    except OSError as error: assert error.errno == 101
def sendto(to, message):
    try: s.sendto(message, to)
    except OSError as error: assert error.errno == 101
for i in range(2): sendto(('192.0.2.1', 53), query(b'example', b'com'))
send(('192.0.2.1', 53), query(b'a.b', b'\\xff\\x1b[31m'), b'rest')
sendto(('192.0.2.1', 53), b'no query')
sendto(('192.0.2.1', 54), query(b'example', b'com'))
sendto(('192.0.2.1', 53), b'')
`,
    },
    told: [
      ['connect', '192.0.2.1:53 for example.com', 'network', 2],
      ['connect', '192.0.2.1:53 for a?b.??[31m', 'network', 1],
      ['connect', '192.0.2.1:53', 'network', 2],
      ['connect', '192.0.2.1:54', 'network', 1],
    ],
    says: 'could not reach "192.0.2.1:53 for example.com" (sendto: the network is closed, 2 times)',
  },
  {
    name: 'a connection to this machine',
    command: 'exec 3<>/dev/tcp/127.0.0.1/80; true',
    told: [['connect', '127.0.0.1:80', 'network', 1]],
    says: 'for this run: --set sandbox.network=loopback; for all: sandbox.network = "loopback" in ~/.ion/config.toml (for a server of the same run; "full" for others)',
  },
  {
    name: 'a server, with its port',
    command: 'python3 -m http.server 8000 --bind 127.0.0.1; true',
    told: [['bind', '127.0.0.1:8000', 'network', 1]],
    says: 'could not listen on "127.0.0.1:8000" (bind: the network is closed)\nhelp: for this run: --set sandbox.network=loopback',
  },
  {
    // getaddrinfo(3) connects datagram sockets to sort what it found: no connection of the server's.
    name: 'a server on every address',
    command: 'python3 -m http.server 8000; true',
    told: [['bind', '[::]:8000', 'network', 1]],
  },
  {
    name: 'a look at whether a port can be had',
    command: 'python3 -c "import socket; socket.create_server((\'127.0.0.1\', 0))" 2>/dev/null; true',
    told: [['bind', '127.0.0.1:0', 'network', 1]],
    quiet: true,
  },
  {
    name: 'the same of a command that fails',
    command: 'python3 -c "import socket; socket.create_server((\'127.0.0.1\', 0))"',
    code: 1,
    told: [['bind', '127.0.0.1:0', 'network', 1]],
    says: 'could not listen on',
  },
  {
    name: 'what starts with the session, where home may be written',
    command: 'mkdir -p ~/.config/autostart; true',
    config: '[sandbox]\nwrite_roots = ["~"]\n',
    told: [['write', '.config/autostart', 'autorun', 1]],
    says: 'sandbox.unprotect = [".config/autostart"]',
  },
  {
    name: 'a server, where the run has its loopback',
    command: 'python3 -c "import socket; socket.create_server((\'127.0.0.1\', 0))"',
    config: '[sandbox]\nnetwork = "loopback"\n',
    told: [],
  },
  {
    name: 'sockets that are no servers',
    command:
      "python3 -c \"import socket as s; s.socket(s.AF_INET, s.SOCK_DGRAM).bind(('', 0)); s.socket(s.AF_UNIX).bind('own')\"",
    told: [],
  },
  {
    name: 'a read, on demand',
    command: 'cat ~/secret; true',
    files: {'~/secret': 'x'},
    flags: ['--explain'],
    told: [['read', 'secret', 'reads', 1]],
    says: 'sandbox.read_roots',
  },
  {
    name: 'a read, where nobody asked',
    command: 'cat ~/secret; true',
    files: {'~/secret': 'x'},
    told: [],
  },
  {
    name: 'a read that the command did not get over',
    command: 'cat ~/secret',
    files: {'~/secret': 'x'},
    code: 1,
    told: [],
    says: '"~/secret" is outside the read roots',
  },
  {
    name: 'a folder that the command went to and could not read',
    command: 'cd ~/other && ls',
    files: {'~/other/x': 'x'},
    code: 2,
    told: [],
    says: '"~/other" is outside the read roots',
  },
  {
    name: 'the same with --explain, told once',
    command: 'cat ~/secret',
    files: {'~/secret': 'x'},
    flags: ['--explain'],
    code: 1,
    told: [['read', 'secret', 'reads', 1]],
    says: 'could not read',
  },
  {
    name: 'what fails outside too is not told',
    command: 'echo x > /nonexistent/f; rm ../nothing; ./nothing; true',
    told: [],
  },
  {
    name: 'nor what only this user could not write, which fails as outside',
    command: `test $(id -u) = 0 ||
      test $({ touch /usr/x; mkdir /usr/x; ln -s x /usr/x; mv /usr/lib/os-release /usr/x; } 2>&1 | grep -c 'Permission denied') = 4`,
    told: [],
  },
  {
    name: 'a link that O_EXCL does not follow is not told',
    command: 'ln -s ../f l; ln -s /etc/passwd p; set -C; echo x > l; echo x > p; rm l p; true',
    told: [],
  },
  {
    name: 'files without a name, which get one or have had one, are not told',
    command: `python3 -c 'import ctypes, os
link = ctypes.CDLL(None).linkat
made = os.open(".", os.O_TMPFILE | os.O_RDWR)
assert os.geteuid() != 0 or link(made, b"", -100, b"a", 0x1000) == 0
assert link(-100, b"/proc/self/fd/%d" % made, -100, b"b", 0x400) == 0
os.dup2(os.memfd_create("x"), 1)
assert os.system("echo hi > /dev/stdout") == 0'`,
    told: [],
  },
  {
    name: 'what works is not told',
    command: 'echo x > f && mkdir d && mv f d && chmod 600 d/f && rm -r d && /bin/true',
    told: [],
  },
];

for (const as of testers) {
  for (const {
    name,
    command,
    files = {},
    flags = [],
    config,
    code: expected = 0,
    told,
    says,
    quiet,
  } of cases) {
    test(`violations: ${name} (${as.name})`, async (t) => {
      const scratch = makeScratch(t, as, {...files, ...(config ? {'~/.ion/config.toml': config} : {})});
      const stream = `${scratch.home}/events`;
      const {code, stderr} = await runIon(scratch, ['run', ...flags, '--events', stream, command], {as});
      assert.equal(code, expected, stderr);
      const lines = readFileSync(stream, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"sandbox.violation"'))
        .map((line) => JSON.parse(line) as Violation);
      // Told as it happens, and with its count at the end: the last of an id counts.
      const events = [...new Map(lines.map((one) => [one.violation_id, one])).values()];
      const home = `${scratch.home}/`;
      const below = (path: string): string => /^\S+(?: for \S+)?/.exec(path.replace(home, ''))![0];
      assert.deepEqual(
        events.map(({operation, path, protection, count}) => [operation, below(path), protection, count]),
        told,
      );
      for (const {would_allow: allow} of events) assert.ok(allow.length > 0);
      if (says !== undefined) assert.ok(stderr.includes(says), stderr);
      if (told.length === 0 || quiet) assert.ok(!stderr.includes('blocked:'), stderr);
    });
  }
}

// Of names that collide in FNV-1a from its published start on, as a command could find them, the second was counted as the first. In
// the root folder, which the hash then goes through; others could not write there anyway, of which nothing is told.
test('violations: none hides behind another by its hash', {skip: process.getuid!() !== 0}, async (t) => {
  const scratch = makeScratch(t, identities[0]!);
  const names = ['yimNmB4iZad', 'C9Dn6VNCiVb'];
  const script = names.map((name) => `echo x > /${name}`).join('; ');
  const {stderr} = await runIon(scratch, ['run', script], {as: identities[0]!});
  assert.deepEqual(
    [...stderr.matchAll(/could not change "\/(\w+)"/g)].map(([, name]) => name),
    names,
  );
});

// On a loopback of the run's own the kernel only says that nobody listens, as it does where that is so.
for (const as of testers) {
  test(`violations: a server outside that the own loopback hides is told, and only while it is there (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as, {'~/.ion/config.toml': '[sandbox]\nnetwork = "loopback"\n'});
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    const run = () => runIon(scratch, ['run', `: 3<>/dev/tcp/127.0.0.1/${port}`], {as});
    const there = await run();
    assert.equal(there.code, 1);
    assert.match(
      there.stderr,
      /\nion: blocked: bash \(pid \d+\) could not connect to "127\.0\.0\.1:\d+" \(connect: a server of another process\)\nhelp: for this run: --set sandbox\.network=full; for all: sandbox\.network = "full" in ~\/\.ion\/config\.toml\n$/,
    );
    server.close();
    await once(server, 'close');
    const gone = await run();
    assert.match(gone.stderr, /Connection refused\n$/);
    assert.equal(gone.code, 1);
  });
}

for (const as of testers) {
  test(`what a help line proposes works as it stands, for one run and in the file, as ${as.name}`, async (t) => {
    const files = {'.vscode/x': 'x\n', '~/data/x': 'x\n', '~/out dir/x': 'x\n'};
    const scratch = makeScratch(t, as, files);
    const command = [
      'test -n "$A_TOKEN" || code=1',
      'for f in .vscode/x ~/"out dir/x"; do echo x > "$f" || code=1; done',
      'cat ~/data/x || code=1',
      'python3 -c "import socket; socket.socket().bind((\'127.0.0.1\', 8000))" || code=1',
      'exit $code',
    ].join('; ');
    const env = {A_TOKEN: 'x'};
    const refused = await runIon(scratch, ['run', '--explain', command], {as, env});
    const advice = [
      ...refused.stderr.matchAll(/^help: for this run: (.*?); for all: (.*?) in ~\/\.ion\/config\.toml/gm),
    ];
    assert.deepEqual([refused.code, advice.length], [1, 5], refused.stderr);
    const options = advice.map(([, option]) => option).join(' ');
    const echo = execFileSync('bash', ['-c', `printf '%s\\0' ${options}`], {encoding: 'utf8'});
    const once = await runIon(scratch, ['run', ...echo.split('\0').slice(0, -1), command], {as, env});
    assert.deepEqual([once.code, once.stderr], [0, '']);
    writeFiles(scratch, {'~/.ion/config.toml': advice.map(([, , setting]) => setting).join('\n')});
    giveTo(scratch.home, as);
    const always = await runIon(scratch, ['run', command], {as, env});
    assert.deepEqual([always.code, always.stderr], [0, '']);
  });
}
