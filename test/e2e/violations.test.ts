import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer, type AddressInfo} from 'node:net';
import {test} from 'node:test';
import {identities, testers} from '../harness/identity.ts';
import {runIon, runProgram} from '../harness/run.ts';
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
 * Refusals are reported: as an event with path, protection and the setting that would allow it, and as a closing line on
 * stderr, even when the command itself succeeds.
 */
const cases: readonly {
  readonly name: string;
  readonly command: string;
  readonly files?: Files;
  readonly flags?: readonly string[];
  readonly config?: string;
  readonly code?: number;
  /** [operation, path below home, protection, count] of each reported refusal; none: nothing is reported. */
  readonly reported: readonly (readonly [string, string, string, number])[];
  /** A part of the closing line. */
  readonly says?: string;
  /** Reported as an event, without a closing line. */
  readonly quiet?: true;
}[] = [
  {
    name: 'a write outside, once for each path',
    command: 'for i in 1 2 3; do echo x > ../f; done; echo x > ../g; true',
    reported: [
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
    reported: [
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
    reported: [['exec', 'tool', 'exec', 1]],
    says: 'could not execute',
  },
  {
    name: 'a file that no user may execute is not reported as a refusal',
    command: '~/text; true',
    files: {'~/text': 'x\n'},
    reported: [],
  },
  {
    name: 'a program by a symlink to it',
    command: 'ln -s /usr/bin/true t && ./t',
    reported: [],
  },
  {
    name: 'an execution that deny_commands names, in a script',
    command: 'sh script',
    files: {script: '/usr/bin/base64 /dev/null\ntrue\n'},
    config: '[permissions]\ndeny_commands = ["base64 *"]\n',
    reported: [['exec', '/usr/bin/base64', 'denied-exec', 1]],
    says: 'denied by deny_commands',
  },
  {
    name: 'an auto-run file that the command plants',
    command: 'echo x > .envrc; true',
    reported: [['write', 'work/.envrc', 'autorun', 1]],
    says: 'sandbox.unprotect',
  },
  {
    name: 'a connection, with its address',
    command: 'exec 3<>/dev/tcp/192.0.2.1/80; true',
    reported: [['connect', '192.0.2.1:80', 'network', 1]],
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
    reported: [
      ['connect', '192.0.2.1:53 for example.com', 'network', 2],
      ['connect', '192.0.2.1:53 for a?b.??[31m', 'network', 1],
      ['connect', '192.0.2.1:53', 'network', 2],
      ['connect', '192.0.2.1:54', 'network', 1],
    ],
    says: 'could not look up a name at "192.0.2.1:53 for example.com" (sendto: the network is closed, 2 times)',
  },
  {
    name: 'a connection to this machine',
    command: 'exec 3<>/dev/tcp/127.0.0.1/80; true',
    reported: [['connect', '127.0.0.1:80', 'network', 1]],
    says: 'for this run: --set sandbox.network=loopback; for all: sandbox.network = "loopback" in ~/.ion/config.toml (for a server of the same run; "full" for others)',
  },
  {
    name: 'a server, with its port',
    command: 'python3 -m http.server 8000 --bind 127.0.0.1; true',
    reported: [['bind', '127.0.0.1:8000', 'network', 1]],
    says: 'could not listen on "127.0.0.1:8000" (bind: the network is closed)\nhelp: for this run: --set sandbox.network=loopback',
  },
  {
    // getaddrinfo(3) connects datagram sockets to sort its results. These connections do not belong to the server.
    name: 'a server on every address',
    command: 'python3 -m http.server 8000; true',
    reported: [['bind', '[::]:8000', 'network', 1]],
  },
  {
    name: 'a check whether a port is free',
    command: 'python3 -c "import socket; socket.create_server((\'127.0.0.1\', 0))" 2>/dev/null; true',
    reported: [['bind', '127.0.0.1:0', 'network', 1]],
    quiet: true,
  },
  {
    name: 'the same of a command that fails',
    command: 'python3 -c "import socket; socket.create_server((\'127.0.0.1\', 0))"',
    code: 1,
    reported: [['bind', '127.0.0.1:0', 'network', 1]],
    says: 'could not listen on',
  },
  {
    name: 'a file that starts with the session, where home is writable',
    command: 'mkdir -p ~/.config/autostart; true',
    config: '[sandbox]\nwrite_roots = ["~"]\n',
    reported: [['write', '.config/autostart', 'autorun', 1]],
    says: 'sandbox.unprotect = [".config/autostart"]',
  },
  {
    name: 'a server, where the run has its own loopback',
    command: 'python3 -c "import socket; socket.create_server((\'127.0.0.1\', 0))"',
    config: '[sandbox]\nnetwork = "loopback"\n',
    reported: [],
  },
  {
    name: 'sockets that are not servers',
    command:
      "python3 -c \"import socket as s; s.socket(s.AF_INET, s.SOCK_DGRAM).bind(('', 0)); s.socket(s.AF_UNIX).bind('own')\"",
    reported: [],
  },
  {
    name: 'a read, on demand',
    command: 'cat ~/secret; true',
    files: {'~/secret': 'x'},
    flags: ['--explain'],
    reported: [['read', 'secret', 'reads', 1]],
    says: 'sandbox.read_roots',
  },
  {
    name: 'a read, without the option',
    command: 'cat ~/secret; true',
    files: {'~/secret': 'x'},
    reported: [],
  },
  {
    name: 'a read whose failure ended the command',
    command: 'cat ~/secret',
    files: {'~/secret': 'x'},
    code: 1,
    reported: [],
    says: '"~/secret" is outside the read roots',
  },
  {
    name: 'a folder that the command entered and could not read',
    command: 'cd ~/other && ls',
    files: {'~/other/x': 'x'},
    code: 2,
    reported: [],
    says: '"~/other" is outside the read roots',
  },
  {
    name: 'the same with --explain, reported once',
    command: 'cat ~/secret',
    files: {'~/secret': 'x'},
    flags: ['--explain'],
    code: 1,
    reported: [['read', 'secret', 'reads', 1]],
    says: 'could not read',
  },
  {
    name: 'a call that fails outside too is not reported',
    command: 'echo x > /nonexistent/f; rm ../nothing; ./nothing; true',
    reported: [],
  },
  {
    name: 'nor a write that only this user cannot make, which fails outside too',
    command: `test $(id -u) = 0 ||
      test $({ touch /usr/x; mkdir /usr/x; ln -s x /usr/x; mv /usr/lib/os-release /usr/x; } 2>&1 | grep -c 'Permission denied') = 4`,
    reported: [],
  },
  {
    name: 'a symlink that O_EXCL does not follow is not reported',
    command: 'ln -s ../f l; ln -s /etc/passwd p; set -C; echo x > l; echo x > p; rm l p; true',
    reported: [],
  },
  {
    name: 'unnamed files, which get a name or had one, are not reported',
    command: `python3 -c 'import ctypes, os
link = ctypes.CDLL(None).linkat
made = os.open(".", os.O_TMPFILE | os.O_RDWR)
assert os.geteuid() != 0 or link(made, b"", -100, b"a", 0x1000) == 0
assert link(-100, b"/proc/self/fd/%d" % made, -100, b"b", 0x400) == 0
os.dup2(os.memfd_create("x"), 1)
assert os.system("echo hi > /dev/stdout") == 0'`,
    reported: [],
  },
  {
    name: 'calls that succeed are not reported',
    command: 'echo x > f && mkdir d && mv f d && chmod 600 d/f && rm -r d && /bin/true',
    reported: [],
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
    reported,
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
      // Each is reported when it happens, and at the end with its count. The last event of an id counts.
      const events = [...new Map(lines.map((one) => [one.violation_id, one])).values()];
      const home = `${scratch.home}/`;
      const below = (path: string): string => /^\S+(?: for \S+)?/.exec(path.replace(home, ''))![0];
      assert.deepEqual(
        events.map(({operation, path, protection, count}) => [operation, below(path), protection, count]),
        reported,
      );
      for (const {would_allow: allow} of events) assert.ok(allow.length > 0);
      if (says !== undefined) assert.ok(stderr.includes(says), stderr);
      if (reported.length === 0 || quiet) assert.ok(!stderr.includes('blocked:'), stderr);
    });
  }
}

// These names collide under FNV-1a with its published start value, so a command could find them too. Then the second one
// was counted as the first. They are in the root folder, the start of the hash. Only root can try to write there, so other
// users cause no report.
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

// On a run's own loopback the kernel only reports that no server listens, as it does where that is true.
for (const as of testers) {
  test(`violations: a server outside that the run's own loopback hides is reported, but only while it exists (${as.name})`, async (t) => {
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
  test(`the proposal of a help line works as written, for one run and in the file, as ${as.name}`, async (t) => {
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
    const {stdout: words} = await runProgram(scratch, ['/bin/bash', '-c', `printf '%s\\0' ${options}`]);
    const once = await runIon(scratch, ['run', ...words.split('\0').slice(0, -1), command], {as, env});
    assert.deepEqual([once.code, once.stderr], [0, '']);
    writeFiles(scratch, {'~/.ion/config.toml': advice.map(([, , setting]) => setting).join('\n')});
    giveTo(scratch.home, as);
    const always = await runIon(scratch, ['run', command], {as, env});
    assert.deepEqual([always.code, always.stderr], [0, '']);
  });
}
