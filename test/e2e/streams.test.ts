import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {closeSync, openSync, readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {testCases} from '../harness/cases.ts';
import {plain} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
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
  {name: 'a reader that stops early', args: ['run', 'yes | head -n 1'], stdout: 'y\n'},
  {name: 'no newline is added', args: ['run', 'printf x'], stdout: 'x'},
  {
    name: '/dev/null, zero, urandom',
    args: ['run', 'head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo x >/dev/null'],
    stdout: '3\n3\n',
  },
  {name: 'process substitution', args: ['run', 'cat <(echo a)'], stdout: 'a\n'},
]);

const openedAgain = [
  {
    name: 'who shares a file with the command reads on where the command stopped',
    script: '{ "$@" run "head -c 2"; printf "|"; cat; } < ../in',
    want: 'a\n|b\nc\n',
  },
  {
    name: 'the mode and the times of a file that was opened for writing stay',
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
  const child = startIon(scratch, ['run', 'cat'], {as});
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

test('streams: a reader that is gone ends the command by SIGPIPE, with nothing on stderr', async (t) => {
  const scratch = makeScratch(t, as);
  const script = '"$0" "$@" | head -n 1; echo "${PIPESTATUS[0]}"';
  const ended = await runIon(scratch, ['run', 'yes'], {as, through: ['bash', '-c', script]});
  assert.deepEqual([ended.stdout, ended.stderr], ['y\n141\n', '']);
});

test('streams: files as stdin and stdout', async (t) => {
  const scratch = makeScratch(t, as);
  // Outside the workspace: whoever starts ion hands them over.
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

// Node's pipes are sockets, and a socket cannot be opened again by its /dev name: bash makes real ones.
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
  // Python sees EAGAIN at once when somebody has set O_NONBLOCK on what it shares with ion.
  const script = `"$0" "$@" 3>&1; python3 -c 'import os, fcntl; print([bool(fcntl.fcntl(f, fcntl.F_GETFL) & os.O_NONBLOCK) for f in (0, 1, 2)])'`;
  const ended = await runIon(scratch, ['run', 'true'], {as, through: ['bash', '-c', script]});
  assert.equal(ended.stdout, '[False, False, False]\n', ended.stderr);
});

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
