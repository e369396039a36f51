import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {test} from 'node:test';
import {plain, testers} from '../harness/identity.ts';
import {requireProgram} from '../harness/must-run.ts';
import {processes, until} from '../harness/processes.ts';
import {collect, startIon} from '../harness/run.ts';
import {makeScratch, type Scratch} from '../harness/scratch.ts';
import {openTerminal} from '../harness/terminal.ts';

interface Logged {
  readonly type: string;
  readonly exit_code?: number;
  readonly signal?: string | null;
  readonly resolution?: string;
  readonly path?: string;
  readonly count?: number;
  readonly violation_id?: string;
  readonly violation_refs?: readonly string[];
}

function logOf({home}: Scratch): readonly Logged[] {
  const file = `${home}/.ion/audit/audit.jsonl`;
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as {event: Logged}).event);
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

const hook = (event: string, sandbox: boolean): string =>
  `[[hooks]]\nevent = "${event}"\nsandbox = ${sandbox}\ncommand = "echo $$ > pid; touch up; sleep 300; true"\n`;

const interruptions = (['PreToolUse', 'SessionStart', 'Stop'] as const).flatMap((event) =>
  [true, false].flatMap((sandbox) =>
    (
      [
        ['SIGTERM', 143, 143],
        ['SIGHUP', 129, 129],
        ['SIGINT', 130, 'SIGINT'],
      ] as const
    ).map(([send, code, want]) => ({event, sandbox, send, code, want})),
  ),
);
for (const {event, sandbox, send, code, want} of interruptions) {
  const where = sandbox ? 'in' : 'outside of';
  test(`record: ${send} while a ${event} hook runs ${where} the sandbox: the run is in the log as finished`, async (t) => {
    const scratch = makeScratch(t, plain, {'~/.ion/config.toml': hook(event, sandbox)});
    const child = startIon(scratch, ['run', 'true'], {as: plain, stdio: ['ignore', 'pipe', 'pipe']});
    const ended = collect(child, 20_000);
    await until('the hook', () => existsSync(`${scratch.work}/up`));
    const types = logOf(scratch).map(({type}) => type);
    assert.ok(types.includes('run.started'), 'before the hook');
    child.kill(send);
    const {code: exit, signal, stderr} = await ended;
    assert.equal(exit ?? signal, want, stderr);
    assert.doesNotMatch(stderr, /bug in ion/);
    const last = logOf(scratch).at(-1)!;
    assert.deepEqual([last.type, last.exit_code, last.signal], ['run.finished', code, String(code - 128)]);
    assert.equal(logOf(scratch).filter(({type}) => type === 'run.finished').length, 1);
    // In a namespace of its own the pid refers to another process.
    if (sandbox) return;
    const pid = Number(readFileSync(`${scratch.work}/pid`, 'utf8'));
    await until('the end of the hook', () => !isAlive(pid));
  });
}

test('record: a hook that ignores SIGTERM delays ion for seconds, and is ended', async (t) => {
  const config = hook('Stop', true).replace('echo', "trap '' TERM; echo");
  const scratch = makeScratch(t, plain, {'~/.ion/config.toml': config});
  const child = startIon(scratch, ['run', 'true'], {as: plain, stdio: ['ignore', 'pipe', 'pipe']});
  const ended = collect(child, 20_000);
  await until('the hook', () => existsSync(`${scratch.work}/up`));
  child.kill('SIGTERM');
  assert.equal((await ended).code, 143);
  assert.equal(logOf(scratch).at(-1)!.exit_code, 143);
});

for (const send of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
  test(`record: ${send} while ion asks: the question is cancelled, and the run finished`, async (t) => {
    if (!requireProgram(t, 'tmux')) return;
    const scratch = makeScratch(t, plain, {'~/.ion/config.toml': '[permissions]\napproval = "ask"\n'});
    const terminal = openTerminal(scratch, plain);
    try {
      terminal.line(`ion run "touch ran; : ${scratch.root}"`);
      await terminal.shows('Allow?');
      assert.ok(
        logOf(scratch).some(({type}) => type === 'permission.requested'),
        'before the answer',
      );
      const ion = processes().find(({command}) => command.includes(`touch ran; : ${scratch.root}`))!;
      process.kill(ion.pid, send);
      await until('the end of ion', () => !isAlive(ion.pid));
    } finally {
      await terminal.close();
    }
    const log = logOf(scratch);
    assert.equal(log.find(({type}) => type === 'permission.resolved')?.resolution, 'cancelled');
    assert.equal(log.at(-1)!.type, 'run.finished');
    assert.ok(log.at(-1)!.exit_code! > 128);
    assert.equal(existsSync(`${scratch.work}/ran`), false);
  });
}

for (const as of testers) {
  test(`record: a violation is in the log when ion is killed (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const command = 'touch ../outside; touch up; sleep 300';
    const child = startIon(scratch, ['run', command], {as, stdio: ['ignore', 'pipe', 'pipe']});
    const ended = collect(child, 20_000);
    await until('the command', () => existsSync(`${scratch.work}/up`));
    await until('the violation', () => logOf(scratch).some(({type}) => type === 'sandbox.violation'));
    child.kill('SIGKILL');
    await ended;
    const found = logOf(scratch).find(({type}) => type === 'sandbox.violation');
    assert.deepEqual([found?.path, found?.count], [`${scratch.home}/outside`, 1]);
  });

  test(`record: repeated violations are reported again, with their count (${as.name})`, async (t) => {
    const scratch = makeScratch(t, as);
    const command = 'for i in $(seq 150); do : > ../outside-$i; done 2>/dev/null; : > ../outside-1; true';
    assert.equal((await collect(startIon(scratch, ['run', command], {as}))).code, 0);
    const found = logOf(scratch).filter(({type}) => type === 'sandbox.violation');
    const last = new Map(found.map((one) => [one.violation_id, one]));
    assert.equal(found.length, last.size + 1);
    assert.equal([...last.values()].find(({path}) => path!.endsWith('/outside-1'))!.count, 2);
    const finished = logOf(scratch).at(-1)!;
    assert.deepEqual(finished.violation_refs, [...last.keys()], 'each once');
  });
}
