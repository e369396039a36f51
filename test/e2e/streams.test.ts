import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {closeSync, linkSync, openSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {noLandlock, noListener, noNamespaces} from '../conformance/kernels.ts';
import {testCases} from '../harness/cases.ts';
import {plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {compiled} from '../harness/native.ts';
import {collect, runIon, startIon} from '../harness/run.ts';
import {makeScratch} from '../harness/scratch.ts';

const as = plain;
const everyByte = Buffer.from(Array.from({length: 256}, (_, byte) => byte));

testCases('streams', [
  {name: 'stdin reaches the command', args: ['run', 'cat'], stdin: 'in\n', stdout: 'in\n'},
  {
    name: 'stdout and stderr stay apart',
    args: ['run', 'echo out; echo err >&2'],
    stdout: 'out\n',
    stderr: 'err\n',
  },
  {name: 'a reader that ends early', args: ['run', 'yes | head -n 1'], stdout: 'y\n'},
  {name: 'no newline is added', args: ['run', 'printf x'], stdout: 'x'},
  {
    name: '/dev/null, zero, urandom',
    args: ['run', 'head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo x >/dev/null'],
    stdout: '3\n3\n',
  },
  {name: 'process substitution', args: ['run', 'cat <(echo a)'], stdout: 'a\n'},
  {
    name: 'with tee, the log is complete',
    args: ['run', 'exec > >(tee log) 2>&1; seq 20000'],
    stdout: /^1\n[^]*\n20000\n$/,
    after: ({work}) => assert.equal(readFileSync(`${work}/log`, 'utf8').split('\n').length, 20_001),
  },
  {
    name: 'a reader of a pipe that is still reading when the command ends gets everything',
    args: ['run', 'seq 5 > >(sleep .3; while read x; do sleep .1; echo $x; done); exit 3'],
    code: 3,
    stdout: '1\n2\n3\n4\n5\n',
  },
  {
    name: 'the same with a server, and with work after the last line',
    args: [
      'run',
      'sleep 300 & exec > >(sleep .2; x=$(cat); for ((i = 0; i < 300000; i++)); do :; done; echo "$x"); echo said; exit 3',
    ],
    code: 3,
    stdout: 'said\n',
    stderr: /^ion: killed one process that the command left in the background\nhelp: [^\n]*\n$/,
  },
  {
    name: 'a server that the command ends itself is not reported',
    args: ['run', 'sleep 300 & p=$!; read x < <(echo y); kill $p'],
  },
  {
    name: "but not for ever if it does not read, and not for a daemon on the run's standard input",
    args: ['run', 'setsid -f sleep 300; echo x > >(exec sleep 300)'],
    stdin: 'x',
  },
]);

const moved = 'python3 -c "import os; os.write(2, b\'oops\'); os.lseek(2, 0, 0)"';
const cleared =
  'python3 -c "import fcntl, os; os.write(2, b\'oops\'); fcntl.fcntl(2, fcntl.F_SETFL, 0); os.lseek(2, 0, 0)"';
const results = [
  {name: 'after a line without an end', command: 'printf oops >&2', to: '>'},
  {name: 'in a file whose position was moved', command: moved, to: '>'},
  {
    name: 'in a file that was truncated',
    command: `python3 -c "import os; os.ftruncate(2, 4)"; ${moved}`,
    to: '>',
  },
  {name: 'in a file that is no longer in append mode', command: cleared, to: '>>'},
];
for (const {name, command, to} of results) {
  test(`streams: the result of --json is a line of its own, and the last: ${name}`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {'~/log': 'before\n'});
    const script = `"$@" 2${to} ../log; echo $?`;
    const through = ['bash', '-c', script, 'bash'];
    const ended = await runIon(scratch, ['run', '--json', command], {as, through});
    assert.equal(ended.stdout, '0\n');
    const lines = readFileSync(path.join(scratch.home, 'log'), 'utf8').trimEnd().split('\n');
    assert.equal((JSON.parse(lines.pop()!) as {exit_code: number}).exit_code, 0);
    assert.equal(lines.join('\n'), to === '>' ? 'oops' : 'before\noops');
  });
}

