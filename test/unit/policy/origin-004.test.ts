/** Origin document 004: the auditable runtime standard. Its modes, its facts and its anti-patterns are cases. */
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {decide} from '../../../src/policy/decide.ts';
import type {Action, PermissionState} from '../../../src/policy/decision.ts';
import type {ApprovalMode, Settings} from '../../../src/config/settings.ts';
import {offersRerun} from '../../../src/config/approval-table.ts';
import {decisionRecord} from '../../../src/policy/decision-record.ts';
import {at, bash, inUserFile, listed, rule, sourced, stateWith, tool} from './support.ts';

interface Semantics {
  readonly means: string;
  readonly settings: Partial<Settings>;
  readonly state?: Partial<PermissionState>;
  readonly want: Readonly<Record<string, string>>;
}

const samples: Record<string, Action> = {
  read: tool('read', 'read', at('/home/u/ws/a')),
  edit: tool('edit', 'edit', at('/home/u/ws/a', 'write')),
  'trusted command': bash('git status'),
  'other command': bash('make'),
  'leaves the workspace': bash('echo x > /srv/a'),
};
const approval = (mode: ApprovalMode): Partial<Settings> => ({approval: sourced(mode)});

/** The eight modes of the document, and ion's name for each. A table in the documents lists the same. */
const semantics: Record<string, Semantics> = {
  default: {
    means: 'reads run, everything else is asked',
    settings: approval('default'),
    want: {read: 'allow', edit: 'ask', 'other command': 'ask'},
  },
  untrusted: {
    means: 'only commands that are known to read run unasked',
    settings: approval('ask'),
    state: {workspaceTrusted: true},
    want: {read: 'allow', 'trusted command': 'allow', 'other command': 'ask', edit: 'ask'},
  },
  on_request: {
    means: 'work inside the boundary runs, what leaves it is asked',
    settings: approval('auto'),
    want: {read: 'allow', edit: 'allow', 'other command': 'allow', 'leaves the workspace': 'ask'},
  },
  on_failure: {
    means: 'nothing is asked beforehand; a violation is followed by the offer of one re-run',
    settings: approval('on_failure'),
    want: {read: 'allow', edit: 'allow', 'other command': 'allow', 'leaves the workspace': 'allow'},
  },
  never: {
    means: 'nothing is ever asked: the boundary decides',
    settings: approval('never'),
    want: {read: 'allow', edit: 'allow', 'other command': 'allow', 'leaves the workspace': 'allow'},
  },
  plan: {
    means: 'only reading',
    settings: approval('plan'),
    want: {read: 'allow', edit: 'deny', 'other command': 'deny', 'leaves the workspace': 'deny'},
  },
  bypass: {
    means: 'no prompt and no ask rule; hard blocks hold',
    settings: {...approval('bypass_permissions'), rules: [rule('ask', 'command_prefix', 'make')]},
    want: {edit: 'allow', 'other command': 'allow', 'leaves the workspace': 'allow'},
  },
  auto: {
    means: 'rules and hooks decide in place of a person',
    settings: {...approval('dont_ask'), rules: [rule('deny', 'command_prefix', 'make')]},
    want: {read: 'allow', edit: 'allow', 'other command': 'deny', 'trusted command': 'allow'},
  },
};
for (const [name, {means, settings, state, want}] of Object.entries(semantics)) {
  for (const [sample, effect] of Object.entries(want)) {
    test(`004: ${name} (${means}): ${sample}: ${effect}`, () => {
      const decision = decide(samples[sample]!, stateWith(settings, {interactive: true, ...state}));
      assert.equal(decision.effect, effect, decision.message);
    });
  }
}

test('004: only on_failure offers a re-run', () => {
  const modes = Object.values(semantics).map(({settings}) => settings.approval!.value);
  assert.deepEqual(modes.filter(offersRerun), ['on_failure']);
});

test('004: every mode preserves destructive-action facts', () => {
  for (const [name, {settings, state}] of Object.entries(semantics)) {
    const decision = decide(bash('git push --force'), stateWith(settings, {interactive: true, ...state}));
    const record = decisionRecord(decision);
    assert.equal(record.destructive, true, name);
    assert.ok(record.impact_scope.length > 0, name);
    assert.ok(
      record.rollback_advice.every((advice) => advice !== ''),
      name,
    );
    assert.notEqual(record.decision_source, '', name);
  }
});

test('004: a decision record has all of its fields', () => {
  const decision = decide(bash('git push'), stateWith({denyCommands: listed('git push *')}));
  const {decision: effect, ...record} = decisionRecord(decision);
  assert.equal(effect, 'deny');
  for (const field of [
    ...['decision_source', 'decision_reason', 'rule_refs', 'updated_input_ref'],
    ...['approval_action_id', 'expires_at', 'scope', 'destructive', 'impact_scope', 'rollback_advice'],
  ]) {
    assert.ok(Object.hasOwn(record, field), field);
  }
  assert.deepEqual(record.rule_refs, [
    {key: 'deny_commands', value: 'git push *', at: '~/.ion/config.toml:10'},
  ]);
});

test('004: a hook-provided allow is a decision source, not a universal override', () => {
  const state = {
    interactive: true,
    hookVerdicts: [{effect: 'allow' as const, because: '', origin: inUserFile(1), command: 'x'}],
  };
  const effects = [
    decide(bash('make'), stateWith(approval('ask'), state)),
    decide(bash('make'), stateWith({rules: [rule('deny', 'command_prefix', 'make')]}, state)),
    decide(bash('make'), stateWith({rules: [rule('ask', 'command_prefix', 'make')]}, state)),
  ].map(({effect, source}) => `${effect} ${source}`);
  assert.deepEqual(effects, ['allow hooks', 'deny rules', 'ask rules']);
});

test('004: no waiting for input in a non-interactive mode: an ask is an immediate denial that keeps its rule', () => {
  const decision = decide(bash('make'), stateWith({rules: [rule('ask', 'command_prefix', 'make')]}));
  assert.equal(`${decision.effect} ${decision.reason}`, 'deny ask_unavailable');
  assert.equal(decision.ruleRefs[0]?.value, 'ask command_prefix make');
});
