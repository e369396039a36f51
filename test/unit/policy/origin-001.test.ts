/** Origin document 001 (CoWork): the layered permission engine. Each row and each sentence of it is a case. */
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {decide} from '../../../src/policy/decide.ts';
import type {Action, HookVerdict, PermissionState} from '../../../src/policy/decision.ts';
import type {ApprovalMode, Settings} from '../../../src/config/settings.ts';
import {at, bash, inUserFile, listed, mcp, rule, sourced, stateWith, tool} from './support.ts';

function decided(
  action: Action,
  settings: Partial<Settings> = {},
  state: Partial<PermissionState> = {},
): string {
  const {effect, reason} = decide(action, stateWith(settings, {interactive: true, ...state}));
  return `${effect} ${reason}`;
}

function verdict(effect: HookVerdict['effect']): HookVerdict {
  return {effect, because: '', origin: inUserFile(1), command: 'policy'};
}

test('001: a decision has an exact reason code, the matched rule or mode, and the scope that matched', () => {
  const {reason, ruleRefs, scope} = decide(
    bash('true && git push'),
    stateWith({rules: [rule('deny', 'command_prefix', 'git push')]}),
  );
  assert.deepEqual(
    {reason, ruleRefs, scope},
    {
      reason: 'rule_deny',
      ruleRefs: [{key: 'rules', value: 'deny command_prefix git push', origin: inUserFile(20)}],
      scope: 'git push',
    },
  );
});

/** For each stage, a state in which this stage and all later ones would decide. The first one must decide. */
test('001: evaluation order: each stage decides before all later ones', () => {
  const action = tool('write', 'edit', at('/home/u/ws/other/x', 'write'));
  let settings: Partial<Settings> = {approval: sourced('plan')};
  let state: Partial<PermissionState> = {
    session: {
      grants: new Set(),
      rules: [],
      denials: new Map([[decide(action, stateWith({})).fingerprint, {consecutive: 3, total: 3}]]),
    },
  };
  const heard = [decided(action, settings, state)];
  const bottomUp: {settings?: Partial<Settings>; state?: Partial<PermissionState>}[] = [
    {settings: {rules: [rule('deny', 'tool', 'write')]}},
    {state: {hookVerdicts: [verdict('deny')]}},
    {settings: {mode: sourced('read')}},
    {settings: {deniedPaths: listed('/home/u/ws/other')}},
    {state: {taskRestrictions: {tools: ['write'], commands: []}}},
  ];
  for (const more of bottomUp) {
    settings = {...settings, ...more.settings};
    state = {...state, ...more.state};
    heard.push(decided(action, settings, state));
  }
  assert.deepEqual(heard, [
    'ask denial_fallback',
    'deny rule_deny',
    'deny hook_deny',
    'deny read_mode_tool',
    'deny denied_path',
    'deny task_tool_denied',
  ]);
});

test('001: MCP server names are normalised for stable matching', () => {
  assert.equal(
    decided(mcp(' My.Server', 'x'), {rules: [rule('deny', 'mcp_server', 'my_server')]}),
    'deny rule_deny',
  );
});

test('001: path scopes are normalised to absolute paths', () => {
  const settings = {rules: [rule('deny', 'path', '/home/u/ws/./a/../b/')]};
  assert.equal(decided(tool('write', 'edit', at('/home/u/ws/b/c', 'write')), settings), 'deny rule_deny');
});

test('001: command prefixes are whitespace-normalised before comparison', () => {
  assert.equal(
    decided(bash('git   push'), {rules: [rule('deny', 'command_prefix', ' git\tpush ')]}),
    'deny rule_deny',
  );
});

