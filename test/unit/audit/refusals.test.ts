import assert from 'node:assert/strict';
import {mkdirSync, renameSync} from 'node:fs';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import {appendWithoutAddon} from '../../../src/audit/append.ts';
import {canonicalJson} from '../../../src/audit/canonical.ts';
import {findRefusedRun} from '../../../src/audit/refusals.ts';
import {eventsFromEnd} from '../../../src/audit/read-log-back.ts';
import {large, scratch} from './support.ts';

const here = {workspace: '/wörk', terminalSession: 'tty_1'};
const [first, second, other] = ['aa'.repeat(16), 'ab'.repeat(16), 'cc'.repeat(16)] as const;

function started(run: string, fields: object = {}): object {
  return {
    type: 'run.started',
    run_id: run,
    cwd: here.workspace,
    workspace: here.workspace,
    terminal_session: here.terminalSession,
    action: {command: `touch ${run}`},
    permission_state: {mode: 'write'},
    ...fields,
  };
}

const refused = (run: string, number: number): object => ({
  type: 'sandbox.violation',
  run_id: run,
  violation_id: `${run}-${number}`,
});
const finished = (run: string): object => ({type: 'run.finished', run_id: run, exit_code: 1});

function filled(context: TestContext, events: readonly object[]): string {
  const folder = path.join(scratch(context), 'audit');
  const texts = events.map((event) => canonicalJson({time: '2026-01-02T12:00:00.000Z', ...event}));
  for (const text of texts) appendWithoutAddon(folder, [text], large, true);
  return folder;
}

const log = [
  started(first),
  refused(first, 1),
  started(second),
  started(other, {workspace: '/other', action: {command: `echo '"run_id":"${second}"'`}}),
  refused(second, 1),
  refused(other, 1),
  finished(first),
  refused(second, 2),
  finished(second),
  finished(other),
];

const cases: readonly {
  name: string;
  which: Parameters<typeof findRefusedRun>[1];
  want: string | undefined;
}[] = [
  {name: 'the latest here', which: here, want: second},
  {name: 'without a terminal', which: {...here, terminalSession: null}, want: undefined},
  {name: 'another workspace', which: {...here, workspace: '/other'}, want: other},
  {name: 'a full id', which: {id: first}, want: first},
  {name: 'a refusal', which: {id: `${other}-1`}, want: other},
  {name: 'a prefix', which: {id: 'aaaa'}, want: first},
  {name: 'a prefix of two', which: {id: 'a'}, want: 'several'},
  {name: 'an unknown id', which: {id: 'dddd'}, want: undefined},
];

for (const {name, which, want} of cases) {
  test(`the run of a refusal: ${name}`, (context) => {
    const found = findRefusedRun(filled(context, log), which);
    assert.equal(typeof found === 'object' ? found.run : found, want);
  });
}

test('the refusals of a run, in their order, among those of other runs', (context) => {
  const found = findRefusedRun(filled(context, log), here);
  assert.ok(typeof found === 'object');
  assert.deepEqual(
    found.violations.map(({violation_id: id}) => id),
    [`${second}-1`, `${second}-2`],
  );
  assert.equal(found.exitCode, 1);
});

test('lines longer than what is read at once, and characters of several bytes', (context) => {
  const long = 'ü'.repeat(900_000);
  const folder = filled(context, [
    ...log,
    {type: 'x', run_id: other, text: `${long}1`},
    {type: 'x', run_id: other, text: `${long}2`},
    finished(other),
  ]);
  const texts = [...eventsFromEnd(folder, [])].map((event) => (event as {text?: string}).text);
  assert.deepEqual(texts.slice(0, 4), [undefined, `${long}2`, `${long}1`, undefined]);
  assert.equal(texts.length, log.length + 3);
});

test('the latest run does not need the older files of the log', (context) => {
  const folder = filled(context, log);
  renameSync(path.join(folder, 'audit.jsonl'), path.join(folder, 'audit-000002.jsonl'));
  // Reading this one is an error.
  mkdirSync(path.join(folder, 'audit-000001.jsonl'));
  assert.equal((findRefusedRun(folder, here) as {run: string}).run, second);
  assert.throws(() => findRefusedRun(folder, {id: 'dddd'}), /cannot read the audit log/);
});
