import {notOfTheBoundary} from '../../../src/session/report/violations.ts';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import assert from 'node:assert/strict';
import {appendWithoutAddon} from '../../../src/audit/append.ts';
import {canonicalJson} from '../../../src/audit/canonical.ts';
import {makeEvent, type EventBodies, type EventType} from '../../../src/audit/events.ts';
import {openLog} from '../../../src/audit/log.ts';
import {runAudit, type AuditInput} from '../../../src/cli/commands/audit-command.ts';
import {decide} from '../../../src/policy/decide.ts';
import {decisionRecord} from '../../../src/policy/decision-record.ts';
import {bash, listed, stateWith} from '../policy/support.ts';
import {scratch} from './support.ts';

const now = new Date('2026-01-02T12:00:00Z');
const hourAgo = new Date('2026-01-02T11:00:00Z');
const denied = decide(bash('git push'), stateWith({denyCommands: listed('git push *')}));
const action = {tool: 'bash', class: 'shell', command: 'git push \u001b[2J', paths: [], mcp_server: null};

function filled(context: TestContext): string {
  const folder = path.join(scratch(context), 'audit');
  const log = openLog({folder, append: appendWithoutAddon, mode: 'best-effort', warn: assert.fail});
  const add = <T extends EventType>(type: T, runId: string, at: Date, body: EventBodies[T]): void =>
    log.append([makeEvent(type, {runId, now: at}, body) as never]);
  add('permission.evaluated', 'aaaa1111', hourAgo, {...decisionRecord(denied), action, duration_us: null});
  add('process.exec', 'aaaa1111', hourAgo, {pid: 1, pid_inside: null, program: '/bin/true', argv: []});
  add('sandbox.violation', 'aaaa2222', now, {
    ...{
      violation_id: 'v1',
      operation: 'write',
      syscall: 'openat',
      path: '/x\n',
      program: 'touch',
      pid: 7,
      pid_inside: 3,
    },
    ...{protection: 'files', count: 1, would_allow: null, ...notOfTheBoundary},
  });
  add('run.finished', 'bbbb3333', now, {
    ...{
      exit_code: 3,
      signal: null,
      timed_out: false,
      duration_ms: 5,
      violation_refs: ['v1'],
      denial_id: null,
      usage: null,
      connections: null,
    },
  });
  return folder;
}

function audit(folder: string, input: Partial<AuditInput> & Pick<AuditInput, 'verb'>) {
  return runAudit({folder, now, ...input});
}

test('tail: a line for each event, oldest first, escaped', (context) => {
  const {stdout, exitCode} = audit(filled(context), {verb: 'tail'});
  assert.equal(exitCode, 0);
  assert.equal(
    stdout,
    '1  2026-01-02T11:00:00.000Z  aaaa1111  permission.evaluated  deny deny_command  "git push \\e[2J"\n' +
      '2  2026-01-02T12:00:00.000Z  aaaa2222  sandbox.violation  write "/x\\n" by "touch"\n' +
      '3  2026-01-02T12:00:00.000Z  bbbb3333  run.finished  exit 3\n',
  );
});

test('tail: a limit that was reached, and a change that no process was seen making', (context) => {
  const folder = path.join(scratch(context), 'audit');
  const log = openLog({folder, append: appendWithoutAddon, mode: 'best-effort', warn: assert.fail});
  const none = {
    syscall: null,
    program: null,
    pid: null,
    pid_inside: null,
    count: 1,
    would_allow: null,
    ...notOfTheBoundary,
  };
  const bodies = [
    {...none, violation_id: 'v1', operation: 'limit', path: null, protection: 'limits.memory'},
    {...none, violation_id: 'v2', operation: 'undone', path: '/w/.git/config', protection: 'autorun'},
  ];
  log.append(bodies.map((body) => makeEvent('sandbox.violation', {runId: 'cccc4444', now}, body) as never));
  const lines = audit(folder, {verb: 'tail'}).stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => line.replace(/^.* {2}sandbox\.violation {2}/, '')),
    ['limit "limits.memory"', 'undone "/w/.git/config"'],
  );
});

