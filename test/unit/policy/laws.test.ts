/** Laws that hold for all rules, actions and settings. */
import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {
  ApprovalMode,
  Effect,
  Rule,
  RuleScope,
  RuleSource,
  Settings,
} from '../../../src/config/settings.ts';
import {decide} from '../../../src/policy/decide.ts';
import type {Action, PermissionState} from '../../../src/policy/decision.ts';
import {explain} from '../../../src/policy/explain.ts';
import {atLeastAsStrict, modeOutcome, stricter} from '../../../src/config/approval-table.ts';
import {decisionRecord} from '../../../src/policy/decision-record.ts';
import {at, bash, inUserFile, mcp, rule, sourced, stateWith, tool} from './support.ts';
import {runsOf} from '../../harness/extent.ts';
import {fc} from '../../harness/property.ts';

const severity: Record<string, number> = {allow: 0, ask: 1, deny: 2, unavailable: 2};
const modes: ApprovalMode[] = [
  ...(['never', 'ask', 'safe', 'auto', 'yolo', 'default', 'plan'] as const),
  ...(['accept_edits', 'dont_ask', 'bypass_permissions', 'on_failure'] as const),
];

const action = fc.constantFrom<Action>(
  ...[
    'ls',
    'git push',
    'git push && make',
    'npm test > x',
    'cat ~/.ssh/id',
    'rm -rf /',
    '$x',
    'if',
    '(git status)',
  ].map((text) => bash(text)),
  tool('write', 'edit', at('/home/u/ws/a', 'write')),
  tool('write', 'edit', at('/home/u/ws/frame/a', 'write')),
  tool('read', 'read', at('/home/u/ws/a')),
  tool('write', 'edit', at('/home/u/ws/l', 'write', '/home/u/.ssh/x')),
  mcp('github', 'list'),
);
const anyRule: fc.Arbitrary<Rule> = fc
  .record({
    effect: fc.constantFrom<Effect>('allow', 'ask', 'deny'),
    source: fc.constantFrom<RuleSource>('session', 'workspace', 'manifest', 'user', 'mode'),
    trusted: fc.boolean(),
    what: fc.constantFrom<[RuleScope, string]>(
      ['command_prefix', 'git'],
      ['command_prefix', 'git push'],
      ['command_prefix', 'make'],
      ['command_prefix', 'npm test'],
      ['tool', 'bash'],
      ['tool', 'write'],
      ['tool', 'mcp:github/list'],
      ['mcp_server', 'GitHub'],
      ['path', '/home/u/ws'],
      ['path', '/home/u/ws/a'],
    ),
  })
  .map(({effect, source, trusted, what: [scope, match]}) => rule(effect, scope, match, {source, trusted}));
const settings: fc.Arbitrary<Partial<Settings>> = fc.record({
  approval: fc.constantFrom(...modes).map((value) => sourced(value)),
  mode: fc.constantFrom('read', 'write').map((value) => sourced(value as 'read' | 'write')),
  sandbox: fc.constantFrom(true, false).map((value) => sourced(value)),
  rules: fc.array(anyRule, {maxLength: 6}),
  denyCommands: fc.subarray([sourced('git push *'), sourced('npm *')]),
  frames: fc.constantFrom({}, {f: sourced('/home/u/ws/frame')}),
});
const state: fc.Arbitrary<Partial<PermissionState>> = fc.record({
  interactive: fc.boolean(),
  workspaceTrusted: fc.boolean(),
  execChecked: fc.boolean(),
  hookVerdicts: fc.array(
    fc
      .constantFrom<Effect>('allow', 'ask', 'deny')
      .map((effect) => ({effect, because: '', origin: inUserFile(1), command: 'x'})),
    {maxLength: 2},
  ),
});

function severityOf(one: Action, some: Partial<Settings>, more: Partial<PermissionState>): number {
  return severity[decide(one, stateWith(some, more)).effect]!;
}

