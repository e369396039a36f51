import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import type {Effect, Rule} from '../../../../src/config/settings.ts';
import type {ExecRules} from '../../../../src/sandbox/launch.ts';
import {planExecRules} from '../../../../src/sandbox/plan/exec-rules.ts';

const origin = {layer: 'user', file: 'x', line: 1} as const;

function plan(
  deny: readonly string[],
  rules: readonly Rule[] = [],
  {searchPath = '/nonexistent', workspace = '/w', approval = 'never' as const} = {},
): ExecRules | undefined {
  return planExecRules({
    settings: {
      denyCommands: deny.map((value) => ({value, origin})),
      approval: {value: approval, origin},
    },
    rules,
    searchPath,
    workspace,
    exist: (files) => files.map((file) => existsSync(file)),
  });
}

const prefix = (effect: Effect, match: string, more: Partial<Rule> = {}): Rule => ({
  effect,
  scope: 'command_prefix',
  match,
  source: 'manifest',
  origin,
  trusted: true,
  ...more,
});

const orders: readonly {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly want: readonly string[];
}[] = [
  {name: 'no rule denies', rules: [prefix('allow', 'git'), prefix('ask', 'git push')], want: []},
  {
    name: 'the more specific first, then the source, then the effect',
    rules: [
      prefix('deny', 'git'),
      prefix('allow', 'git push', {source: 'mode'}),
      prefix('deny', 'git push', {source: 'workspace'}),
      prefix('allow', 'git'),
      prefix('ask', 'git push  x'),
    ],
    want: ['0p git push x', '0d git push', '0p git push', '0d git', '0p git'],
  },
  {
    name: 'of an untrusted project, no rules that allow',
    rules: [
      prefix('deny', 'a', {trusted: false}),
      prefix('allow', 'a b', {trusted: false}),
      prefix('ask', 'a c', {trusted: false}),
    ],
    want: ['1p a c', '1d a'],
  },
  {name: 'no other scope', rules: [prefix('deny', '/a', {scope: 'path'})], want: []},
];

for (const {name, rules, want} of orders) {
  test(`rules at exec: ${name}`, () => assert.deepEqual(plan([], rules)?.rules ?? [], want));
}

test('rules at exec: without a rule that denies there is no plan', () => assert.equal(plan([]), undefined));

test('rules at exec: the targets of names on PATH', (t) => {
  const root = realpathSync(mkdtempSync('/var/tmp/ion-exec-rules-'));
  t.after(() => rmSync(root, {recursive: true}));
  const file = (name: string): void => {
    mkdirSync(path.join(root, path.dirname(name)), {recursive: true});
    writeFileSync(path.join(root, name), '');
    chmodSync(path.join(root, name), 0o755);
  };
  [
    'bin/tool1.2',
    'bin/systemctl',
    'bin/plain',
    'shims/py',
    'versions/3.1/bin/py3.1',
    'w/bin/mine',
    'opt/x',
  ].forEach(file);
  const link = (name: string, target: string): void => symlinkSync(target, path.join(root, name));
  link('bin/tool', 'tool1.2');
  link('bin/reboot', 'systemctl');
  link('versions/3.1/bin/py', 'py3.1');
  const searchPath = ['shims', 'bin', 'w/bin', 'none'].map((name) => path.join(root, name)).join(':');
  const patterns = [
    'tool *',
    'reboot',
    'plain x',
    'py *',
    'mine *',
    'absent *',
    'tool*',
    `${root}/opt/x *`,
    'a/b *',
  ];
  const {known = []} =
    plan(patterns, [prefix('deny', 'systemctl stop')], {searchPath, workspace: path.join(root, 'w')}) ?? {};
  assert.deepEqual(
    known.map((one) => [one.name, one.path].map((text) => text.replace(`${root}/`, '')).join(' = ')),
    [
      'tool = bin/tool1.2',
      'plain = bin/plain',
      'py = versions/3.1/bin/py3.1',
      'opt/x = opt/x',
      'systemctl = bin/systemctl',
    ],
  );
});
