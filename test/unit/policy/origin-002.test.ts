/** Origin document 002: tiered approval modes. Each cell of its table and each override is a case. */
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {decide} from '../../../src/policy/decide.ts';
import type {Action} from '../../../src/policy/decision.ts';
import type {ApprovalMode, Effect, Settings} from '../../../src/config/settings.ts';
import {
  approvesNetwork,
  asksForNames,
  allowedNames,
  nameQuestion,
  networkQuestion,
} from '../../../src/policy/network-approval.ts';
import {offeredReplies, renderQuestion} from '../../../src/session/ask/question.ts';
import {at, bash, listed, rule, sourced, stateWith, tool} from './support.ts';

function decided(action: Action, settings: Partial<Settings>): string {
  const {effect, reason} = decide(action, stateWith(settings, {interactive: true}));
  return `${effect} ${reason}`;
}

const columns: Record<string, Action> = {
  Reads: tool('read', 'read', at('/srv/anything')),
  'Workspace Writes': tool('write', 'edit', at('/home/u/ws/a', 'write')),
  Shell: bash('make'),
  Network: tool('fetch', 'network'),
  'External Writes': tool('write', 'edit', at('/srv/a', 'write')),
};
const table: Partial<Record<ApprovalMode, Effect[]>> = {
  ask: ['allow', 'ask', 'ask', 'ask', 'ask'],
  safe: ['allow', 'allow', 'ask', 'ask', 'ask'],
  auto: ['allow', 'allow', 'allow', 'ask', 'ask'],
  yolo: ['allow', 'allow', 'allow', 'allow', 'allow'],
};
for (const [mode, effects] of Object.entries(table) as [ApprovalMode, Effect[]][]) {
  for (const [index, [column, action]] of Object.entries(columns).entries()) {
    test(`002: ${mode}: ${column}: ${effects[index]}`, () => {
      const {effect} = decide(action, stateWith({approval: sourced(mode)}, {interactive: true}));
      assert.equal(effect, effects[index]);
    });
  }
}

test('002: auto: a command that writes outside the workspace, or uses the network where it is open, asks', () => {
  const settings = {approval: sourced('auto' as const)};
  assert.equal(decided(bash('echo x > /srv/a'), settings), 'ask mode_ask');
  assert.equal(decided(bash('echo x > a'), settings), 'allow mode_allow');
  assert.equal(decided(bash('echo x > /dev/null'), settings), 'allow mode_allow');
  assert.equal(decided(bash('echo x > "$where"'), settings), 'ask mode_ask');
  assert.equal(decided(bash('{ echo x; } > ~/a'), settings), 'ask mode_ask');
  assert.equal(decided(bash('cd /srv && echo x > a'), settings), 'ask mode_ask');
  assert.equal(decided(bash('curl example.org'), {...settings, network: sourced('full')}), 'ask mode_ask');
  // With the network off, the sandbox refuses it, so there is nothing to ask.
  assert.equal(decided(bash('curl example.org'), settings), 'allow mode_allow');
});

const open = {network: sourced('full' as const)};
/** "Network operations always require explicit opt-in except in Yolo": whether the decision includes the network. */
const included: [string, Partial<Settings>, string, boolean][] = [
  ['auto: a program that is not known for the network', {approval: sourced('auto')}, 'python3 x.py', false],
  ['auto: a script', {approval: sourced('auto')}, './build.sh', false],
  ['yolo', {approval: sourced('yolo')}, 'python3 x.py', true],
  ['never', {approval: sourced('never')}, 'python3 x.py', true],
  [
    'auto: a pattern of the user',
    {approval: sourced('auto'), autoApprovePatterns: listed('curl x')},
    'curl x',
    true,
  ],
  [
    'safe: a rule of the user',
    {approval: sourced('safe'), rules: [rule('allow', 'command_prefix', 'make')]},
    'make',
    true,
  ],
];
for (const [name, settings, text, want] of included) {
  test(`002: the network is approved: ${name}: ${want}`, () => {
    const state = stateWith({...open, ...settings}, {interactive: true});
    assert.equal(approvesNetwork(bash(text), decide(bash(text), state), state), want);
  });
}