const actions: Record<string, Action> = {
  read: tool('read', 'read', at('/home/u/ws/a')),
  edit: tool('edit', 'edit', at('/home/u/ws/a', 'write')),
  'edit outside': tool('edit', 'edit', at('/srv/a', 'write')),
  delete: tool('delete', 'delete', at('/home/u/ws/a', 'delete')),
  shell: bash('make'),
  network: tool('fetch', 'network'),
  'shell network': bash('curl example.org'),
  external: tool('mail', 'external'),
  mcp: mcp('github', 'create_issue'),
};
const rows: Partial<Record<ApprovalMode, Record<string, 'allow' | 'ask' | 'deny'>>> = {
  default: {read: 'allow', edit: 'ask', delete: 'ask', shell: 'ask', external: 'ask', mcp: 'ask'},
  plan: {
    read: 'allow',
    edit: 'deny',
    delete: 'deny',
    shell: 'deny',
    network: 'deny',
    external: 'deny',
    mcp: 'deny',
  },
  accept_edits: {
    ...{read: 'allow', edit: 'allow', 'edit outside': 'ask', delete: 'ask', shell: 'ask'},
    ...{network: 'ask', 'shell network': 'ask', external: 'ask'},
  },
  dont_ask: {
    ...{
      read: 'allow',
      edit: 'allow',
      'edit outside': 'allow',
      delete: 'allow',
      shell: 'allow',
      network: 'allow',
    },
    ...{external: 'allow', mcp: 'allow'},
  },
  bypass_permissions: {
    edit: 'allow',
    delete: 'allow',
    shell: 'allow',
    network: 'allow',
    external: 'allow',
    mcp: 'allow',
  },
};
for (const [row, outcomes] of Object.entries(rows) as [ApprovalMode, Record<string, string>][]) {
  for (const [name, want] of Object.entries(outcomes)) {
    test(`001: mode ${row}: ${name}: ${want}`, () => {
      const {effect} = decide(actions[name]!, stateWith({approval: sourced(row)}, {interactive: true}));
      assert.equal(effect, want);
    });
  }
}

for (const [name, settings, state] of [
  ['hard guardrails', {}, {}],
  ['task restrictions', {}, {taskRestrictions: {tools: [], commands: ['rm *']}}],
  ['capability gates', {mode: sourced('read')}, {}],
  ['explicit deny rules', {rules: [rule('deny', 'command_prefix', 'rm')]}, {}],
] as [string, Partial<Settings>, Partial<PermissionState>][]) {
  test(`001: bypass_permissions still enforces ${name}`, () => {
    const command = name === 'hard guardrails' ? 'rm -rf /' : 'rm a';
    const {effect} = decide(
      bash(command),
      stateWith({approval: sourced('bypass_permissions'), ...settings}, state),
    );
    assert.equal(effect, 'deny');
  });
}

for (const row of ['bypass_permissions', 'dont_ask'] as const) {
  // "dont_ask - allow anything not hard-blocked or explicitly denied": an ask rule is neither. "bypass_permissions - skip
  // prompts and ask-rules".
  test(`001: ${row} skips ask rules, at a terminal and without one`, () => {
    const settings = {rules: [rule('ask', 'command_prefix', 'make')], approval: sourced(row)};
    assert.equal(decided(bash('make'), settings), 'allow mode_allow');
    assert.equal(decided(bash('make'), settings, {interactive: false}), 'allow mode_allow');
  });
}

test('001: "plan - allow read-only tools, deny mutating and external tools by default"', () => {
  const settings = {approval: sourced('plan' as const)};
  for (const name of 'read grep glob ls git_status git_diff git_log git_blame git_show'.split(' ')) {
    // Whatever class its host declares.
    assert.equal(decided(tool(name, 'external'), settings), 'allow builtin_allow');
  }
  assert.equal(decided(tool('write', 'edit', at('/home/u/ws/a', 'write')), settings), 'deny mode_deny');
  const listedTool = {...settings, allowedTools: listed('write')};
  assert.equal(decided(tool('write', 'edit', at('/home/u/ws/a', 'write')), listedTool), 'deny mode_deny');
});

// "CoWork tracks denial counts per permission fingerprint": tool, program, first operand, workspace.
for (const [one, other, same] of [
  ['make test', 'make test -j4', true],
  ['make test', 'make install', false],
  ['git push', 'git  push origin', true],
  ['git push', 'git pull', false],
  ['make -k test', 'make test', true],
] as const) {
  test(`001: "denial counts per permission fingerprint": ${one} and ${other}`, () => {
    const [first, second] = [one, other].map((text) => decide(bash(text), stateWith({})));
    assert.equal(first!.fingerprint === second!.fingerprint, same);
    assert.notEqual(first!.grantKey, second!.grantKey, 'but a grant is for what was shown');
  });
}

test('001: "20 total soft denials trigger fallback escalation"; without a terminal they do not lead to a question either', () => {
  const settings = {approval: sourced('plan' as const)};
  const {fingerprint} = decide(bash('make'), stateWith(settings));
  const session = {
    grants: new Set<string>(),
    rules: [],
    denials: new Map([[fingerprint, {consecutive: 1, total: 20}]]),
  };
  assert.equal(decided(bash('make'), settings, {session}), 'ask denial_fallback');
  assert.equal(decided(bash('make'), settings, {session, interactive: false}), 'deny mode_deny');
});