const queries: {query: Partial<AuditInput>; want: number[]}[] = [
  {query: {}, want: [1, 2, 3]},
  {query: {since: '30m'}, want: [2, 3]},
  {query: {since: '2h'}, want: [1, 2, 3]},
  {query: {since: '2026-01-02T11:30:00Z'}, want: [2, 3]},
  {query: {decision: 'deny'}, want: [1]},
  {query: {decision: 'allow'}, want: []},
  {query: {reason: 'deny_command'}, want: [1]},
  {query: {violations: true}, want: [2]},
];
for (const {query, want} of queries) {
  test(`tail ${JSON.stringify(query)} --json`, (context) => {
    const {stdout} = audit(filled(context), {verb: 'tail', json: true, ...query});
    const found = stdout.split('\n').filter((line) => line !== '');
    assert.deepEqual(
      found.map((line) => (JSON.parse(line) as {seq: number}).seq),
      want,
    );
  });
}

/** A log of runs. Each run is a `run.started` event and the given events. */
function withRuns(
  context: TestContext,
  runs: readonly {folder?: string; command?: string; more?: readonly [EventType, object][]}[],
): string {
  const folder = path.join(scratch(context), 'audit');
  const log = openLog({folder, append: appendWithoutAddon, mode: 'best-effort', warn: assert.fail});
  const permissionState = {
    ...{mode: 'write', approval: 'never', sandbox: true, rules: 0},
    ...{policy_sources: [], workspace_trusted: false, interaction_allowed: false},
  };
  for (const [index, {folder: cwd = '/w', command = 'make', more = []}] of runs.entries()) {
    const runId = `${index}`.padStart(8, '0') + 'ffff';
    const started = {
      ...{ion_version: '1', pid: 1, cwd, action: {...action, command}},
      permission_state: permissionState,
    };
    log.append(
      ([['run.started', started], ...more] as [EventType, EventBodies[EventType]][]).map(
        ([type, body]) => makeEvent(type, {runId, now}, body) as never,
      ),
    );
  }
  return folder;
}

const finished = {
  signal: null,
  timed_out: false,
  violation_refs: [],
  denial_id: null,
  usage: null,
  connections: null,
};
const refusal = {
  ...{operation: 'write', syscall: null, path: '/x', program: null, pid: null},
  ...{protection: 'writes', count: 1, would_allow: null},
};

test('list: one line per run: folder, exit code, duration, refusals; escaped', (context) => {
  const folder = withRuns(context, [
    {command: 'true', more: [['run.finished', {...finished, exit_code: 0, duration_ms: 5}]]},
    {
      folder: '/w/\u202ex\n',
      command: 'touch \u001b[2J',
      more: [
        ['sandbox.violation', {...refusal, violation_id: 'a-1'}],
        ['sandbox.violation', {...refusal, violation_id: 'a-1', count: 3}],
        ['sandbox.violation', {...refusal, violation_id: 'a-2'}],
        ['run.finished', {...finished, exit_code: 1, duration_ms: 65_000}],
      ],
    },
    {
      command: 'git push',
      more: [
        ['permission.evaluated', {...decisionRecord(denied), action, duration_us: null}],
        ['run.finished', {...finished, exit_code: 126, duration_ms: 1}],
      ],
    },
    {command: 'killed'},
  ]);
  const {stdout} = audit(folder, {verb: 'list'});
  const at = '2026-01-02T12:00:00.000Z';
  assert.equal(
    stdout,
    `${at}  00000000  exit 0  5ms  0 refused  "/w"  "true"\n` +
      `${at}  00000001  exit 1  65s  2 refused  "/w/\\u{202e}x\\n"  "touch \\e[2J"\n` +
      `${at}  00000002  exit 126  1ms  denied deny_command  "/w"  "git push"\n` +
      `${at}  00000003  no end  -  0 refused  "/w"  "killed"\n`,
  );
  const shown = (input: Partial<AuditInput>): string[] =>
    audit(folder, {verb: 'list', json: true, ...input})
      .stdout.split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as {command: string}).command);
  assert.deepEqual(shown({}), ['true', 'touch \u001b[2J', 'git push', 'killed']);
  assert.deepEqual(shown({here: '/w/\u202ex\n'}), ['touch \u001b[2J']);
  assert.deepEqual(shown({here: '/w/\u202e'}), []);
  assert.deepEqual(shown({violations: true}), ['touch \u001b[2J']);
  assert.deepEqual(shown({decision: 'deny'}), ['git push']);
  assert.deepEqual(shown({reason: 'deny_command'}), ['git push']);
  assert.deepEqual(shown({since: '2026-01-02T13:00:00Z'}), []);
});