test('002: a yes includes the network if the question was about it', () => {
  const state = stateWith({...open, approval: sourced('safe')}, {interactive: true});
  const yes = (text: string): boolean =>
    approvesNetwork(
      bash(text),
      {...decide(bash(text), state), effect: 'allow', reason: 'answer_allow'},
      state,
    );
  assert.deepEqual([yes('curl example.org'), yes('python3 x.py')], [true, false]);
});

test('002: a refusal of the network leads to a question, and without a terminal to a denial', () => {
  const action = bash('python3 x.py');
  const state = stateWith({...open, approval: sourced('auto')}, {interactive: true});
  const asked = networkQuestion(action, state);
  assert.equal(`${asked.effect} ${asked.reason} ${asked.scope}`, 'ask mode_ask network');
  assert.deepEqual(offeredReplies(asked, action, false), ['once', 'session', 'no']);
  const headless = networkQuestion(action, {...state, interactive: false});
  assert.equal(`${headless.effect} ${headless.reason}`, 'deny ask_unavailable');
  // The session's answer allows the network for this command. It does not allow the command itself.
  const session = {grants: new Set([asked.grantKey]), rules: [], denials: new Map()};
  assert.ok(approvesNetwork(action, decide(action, state), {...state, session}));
  assert.ok(!approvesNetwork(bash('python3 y.py'), decide(bash('python3 y.py'), state), {...state, session}));
  assert.equal(decided(action, {approval: sourced('ask')}), 'ask mode_ask');
});

test('002: a name that a running command looks up is a question of its own', () => {
  const action = bash('node x.js');
  const state = stateWith({...open, approval: sourced('auto')}, {interactive: true});
  const name = {name: `${'x'.repeat(200)}.example`, pid: 7, program: `/opt/${'p'.repeat(300)}`};
  const asked = nameQuestion(action, state, name);
  assert.equal(`${asked.effect} ${asked.reason}`, 'ask mode_ask');
  assert.ok(asked.message.startsWith(`needs approval: "${name.name}" on port 443; "pppp`));
  assert.deepEqual(offeredReplies(asked, action, false), ['once', 'session', 'workspace', 'no']);
  const headless = nameQuestion(action, {...state, interactive: false}, name);
  assert.equal(`${headless.effect} ${headless.reason}`, 'deny ask_unavailable');
  for (const [row, want] of [
    ['auto', true],
    ['never', false],
    ['plan', false],
    ['on_failure', false],
  ] as const)
    assert.equal(asksForNames(row), want, row);
});

// "Auto: Full workspace access, approval for external ops": where no kernel protection stops external operations, any
// command may perform them.
for (const [command, want] of [
  ['make', 'ask mode_ask'],
  ['python3 x.py', 'ask mode_ask'],
  ['ls -l', 'allow mode_allow'],
  ['git status', 'allow mode_allow'],
] as const) {
  test(`002: auto with sandbox = false: ${command}: ${want}`, () => {
    assert.equal(decided(bash(command), {approval: sourced('auto'), sandbox: sourced(false)}), want);
  });
  test(`002: auto where no kernel confines: ${command}: ${want}`, () => {
    const state = stateWith(
      {approval: sourced('auto')},
      {interactive: true, confines: {writes: false, network: false}},
    );
    const {effect, reason} = decide(bash(command), state);
    assert.equal(`${effect} ${reason}`, want);
  });
}

test('002: yolo and never with sandbox = false ask nothing', () => {
  for (const approval of ['yolo', 'never'] as const)
    assert.equal(
      decided(bash('make'), {approval: sourced(approval), sandbox: sourced(false)}),
      'allow mode_allow',
    );
});

for (const denied of ['/home/u/.ssh/id', '/home/u/.aws/credentials', '/etc/passwd']) {
  test(`002: denied paths are enforced even in yolo: ${denied}`, () => {
    assert.match(decided(tool('read', 'read', at(denied)), {approval: sourced('yolo')}), /^deny /);
  });
}