const openedAgain = [
  {
    name: 'a process that shares a file with the command continues reading where the command stopped',
    script: '{ "$@" run "head -c 2"; printf "|"; cat; } < ../in',
    want: 'a\n|b\nc\n',
  },
  {
    name: 'the mode and the times of a file opened for writing are unchanged',
    script:
      'touch -d 2001-01-01 ../in; "$@" run "python3 -c \'import os; os.fchmod(1, 0o600)\'; python3 -c \'import os; os.utime(1, (1, 1))\'; chmod 600 /proc/self/fd/1" > ../log; stat -c %a ../log; find .. -name log -newer ../in',
    want: '644\n../log\n',
  },
];
for (const {name, script, want} of openedAgain) {
  test(`streams: ${name}`, async (t) => {
    if (!requireProgram(t, 'python3')) return;
    const scratch = makeScratch(t, as, {'~/in': 'a\nb\nc\n'});
    const ended = await runIon(scratch, [], {as, through: ['bash', '-c', `umask 022; ${script}`, 'bash']});
    assert.equal(ended.stdout, want, ended.stderr);
  });
}

test('streams: every byte passes, both ways', async (t) => {
  const scratch = makeScratch(t, as);
  const child = startIon(scratch, ['run', 'cat'], {as});
  const chunks: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin!.end(everyByte);
  assert.equal((await collect(child)).code, 0);
  assert.deepEqual(Buffer.concat(chunks), everyByte);
});

test('streams: 100 MB through a pipe, unchanged', async (t) => {
  const scratch = makeScratch(t, as);
  const child = startIon(scratch, ['run', 'cat'], {as, buffer: false});
  const block = Buffer.alloc(1 << 20, everyByte);
  const want = createHash('sha256');
  const got = createHash('sha256');
  let bytes = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    got.update(chunk);
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  for (let i = 0; i < 100; i++) {
    want.update(block);
    if (!child.stdin!.write(block)) await new Promise((resolve) => child.stdin!.once('drain', resolve));
  }
  child.stdin!.end();
  assert.equal(await ended, 0);
  assert.equal(bytes, 100 << 20);
  assert.equal(got.digest('hex'), want.digest('hex'));
});

test('streams: a reader that has ended ends the command by SIGPIPE, with nothing on stderr', async (t) => {
  const scratch = makeScratch(t, as);
  const script = '"$0" "$@" | head -n 1; echo "${PIPESTATUS[0]}"';
  const ended = await runIon(scratch, ['run', 'yes'], {as, through: ['bash', '-c', script]});
  assert.deepEqual([ended.stdout, ended.stderr], ['y\n141\n', '']);
});

test('streams: files as stdin and stdout', async (t) => {
  const scratch = makeScratch(t, as);
  // Outside the workspace: the caller of ion passes these files.
  writeFileSync(`${scratch.root}/in`, everyByte);
  const [input, output] = [openSync(`${scratch.root}/in`, 'r'), openSync(`${scratch.root}/out`, 'w')];
  t.after(() => [input, output].forEach((descriptor) => closeSync(descriptor)));
  const ended = await collect(startIon(scratch, ['run', 'cat'], {as, stdio: [input, output, 'pipe']}));
  assert.equal(ended.code, 0, ended.stderr);
  assert.deepEqual(readFileSync(`${scratch.root}/out`), everyByte);
});

for (const closed of ['<&-', '>&-', '2>&-', '<&- >&- 2>&-']) {
  test(`streams: started with ${closed}`, async (t) => {
    const scratch = makeScratch(t, as);
    const script = `"$0" "$@" ${closed}; echo "rc $?"`;
    const ended = await runIon(scratch, ['run', 'touch ran'], {as, through: ['bash', '-c', script]});
    assert.match(ended.stdout, /rc 0\n$/, ended.stderr);
    assert.ok(readFileSync(`${scratch.work}/ran`).length === 0);
  });
}