test('list: the latest hundred, and how many are older', (context) => {
  const folder = withRuns(
    context,
    Array.from({length: 103}, () => ({})),
  );
  const seen = (input: Partial<AuditInput>): readonly [lines: number, stderr: string] => {
    const {stdout, stderr} = audit(folder, {verb: 'list', ...input});
    return [stdout.split('\n').length - 1, stderr];
  };
  const older = (count: number): string =>
    `ion: ${count} older runs are not shown\nhelp: "ion audit list --limit 103" shows all; --here and --since filter\n`;
  assert.deepEqual(seen({}), [100, older(3)]);
  assert.deepEqual(seen({limit: 2}), [2, older(101)]);
  assert.deepEqual(seen({limit: 103}), [103, '']);
  assert.deepEqual(seen({json: true})[0], 103);
  assert.deepEqual(seen({json: true, limit: 2})[0], 2);
  for (const limit of [0, -1, 1.5, NaN]) {
    assert.throws(() => audit(folder, {verb: 'list', limit}), /must be 1 or more/);
  }
});

test('list: a record that lacks a field does not hide others', (context) => {
  const folder = withRuns(context, [{command: 'one'}, {command: 'two'}]);
  const log = path.join(folder, 'audit.jsonl');
  writeFileSync(
    log,
    readFileSync(log, 'utf8').replace('"cwd":"/w",', '').replace('"command":"one"', '"x":1'),
  );
  assert.match(audit(folder, {verb: 'list'}).stdout, /"two"\n$/);
});

test('export: every event exactly as in the log', (context) => {
  const folder = filled(context);
  const {stdout} = audit(folder, {verb: 'export'});
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as {seq: number; type: string}).type),
    ['permission.evaluated', 'sandbox.violation', 'run.finished'],
  );
  assert.equal(audit(folder, {verb: 'export', since: '30m'}).stdout.split('\n').length, 3);
});

test('verify records each finding once; it stays reported after its cause is gone', (context) => {
  const folder = filled(context);
  const verify = () => audit(folder, {verb: 'verify', append: appendWithoutAddon});
  assert.equal(verify().exitCode, 0);
  assert.equal(verify().exitCode, 0);
  const log = path.join(folder, 'audit.jsonl');
  const whole = readFileSync(log, 'utf8');
  assert.equal(whole.match(/"log\.verified"/g)?.length, 1, 'not twice');
  // A truncated log whose head was removed.
  writeFileSync(log, `${whole.split('\n').slice(0, 2).join('\n')}\n`);
  rmSync(path.join(folder, 'head'));
  assert.match(verify().stderr, /the head file is missing/);
  assert.match(verify().stderr, /head_missing/);
  const later = openLog({folder, append: appendWithoutAddon, mode: 'best-effort', warn: assert.fail});
  for (let run = 0; run < 3; run++)
    later.append([
      makeEvent('run.finished', {runId: 'cccc', now}, {...finished, exit_code: 0, duration_ms: 1}) as never,
    ]);
  const {exitCode, stdout} = verify();
  assert.equal(exitCode, 1);
  assert.match(stdout, /note: audit\.jsonl:4: found by an earlier verify: head: the head file is missing\n/);
  assert.equal(readFileSync(log, 'utf8').match(/"intact":false/g)?.length, 2, 'each finding once');
});

test('verify does not create a log', (context) => {
  const folder = path.join(scratch(context), 'audit');
  assert.equal(audit(folder, {verb: 'verify', append: appendWithoutAddon}).exitCode, 0);
  assert.ok(!existsSync(folder));
});

test('tail: show the last events', (context) => {
  const {stdout} = audit(filled(context), {verb: 'tail', count: 1});
  assert.match(stdout, /^3 .*\n$/);
});

test('show: the events of one run, by the beginning of its id', (context) => {
  const {stdout} = audit(filled(context), {verb: 'show', run: 'bbbb'});
  assert.match(stdout, /^3 {2}2026-01-02T12:00:00.000Z {2}run.finished\n/);
  assert.match(stdout, /\n {4}exit_code: 3\n/);
});