test('002: allowed_tools', () => {
  const settings = {approval: sourced('ask' as const), allowedTools: listed('list_files')};
  assert.equal(decided(tool('list_files', 'external'), settings), 'allow allowed_tool');
  assert.equal(decided(tool('list_files2', 'external'), settings), 'ask mode_ask');
});

const approved = ['go test', 'npm run build', 'go  test', ' go test '];
const notApproved = [
  ...[
    'go test ./...',
    'go testx',
    'go test; rm -rf x',
    'go test && x',
    'go test | x',
    'go test > x',
    'go test $(x)',
  ],
  ...[
    'go test `x`',
    'go test\nrm x',
    'X=1 go test',
    './go test',
    '(go test)',
    'go test &',
    'go test {a,b}',
    'sudo go test',
  ],
];
const patterns = {approval: sourced('ask' as const), autoApprovePatterns: listed('go test', 'npm run build')};
for (const command of approved) {
  test(`002: auto_approve_patterns: ${JSON.stringify(command)}`, () => {
    assert.equal(decided(bash(command), patterns), 'allow auto_approve_pattern');
  });
}
for (const command of notApproved) {
  test(`002: auto_approve_patterns cannot be bypassed: ${JSON.stringify(command)}`, () => {
    assert.equal(decided(bash(command), patterns), 'ask mode_ask');
  });
}

const wide = {approval: sourced('ask' as const), autoApprovePatterns: listed('go test *', 'a | b')};
for (const [command, want] of [
  ['go test ./... -run x', 'allow auto_approve_pattern'],
  ['go test', 'ask mode_ask'],
  ['go test x; rm y', 'ask mode_ask'],
  ['go test $(rm y)', 'ask mode_ask'],
  ['go test x > /etc/y', 'ask mode_ask'],
  ['go test "a b"', 'ask mode_ask'],
] as const) {
  test(`002: a pattern's wildcard does not match metacharacters: ${command}`, () => {
    assert.equal(decided(bash(command), wide), want);
  });
}

test('002: auto_approve_patterns do not apply in plan mode', () => {
  assert.equal(decided(bash('go test'), {...patterns, approval: sourced('plan')}), 'deny mode_deny');
});

test('002: a question about a name says whose name it is, however long', () => {
  const state = stateWith({...open, approval: sourced('auto')}, {interactive: true});
  const labels = ['paypal', 'com', ...Array.from({length: 3}, () => 'x'.repeat(60)), 'evil', 'co', 'uk'];
  for (const [name, want] of [
    ['registry.npmjs.org', ', a name of "npmjs.org"'],
    ['npmjs.org', ''],
    ['shop.evil.co.uk', ', a name of "evil.co.uk"'],
    [labels.join('.'), ', a name of "evil.co.uk"'],
  ] as const) {
    const asked = nameQuestion(bash('x'), state, {name, pid: 0, program: ''});
    assert.ok(
      asked.message.startsWith(`needs approval: "${name}" on port 443${want}; a program looks`),
      asked.message,
    );
    const {text} = renderQuestion(asked, bash('x'), 'x', {rows: 24, columns: 80});
    assert.ok(text.includes(asked.message.slice('needs approval: '.length)), text);
  }
});

test('002: an answer for the session about a name is for this name in this workspace', () => {
  const state = stateWith({...open, approval: sourced('auto')}, {interactive: true});
  const name = {name: 'ok.example', pid: 0, program: ''};
  const keys = [nameQuestion(bash('x'), state, name).grantKey, networkQuestion(bash('x'), state).grantKey];
  const session = {grants: new Set(keys), rules: [], denials: new Map()};
  assert.deepEqual(allowedNames({...state, session}), ['ok.example']);
  assert.deepEqual(allowedNames({...state, session, workspace: '/other'}), []);
  assert.deepEqual(allowedNames(state), []);
});