test('law: adding a deny rule never allows more', () => {
  fc.assert(
    fc.property(action, settings, state, anyRule, (one, some, more, extra) => {
      const stricterSettings = {...some, rules: [...some.rules!, {...extra, effect: 'deny' as const}]};
      assert.ok(severityOf(one, stricterSettings, more) >= severityOf(one, some, more));
    }),
    {numRuns: runsOf(2000)},
  );
});

test('law: adding rules of an untrusted project never allows more', () => {
  fc.assert(
    fc.property(action, settings, state, fc.array(anyRule), (one, some, more, extra) => {
      const trustedOnly = some.rules!.filter(({trusted}) => trusted);
      const project = extra.map((each) => ({...each, source: 'manifest' as const, trusted: false}));
      const before = severityOf(one, {...some, rules: trustedOnly}, more);
      assert.ok(severityOf(one, {...some, rules: [...trustedOnly, ...project]}, more) >= before);
    }),
    {numRuns: runsOf(2000)},
  );
});

test('law: adding a hook never allows what a stage denied', () => {
  fc.assert(
    fc.property(action, settings, state, (one, some, more) => {
      const without = decide(one, stateWith(some, {...more, hookVerdicts: []}));
      const hook = {effect: 'allow' as const, because: '', origin: inUserFile(1), command: 'x'};
      const allowed = decide(one, stateWith(some, {...more, hookVerdicts: [hook]}));
      if (without.hard) assert.equal(allowed.effect, 'deny');
    }),
    {numRuns: runsOf(2000)},
  );
});

test('law: without a terminal a question becomes a denial, and nothing else changes', () => {
  fc.assert(
    fc.property(action, settings, state, (one, some, more) => {
      const asked = decide(one, stateWith(some, {...more, interactive: true}));
      const headless = decide(one, stateWith(some, {...more, interactive: false}));
      assert.equal(headless.effect, asked.effect === 'ask' ? 'deny' : asked.effect);
    }),
    {numRuns: runsOf(1000)},
  );
});

test('law: a decision is deterministic and has no side effects', () => {
  fc.assert(
    fc.property(action, settings, state, (one, some, more) => {
      const full = stateWith(some, more);
      const before = JSON.stringify(full);
      assert.deepEqual(decide(one, full), decide(one, full));
      assert.equal(JSON.stringify(full), before);
    }),
  );
});

test('law: the order of rules never matters', () => {
  fc.assert(
    fc.property(action, settings, state, (one, some, more) => {
      const reversed = {...some, rules: some.rules!.toReversed()};
      assert.equal(severityOf(one, reversed, more), severityOf(one, some, more));
    }),
    {numRuns: runsOf(1000)},
  );
});

test('law: every decision can be explained and recorded, and its trace contains the deciding stage', () => {
  fc.assert(
    fc.property(action, settings, state, (one, some, more) => {
      const decision = decide(one, stateWith(some, more));
      assert.ok(decision.trace.some(({reason}) => reason === decision.reason));
      assert.ok(explain(decision).startsWith(`${decision.effect} (${decision.reason}): `));
      // A JSON round trip loses nothing.
      const record = decisionRecord(decision);
      assert.deepEqual(JSON.parse(JSON.stringify(record)), record);
    }),
    {numRuns: runsOf(500)},
  );
});

test('law: a row that is at least as strict asks or denies at least as much', () => {
  for (const one of modes) {
    for (const other of modes) {
      if (!atLeastAsStrict(one, other)) continue;
      for (const column of ['read', 'edit', 'delete', 'shell', 'network', 'external', 'mcp'] as const) {
        const effect = modeOutcome(one, column);
        assert.equal(stricter(effect, modeOutcome(other, column)), effect);
      }
    }
  }
  assert.equal(atLeastAsStrict('plan', 'never'), true);
  assert.equal(atLeastAsStrict('never', 'plan'), false);
  assert.equal(atLeastAsStrict('bypass_permissions', 'never'), false);
  assert.equal(atLeastAsStrict('on_failure', 'never'), false);
});
