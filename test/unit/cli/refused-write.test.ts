import assert from 'node:assert/strict';
import {test} from 'node:test';
import {afterRefusedWrite} from '../../../src/cli/refused-write.ts';
import type {Ended} from '../../../src/cli/execute.ts';
import type {Run} from '../../../src/cli/run-in-progress.ts';
import type {ApprovalMode, Mode} from '../../../src/config/settings.ts';
import {decide} from '../../../src/policy/decide.ts';
import type {Terminal} from '../../../src/session/ask/terminal.ts';
import {bash, defaults, sourced, stateWith} from '../policy/support.ts';

interface Setting {
  readonly approval: ApprovalMode;
  readonly mode: Mode;
  /** The answer that a person types; undefined: there is no terminal. */
  readonly typed?: string;
  readonly locked?: boolean;
}

const action = {...bash('git status')};
const decided = {
  action: action as typeof action & {readonly command: NonNullable<typeof action.command>},
  decision: decide(action, stateWith({approval: sourced('ask')}, {workspaceTrusted: true})),
};
const failed = (operation: string): Ended =>
  ({
    outcome: {code: 1, signal: undefined, because: 'itself', asked: 0, left: 0, usage: undefined},
    violations: [{operation, rule: 'outside', target: '/w/.git/index.lock', count: 1}],
    others: [],
  }) as unknown as Ended;

async function tried({approval, mode, typed, locked = false}: Setting, operation = 'write') {
  const reasons: unknown[] = [];
  let runs = 0;
  const settings = {...defaults, approval: sourced(approval), mode: sourced(mode)};
  const session = {
    host: {environment: {}},
    config: {settings, lock: locked ? {origin: {layer: 'user'}} : undefined},
    ending: {during: async (_: unknown, work: Promise<unknown>) => work},
  };
  const terminal = {readLine: async () => ({line: typed}), close: () => undefined, cancel: () => undefined};
  const run = {
    session,
    recorder: {
      newRefusalId: () => 'r-1',
      emit: (_: string, body: {decision_reason: string}) => reasons.push(body.decision_reason),
    },
    signals: {orEnd: (work: () => unknown) => work()},
    made: {},
  } as unknown as Run;
  await afterRefusedWrite(run, decided, failed(operation), {
    openTerminal: () => (typed === undefined ? undefined : (terminal as unknown as Terminal)),
    again: async () => {
      runs++;
      return failed('write');
    },
  });
  return {reasons, runs, reason: run.made.decided?.decision.reason};
}

const rows: readonly (Setting & {readonly name: string; readonly runs: number; readonly reason: string})[] = [
  {
    name: 'a yes runs it again',
    approval: 'ask',
    mode: 'write',
    typed: 'y',
    runs: 1,
    reason: 'answer_allow',
  },
  {name: 'Enter means no', approval: 'ask', mode: 'write', typed: '', runs: 0, reason: 'approved_as_read'},
  {
    name: 'without a terminal it is refused',
    approval: 'ask',
    mode: 'write',
    runs: 0,
    reason: 'approved_as_read',
  },
  {
    name: 'a row that denies is not overridden',
    approval: 'plan',
    mode: 'write',
    typed: 'y',
    runs: 0,
    reason: 'approved_as_read',
  },
  {
    name: 'under a lock ion offers nothing',
    approval: 'ask',
    mode: 'write',
    typed: 'y',
    locked: true,
    runs: 0,
    reason: 'approved_as_read',
  },
  {
    name: 'read mode offers nothing either',
    approval: 'ask',
    mode: 'read',
    typed: 'y',
    runs: 0,
    reason: 'approved_as_read',
  },
];
for (const {name, runs, reason, ...setting} of rows) {
  test(`approved as read, then refused a write: ${name}`, async () => {
    const result = await tried(setting);
    assert.deepEqual(result, {runs, reason, reasons: [reason]});
  });
}

test('approved as read: only a refused write leads to a question', async () => {
  const result = await tried({approval: 'ask', mode: 'write', typed: 'y'}, 'read');
  assert.deepEqual(result, {runs: 0, reason: undefined, reasons: []});
});