const wrong: {name: string; input: Partial<AuditInput> & Pick<AuditInput, 'verb'>; want: RegExp}[] = [
  {name: 'an unknown run', input: {verb: 'show', run: 'cccc'}, want: /there is no run "cccc"/},
  {name: 'a prefix of two runs', input: {verb: 'show', run: 'aaaa'}, want: /matches the ids of 2 runs/},
  {name: 'an invalid run', input: {verb: 'show', run: '../x'}, want: /is not the id of a run/},
  {name: 'an invalid time', input: {verb: 'list', since: 'yesterday'}, want: /is not a time/},
  {
    name: 'an invalid decision',
    input: {verb: 'list', decision: 'denied'},
    want: /"denied" is not a decision/,
  },
  {name: 'an invalid reason', input: {verb: 'list', reason: 'nope'}, want: /"nope" is not a reason code/},
  {name: 'not a number', input: {verb: 'tail', count: Number.NaN}, want: /1 or more/},
];
for (const {name, input, want} of wrong) {
  test(`refused: ${name}`, (context) => {
    assert.throws(() => audit(filled(context), input), {name: 'IonError', message: want});
  });
}

test('verify: intact', (context) => {
  const {stdout, exitCode} = audit(filled(context), {verb: 'verify'});
  assert.match(stdout, /^intact: 3 records, the last is 3 [\da-f]{64}\n$/);
  assert.equal(exitCode, 0);
});

test('verify: names the first invalid record', (context) => {
  const folder = filled(context);
  const file = path.join(folder, 'audit.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"openat"', '"openzt"'));
  const {stderr, exitCode} = audit(folder, {verb: 'verify'});
  assert.match(
    stderr,
    /^ion: the audit log is broken at record 2: its content was changed\n --> .*audit.jsonl:2\n/,
  );
  assert.equal(exitCode, 1);
  const json = audit(folder, {verb: 'verify', json: true});
  assert.equal((JSON.parse(json.stdout) as {intact: boolean}).intact, false);
});

test('an empty log, and no log', (context) => {
  const folder = path.join(scratch(context), 'audit');
  for (const verb of ['list', 'tail', 'verify'] as const) assert.equal(audit(folder, {verb}).exitCode, 0);
  assert.equal(existsSync(folder), false);
});

test('records of another version, and edited ones, hide nothing and break nothing', (context) => {
  const folder = path.join(scratch(context), 'audit');
  const odd = [
    {type: 'permission.evaluated', time: 'x\u001b[2J'},
    {type: 'run.started', time: 't', run_id: 7, action: null},
    {type: 'run.finished', time: 't', run_id: 'r', exit_code: '0\u001b[2J'},
    {type: 'later.event\u001b', time: 't', run_id: 'r', '\u001b': 1},
    {no: 'event'},
    [1],
  ].map((event) => canonicalJson(event));
  appendWithoutAddon(folder, odd, 1 << 30, false);
  const {stdout} = audit(folder, {verb: 'tail'});
  // eslint-disable-next-line no-control-regex -- asserts that there is none
  assert.doesNotMatch(stdout, /\u001b/);
  assert.equal(stdout.split('\n').length - 1, 4);
  assert.equal(audit(folder, {verb: 'verify'}).exitCode, 1);
});

test('a log that cannot be written: one warning, or an error when the log is required', (context) => {
  const folder = path.join(scratch(context), 'audit');
  mkdirSync(folder);
  mkdirSync(path.join(folder, 'audit.jsonl'));
  const warnings: string[] = [];
  const event = makeEvent('config.ignored', {runId: 'r', now}, {key: 'k', value: 'v', at: 'f', why: 'w'});
  const options = {folder, append: appendWithoutAddon, warn: (text: string) => void warnings.push(text)};
  const log = openLog({...options, mode: 'best-effort'});
  log.append([event]);
  log.append([event]);
  assert.deepEqual(warnings, [`cannot write the audit log in "${folder}": a folder has its name`]);
  assert.throws(() => openLog({...options, mode: 'required'}).append([event]), {name: 'IonError'});
});

for (const {error, mend} of [
  {error: {errno: 28}, mend: /^free some disk space, /},
  {error: {code: 'EDQUOT', errno: -122}, mend: /^free some disk space, /},
  {error: {errno: 13}, mend: /^make the folder writable, /},
]) {
  test(`a required log, and error ${error.errno}: the message says what would help`, () => {
    const append = (): never => {
      throw Object.assign(new Error('append'), error);
    };
    const event = makeEvent('config.ignored', {runId: 'r', now}, {key: 'k', value: 'v', at: 'f', why: 'w'});
    const log = openLog({folder: '/x', append, mode: 'required', warn: () => undefined});
    assert.throws(
      () => log.append([event]),
      (thrown: {help?: string}) => mend.test(thrown.help ?? ''),
    );
  });
}
