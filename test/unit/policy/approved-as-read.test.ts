import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isApprovedAsRead} from '../../../src/policy/approved-as-read.ts';
import {decide} from '../../../src/policy/decide.ts';
import type {ApprovalMode} from '../../../src/config/settings.ts';
import {bash, listed, sourced, stateWith, tool} from './support.ts';

const asking: readonly ApprovalMode[] = ['ask', 'safe', 'default', 'accept_edits'];
const denying: readonly ApprovalMode[] = ['plan'];
const letting: readonly ApprovalMode[] = [
  'never',
  'yolo',
  'auto',
  'dont_ask',
  'bypass_permissions',
  'on_failure',
];

const reads = (action: Parameters<typeof decide>[0], state: Parameters<typeof decide>[1]): boolean =>
  isApprovedAsRead(decide(action, state), state.settings.approval.value);

test('a command that only reads is approved as a read where a row asks about or denies commands', () => {
  for (const approval of [...asking, ...denying]) {
    assert.ok(reads(tool('read', 'read'), stateWith({approval: sourced(approval)})), `${approval}: a tool`);
  }
  for (const approval of asking) {
    const state = stateWith({approval: sourced(approval)}, {workspaceTrusted: true});
    assert.ok(reads(bash('git status'), state), `${approval}: a verb of a trusted workspace`);
  }
});

test('nothing is approved as a read in a row that allows all commands', () => {
  for (const approval of letting) {
    const state = stateWith({approval: sourced(approval)}, {workspaceTrusted: true});
    assert.ok(!reads(bash('git status'), state), approval);
    assert.ok(!reads(tool('read', 'read'), state), approval);
  }
});

test('allow rules, patterns and refusals do not count as approved reads', () => {
  const rule = {
    effect: 'allow',
    scope: 'command_prefix',
    match: 'touch',
    source: 'user',
    trusted: true,
  } as const;
  const origin = {layer: 'user'} as const;
  const states = [
    stateWith({approval: sourced('ask'), rules: [{...rule, origin}]}),
    stateWith({approval: sourced('ask'), autoApprovePatterns: listed('touch *')}),
    stateWith({approval: sourced('ask')}),
  ];
  for (const state of states) assert.ok(!reads(bash('touch x'), state));
});