// Node's pipes are sockets, and a socket cannot be opened again by its name in /dev. So bash makes real pipes.
test('streams: /dev/stdout, /dev/stderr and /dev/fd on pipes', async (t) => {
  const scratch = makeScratch(t, as);
  const command =
    'echo a >/dev/stdout; echo b >/dev/stderr; echo c | tee /dev/stderr; cat /dev/fd/0 /dev/stdin';
  const script = 'echo in | "$0" "$@" 2> >(cat >&2) | cat; exit "${PIPESTATUS[1]}"';
  const ended = await runIon(scratch, ['run', command], {as, through: ['bash', '-c', script]});
  assert.deepEqual(ended, {code: 0, signal: null, stdout: 'a\nc\nin\n', stderr: 'b\nc\n'});
});

test('streams: a shared pipe keeps its blocking mode', async (t) => {
  const scratch = makeScratch(t, as);
  // Python sees EAGAIN at once if another process has set O_NONBLOCK on a pipe that it shares with ion.
  const script = `"$0" "$@" 3>&1; python3 -c 'import os, fcntl; print([bool(fcntl.fcntl(f, fcntl.F_GETFL) & os.O_NONBLOCK) for f in (0, 1, 2)])'`;
  const ended = await runIon(scratch, ['run', 'true'], {as, through: ['bash', '-c', script]});
  assert.equal(ended.stdout, '[False, False, False]\n', ended.stderr);
});

const failures: {
  what: string;
  args: readonly string[];
  config?: string;
  code: number;
  endedBy: string;
  message?: RegExp;
  line?: number;
}[] = [
  {
    what: 'ion itself fails',
    args: ['--timeout', 'soon', 'true'],
    code: 125,
    endedBy: 'error',
    message: /--timeout "soon" is not a time/,
  },
  {
    what: 'a config that cannot be read',
    args: ['true'],
    config: '[sandbox]\nnetwork = "off"\n',
    code: 125,
    endedBy: 'error',
    message: /network/,
    line: 2,
  },
  {
    what: 'denied by policy',
    args: ['sudo true'],
    config: '[permissions]\ndeny_commands = ["sudo *"]\n',
    code: 126,
    endedBy: 'decision',
  },
];

for (const {what, args, config = '', code, endedBy, message, line = null} of failures) {
  test(`result: the last line of stderr is JSON too when nothing ran: ${what}`, async (t) => {
    const scratch = makeScratch(t, as);
    writeFileSync(`${scratch.work}/c.toml`, config);
    const ended = await runIon(scratch, ['run', '--config', 'c.toml', '--json', ...args], {as});
    const lines = ended.stderr.trimEnd().split('\n');
    const result = JSON.parse(lines.at(-1)!) as {
      exit_code: number;
      ended_by: string;
      error: {message: string; line: number | null; help: string | null} | null;
    };
    assert.deepEqual([ended.code, result.exit_code, result.ended_by], [code, code, endedBy]);
    assert.match(lines[0]!, /^ion: /, 'and people get the usual message');
    if (!message) return assert.equal(result.error, null);
    assert.match(result.error!.message, message);
    assert.equal(result.error!.line, line);
  });
}

test('events and result: one JSON object a line, nothing on stdout', async (t) => {
  const scratch = makeScratch(t, as);
  const ended = await runIon(scratch, ['run', '--json', '--events', 'events.jsonl', 'echo hi'], {as});
  assert.equal(ended.stdout, 'hi\n');
  const result = JSON.parse(ended.stderr.trimEnd().split('\n').at(-1)!) as Record<string, unknown>;
  assert.deepEqual([result['exit_code'], result['timed_out'], result['ended_by']], [0, false, 'itself']);
  const events = readFileSync(`${scratch.work}/events.jsonl`, 'utf8').trimEnd().split('\n');
  const types = events.map((line) => (JSON.parse(line) as {type: string}).type);
  assert.deepEqual(
    types.filter((type) => type !== 'process.exec'),
    ['run.started', 'permission.evaluated', 'sandbox.applied', 'run.finished'],
  );
});

/**
 * Changes that the sandbox did not refuse during the run. A caller that reads only the result finds them in `violations`.
 */
