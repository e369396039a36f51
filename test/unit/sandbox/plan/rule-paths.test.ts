import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Effect, Rule} from '../../../../src/config/settings.ts';
import {rulePaths} from '../../../../src/sandbox/plan/rule-paths.ts';

const rule = (effect: Effect, match: string, more: Partial<Rule> = {}): Rule => ({
  effect,
  scope: 'path',
  match,
  source: 'manifest',
  origin: {layer: 'user', file: 'x', line: 1},
  trusted: true,
  ...more,
});

/** `path - exception ...` */
const cases: readonly {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly want: readonly string[];
}[] = [
  {name: 'a rule that denies', rules: [rule('deny', '/a')], want: ['/a']},
  {name: 'only rules that deny', rules: [rule('allow', '/a'), rule('ask', '/b')], want: []},
  {name: 'only rules about paths', rules: [rule('deny', '/a', {scope: 'command_prefix'})], want: []},
  {
    name: 'rules for commands only',
    rules: [rule('deny', '/a', {tool: 'read'}), rule('deny', '/b', {tool: 'bash'})],
    want: ['/b'],
  },
  {
    name: 'a more specific rule below',
    rules: [rule('deny', '/a'), rule('allow', '/a/b')],
    want: ['/a - /a/b'],
  },
  {name: 'an ask rule below', rules: [rule('deny', '/a'), rule('ask', '/a/b')], want: ['/a - /a/b']},
  {name: 'a less specific rule above', rules: [rule('deny', '/a/b'), rule('allow', '/a')], want: ['/a/b']},
  {name: 'a name that only begins like it', rules: [rule('deny', '/a'), rule('allow', '/ab')], want: ['/a']},
  {
    name: 'the same path, a stronger source',
    rules: [rule('deny', '/a'), rule('allow', '/a', {source: 'workspace'})],
    want: [],
  },
  {name: 'the same path, the same source', rules: [rule('deny', '/a'), rule('allow', '/a')], want: ['/a']},
  {
    name: 'an untrusted project: what it denies stays denied',
    rules: [
      rule('deny', '/a', {trusted: false}),
      rule('allow', '/a', {source: 'workspace'}),
      rule('allow', '/a/b'),
    ],
    want: ['/a'],
  },
  {
    name: 'an untrusted project cannot allow',
    rules: [rule('deny', '/a'), rule('allow', '/a/b', {trusted: false})],
    want: ['/a'],
  },
  {name: 'no character is a wildcard', rules: [rule('deny', '/a (b)')], want: ['/a \\(b\\)']},
];

for (const {name, rules, want} of cases) {
  test(`paths that rules deny: ${name}`, () => {
    const said = rulePaths(rules, 'never').map(({entry, except}) => [entry.value, ...except].join(' - '));
    assert.deepEqual(said, want);
  });
}

test('paths that rules deny: an ask rule that the row skips is not an exception', () => {
  const [path] = rulePaths([rule('deny', '/a'), rule('ask', '/a/b')], 'bypass_permissions');
  assert.deepEqual(path?.except, []);
});
