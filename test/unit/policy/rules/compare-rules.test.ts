import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {Effect, Rule, RuleScope, RuleSource} from '../../../../src/config/settings.ts';
import {matchesRule, mayMatch, prepareRule, targets} from '../../../../src/policy/rules/match-rule.ts';
import {compareRules, normalPrefix, winner} from '../../../../src/policy/rules/compare-rules.ts';
import {normalServer} from '../../../../src/config/server-name.ts';
import {bash, rule, stateWith} from '../support.ts';
import {fc} from '../../../harness/property.ts';

const sources: RuleSource[] = ['session', 'workspace', 'manifest', 'user', 'mode'];
const effects: Effect[] = ['deny', 'ask', 'allow'];
/** From the most to the least specific. Entries of one line are equally specific. */
const specificities: [RuleScope, string, Partial<Rule>?][][] = [
  [
    ['path', '/a/b/c', {tool: 'write'}],
    // One decision never compares three words with three components, but the order must be total.
  ],
  [
    ['path', '/a/b/c'],
    ['command_prefix', 'git  push\torigin'],
  ],
  [
    ['path', '/a//b/'],
    ['command_prefix', 'git push'],
  ],
  [
    ['path', '/a'],
    ['command_prefix', ' git '],
  ],
  [['tool', 'bash']],
  [['mcp_server', 'github']],
];

test('every pair of specificities: the more specific wins, whatever the source and effect', () => {
  for (const [high, above] of specificities.entries()) {
    for (const below of specificities.slice(high + 1)) {
      for (const [scope, match, more] of above) {
        for (const [otherScope, otherMatch, otherMore] of below) {
          const one = rule('allow', scope, match, {...more, source: 'mode'});
          const other = rule('deny', otherScope, otherMatch, {...otherMore, source: 'session'});
          assert.equal(winner([other, one]), one, `${scope} ${match} over ${otherScope} ${otherMatch}`);
          assert.equal(winner([one, other]), one);
          assert.equal(compareRules(one, other).because, 'more specific');
        }
      }
    }
  }
});

test('every pair of sources: at equal specificity the stronger source wins, whatever the effect', () => {
  for (const [high, source] of sources.entries()) {
    for (const lower of sources.slice(high + 1)) {
      const one = rule('allow', 'tool', 'bash', {source});
      const other = rule('deny', 'tool', 'bash', {source: lower});
      assert.equal(winner([other, one]), one, `${source} over ${lower}`);
      assert.equal(compareRules(one, other).because, 'stronger source');
    }
  }
});

test('every pair of effects: at equal source deny > ask > allow', () => {
  for (const [high, effect] of effects.entries()) {
    for (const lower of effects.slice(high + 1)) {
      const one = rule(effect, 'tool', 'bash');
      const other = rule(lower, 'tool', 'bash');
      assert.equal(winner([other, one]), one, `${effect} over ${lower}`);
      assert.equal(compareRules(one, other).because, 'stricter effect');
    }
  }
});

const anyRule = fc.record({
  effect: fc.constantFrom(...effects),
  source: fc.constantFrom(...sources),
  spec: fc.constantFrom(...specificities.flat()),
});
const made = anyRule.map(({effect, source, spec: [scope, match, more]}) =>
  rule(effect, scope, match, {...more, source}),
);

test('the order of rules in a file never matters', () => {
  fc.assert(
    fc.property(fc.array(made, {minLength: 1, maxLength: 8}), (rules) => {
      const key = ({effect, source}: Rule) => `${effect} ${source}`;
      assert.equal(key(winner(rules)!), key(winner(rules.toReversed())!));
    }),
  );
});

test('the order is transitive and antisymmetric', () => {
  const sign = (one: Rule, other: Rule) => Math.sign(compareRules(one, other).order);
  fc.assert(
    fc.property(made, made, made, (a, b, c) => {
      assert.equal(sign(a, b) + sign(b, a), 0);
      if (sign(a, b) >= 0 && sign(b, c) >= 0) assert.ok(sign(a, c) >= 0);
    }),
  );
});

test('a command prefix is whitespace-normalised', () => {
  assert.equal(normalPrefix('  git \t push\n origin '), 'git push origin');
});

for (const name of ['GitHub-Server', ' github_server ', 'github.server', 'GITHUB  SERVER']) {
  test(`MCP server name ${JSON.stringify(name)} is normalised`, () => {
    assert.equal(normalServer(name), 'github_server');
  });
}

test("the check of a rule's first word excludes only rules that match nothing", () => {
  const match = fc
    .array(fc.constantFrom('git', 'gi', 'push', '/usr/bin/git', 'A=1', '-C', 'x y'), {maxLength: 3})
    .chain((words) => fc.constantFrom(' ', '  ', '\t', '\n', '\u00a0').map((blank) => words.join(blank)))
    .chain((text) => fc.constantFrom(text, ` ${text}`, `${text}\t`));
  const some = fc.array(
    fc.oneof(
      fc
        .tuple(fc.constantFrom<Effect>('allow', 'ask', 'deny'), match)
        .map(([effect, text]) => rule(effect, 'command_prefix', text)),
      fc.constantFrom(
        rule('deny', 'tool', 'bash'),
        rule('ask', 'path', '/home/u/ws'),
        rule('deny', 'mcp_server', 'x'),
      ),
    ),
    {maxLength: 12},
  );
  const command = fc.constantFrom(
    ...['git push', '/usr/bin/git -C x push', 'A=1 git push x', 'git  push;gi', 'sudo git push', "git 'x y'"],
    ...["'x y' push", '$x push', 'A=1', '{ git; } > /home/u/ws/f', 'xargs git', ' git\tpush'],
  );
  let kept = 0;
  let left = 0;
  fc.assert(
    fc.property(some, command, (rules, text) => {
      const action = bash(text);
      const state = stateWith({rules});
      const parts = targets(action, state, true)!;
      const matching = (list: readonly Rule[]) =>
        parts.map((part) => list.filter((one) => matchesRule(prepareRule(one, state), part, action)));
      const near = mayMatch(rules, parts);
      assert.deepEqual(matching(near), matching(rules));
      kept += matching(near).flat().length;
      left += rules.length - near.length;
    }),
    {numRuns: 2000},
  );
  assert.ok(kept > 500 && left > 500, `${kept} matched, ${left} were left out`);
});