const unrefused = [
  {what: 'a change that was undone', command: 'git config core.pager x', code: 0, want: 'undone'},
  {what: 'a limit that was met', command: 'sleep 5 & sleep 5 & sleep 5 & wait', code: 137, want: 'limit'},
];
for (const {what, command, code, want} of unrefused) {
  test(`result: the violations name ${what}`, async (t) => {
    const scratch = makeScratch(t, as, {'~/.ion/config.toml': '[sandbox.limits]\nprocesses = 3\n'});
    const made = await runIon(scratch, ['run', 'git init -q .'], {as});
    assert.equal(made.code, 0, made.stderr);
    const ended = await runIon(scratch, ['run', '--json', command], {as});
    assert.equal(ended.code, code, ended.stderr);
    const {run_id, violations} = JSON.parse(ended.stderr.trimEnd().split('\n').at(-1)!) as {
      run_id: string;
      violations: readonly {violation_id: string; operation: string}[];
    };
    assert.deepEqual(
      violations.map(({operation}) => operation),
      [want],
    );
    assert.ok(violations[0]!.violation_id.startsWith(`${run_id}-`));
  });
}

const unwritten: readonly {name: string; script: string; code: number; stdout?: string; stderr: RegExp}[] = [
  {
    name: 'events on a full disk: reported once, and the run continues',
    script: '"$@" run --events /dev/full "echo a; true; true"',
    code: 0,
    stdout: 'a\n',
    stderr: /^ion: cannot write events to "\/dev\/full": the disk is full\nhelp: the run continues[^\n]*\n$/,
  },
  {
    name: 'events on a full disk: by a descriptor',
    script: '"$@" run --events fd:3 "exit 7" 3>/dev/full',
    code: 7,
    stderr: /^ion: cannot write events to "fd:3": the disk is full\nhelp: [^\n]*\n$/,
  },
  {
    name: 'events into a file that may not grow',
    script: 'head -c 64K /dev/zero > ../events; ulimit -f 64; "$@" run --events ../events true',
    code: 0,
    stderr: /^ion: cannot write events to "\.\.\/events": the file would exceed[^\n]*\nhelp: [^\n]*\n$/,
  },
  {
    name: 'events whose reader has ended: no message',
    script: '"$@" run --events fd:3 "sleep 0.2" 3> >(exec true)',
    code: 0,
    stderr: /^$/,
  },
  ...['config --json', 'audit list --json', '--help', 'check true', '--version'].map((args) => ({
    name: `ion ${args} on a full disk`,
    script: `"$@" run true; "$@" ${args} > /dev/full`,
    code: 125,
    stderr: /^ion: cannot write to stdout: the disk is full\nhelp: [^\n]*\n$/,
  })),
  {
    name: 'ion config whose reader has ended: no message',
    script: '"$@" config --json > >(exec true)',
    code: 0,
    stderr: /^$/,
  },
];
for (const {name, script, code, stdout = '', stderr} of unwritten) {
  test(`not written: ${name}`, async (t) => {
    const scratch = makeScratch(t, as);
    const ended = await runIon(scratch, [], {as, through: ['bash', '-c', script, 'bash']});
    assert.deepEqual([ended.code, ended.stdout], [code, stdout], ended.stderr);
    assert.match(ended.stderr, stderr);
  });
}

test('events and log: no secret of a command, as typed, as quoted, or in the words of an execution', async (t) => {
  const config = {'.ion/config.toml': '[permissions]\ndeny_commands = ["curl *"]\n'};
  const scratch = makeScratch(t, as, config);
  const commands = [
    'curl --password "hunter2secret" x',
    `curl -d '{"password": "a hunter2secret"}' x`,
    'bash -c true x --password "a hunter2secret" -u me:hunter2secret',
  ];
  for (const command of commands) await runIon(scratch, ['run', '--events', '../events', command], {as});
  const events = readFileSync(`${scratch.home}/events`, 'utf8');
  assert.match(
    events,
    /"argv":\["\S*bash","-c","true","x","--password","\[redacted\]","-u","me:\[redacted\]"\]/,
  );
  assert.doesNotMatch(events, /hunter/);
  assert.doesNotMatch(readFileSync(`${scratch.home}/.ion/audit/audit.jsonl`, 'utf8'), /hunter/);
});
const changes = [
  'echo forged >> events.jsonl',
  ': > events.jsonl',
  'rm events.jsonl',
  'mv events.jsonl other',
  'mv sub/.. x; ln -f events.jsonl other && echo forged >> other',
  'ln -sf /dev/null events.jsonl',
];
const worlds: readonly {target: string; namespaces: string; lacks: () => string[]}[] = [
  {target: 'events.jsonl', namespaces: '', lacks: () => []},
  {target: 'fd:3', namespaces: '', lacks: () => []},
  {
    target: 'events.jsonl',
    namespaces: ', without namespaces',
    lacks: () => [compiled('deny-syscalls.c'), ...noNamespaces, '--'],
  },
];
for (const {target, namespaces, lacks} of worlds) {
  for (const change of changes) {
    test(`events: out of the command's reach, also in the workspace: --events ${target}, ${change}${namespaces}`, async (t) => {
      if (namespaces !== '' && !requireProgram(t, 'cc')) return;
      const scratch = makeScratch(t, as, {'sub/x': ''});
      const through = [...lacks(), 'bash', '-c', '"$@" 3>> events.jsonl', 'bash'];
      const ended = await runIon(scratch, ['run', '--events', target, `${change}; true`], {as, through});
      assert.equal(ended.code, 0, ended.stderr);
      const events = readFileSync(`${scratch.work}/events.jsonl`, 'utf8').trimEnd().split('\n');
      const types = events.map((line) => (JSON.parse(line) as {type: string}).type);
      assert.deepEqual([types[0], types.at(-1)], ['run.started', 'run.finished']);
    });
  }
}

testCases('events', [
  {
    name: 'to stderr, which the command opens again',
    args: ['run', '--events', 'fd:2', 'echo again > /dev/stderr'],
    through: ['bash', '-c', '"$@" 2>> log; grep -c -e ^again -e run.finished log', 'bash'],
    stdout: '2\n',
  },
  {
    name: 'a file with a second hard link is refused',
    args: ['run', '--events', 'events.jsonl', 'true'],
    files: {'events.jsonl': ''},
    before: ({work}) => linkSync(`${work}/events.jsonl`, `${work}/other`),
    code: 125,
    stderr: /^ion: --events "\S+" has other hard links[^\n]*\nhelp: [^\n]*\n$/,
  },
  {
    name: 'a file is refused where nothing can protect it from the command',
    needs: ['cc'],
    args: ['run', '--events', 'events.jsonl', 'true'],
    through: [compiled('deny-syscalls.c'), ...noNamespaces, ...noListener, '--'],
    code: 125,
    stderr:
      /^ion: --events "\S+" is writable by the command, and this machine has neither mounts nor a supervisor [^\n]*\nhelp: [^\n]*\n$/,
  },
]);

/** The run's file system contains only the roots, so the kernel's name for a passed descriptor leads nowhere in it. */
test('streams: without Landlock, a log outside can be opened again only for appending', async (t) => {
  if (!requireProgram(t, 'cc', 'python3')) return;
  const scratch = makeScratch(t, as, {
    '~/log': 'first\n',
    'attack.py': `import os, sys
def attempt(act):
    try: act(); sys.stderr.write('through\\n')
    except OSError: pass
for name in ('/dev/stdout', '/proc/self/fd/1', '/proc/thread-self/fd/1'):
    attempt(lambda: os.truncate(name, 0))
    attempt(lambda: os.open(name, os.O_RDWR))
    attempt(lambda: os.open(name, os.O_RDONLY))
    attempt(lambda: os.chmod(name, 0o777))
    os.write(os.open(name, os.O_WRONLY | os.O_TRUNC), b'more\\n')
`,
  });
  const log = openSync(`${scratch.home}/log`, 'a');
  const {code, stderr} = await runIon(scratch, ['run', 'python3 attack.py'], {
    as,
    stdio: ['ignore', log, 'pipe'],
    through: [compiled('deny-syscalls.c'), ...noLandlock, '--'],
  });
  closeSync(log);
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /^through$/m);
  assert.equal(readFileSync(`${scratch.home}/log`, 'utf8'), 'first\nmore\nmore\nmore\n');
});
