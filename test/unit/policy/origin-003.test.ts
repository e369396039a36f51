/** Origin document 003 (ion v2): two modes, no prompts, deny rules. Each sentence of it about decisions is a case. */
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {decide} from '../../../src/policy/decide.ts';
import type {Action, PermissionState} from '../../../src/policy/decision.ts';
import type {Settings} from '../../../src/config/settings.ts';
import {at, bash, listed, sourced, stateWith, tool} from './support.ts';

function effect(
  action: Action,
  settings: Partial<Settings> = {},
  state: Partial<PermissionState> = {},
): string {
  return decide(action, stateWith(settings, state)).effect;
}

const read = {mode: sourced('read' as const)};
const inWorkspace = at('/home/u/ws/a');

test('003: everything runs by default, without a prompt', () => {
  for (const action of [
    bash('npm ci && make -j4 | tee log; ./run &'),
    tool('write', 'edit', at('/home/u/ws/a', 'write')),
    tool('delete', 'delete', at('/home/u/ws/a', 'delete')),
    tool('fetch', 'network'),
  ]) {
    assert.equal(effect(action, {}, {interactive: true}), 'allow');
  }
});

for (const name of ['read', 'glob', 'grep']) {
  test(`003: read mode: the tool ${name}`, () =>
    assert.equal(effect(tool(name, 'read', inWorkspace), read), 'allow'));
}
for (const [name, cls] of [
  ['write', 'edit'],
  ['edit', 'edit'],
  ['delete', 'delete'],
  ['fetch', 'network'],
] as const) {
  test(`003: read mode blocks the tool ${name}`, () =>
    assert.equal(effect(tool(name, cls, inWorkspace), read), 'deny'));
}
test('003: read mode: safe commands only', () => {
  assert.equal(effect(bash('git log --oneline'), read), 'allow');
  assert.equal(effect(bash('npm test'), read), 'deny');
});

test('003: no prompts in either mode', () => {
  for (const settings of [{}, read]) {
    for (const command of ['ls', 'npm test', 'rm -rf build', 'git push']) {
      const {trace} = decide(bash(command), stateWith(settings, {interactive: true}));
      assert.ok(trace.every((step) => step.effect !== 'ask'));
    }
  }
});

const globs: [pattern: string, command: string, want: 'allow' | 'deny'][] = [
  ['sudo *', 'sudo ls', 'deny'],
  ['sudo *', 'sudo', 'deny'],
  ['sudo *', 'echo sudo ls', 'allow'],
  ['npm publish', 'npm publish', 'deny'],
  ['npm publish', 'npm publish --dry-run', 'allow'],
  ['git p?sh', 'git push', 'deny'],
  ['git p?sh', 'git psh', 'allow'],
  ['*--force*', 'git push --force', 'deny'],
  ['git * main', 'git push origin main', 'deny'],
];
for (const [pattern, command, want] of globs) {
  test(`003: deny_commands "${pattern}": ${command}: ${want}`, () => {
    assert.equal(effect(bash(command), {denyCommands: listed(pattern)}), want);
  });
}
for (const joined of [
  'true && git push',
  'false || git push',
  'true; git push',
  'git push | cat',
  'cat x | git push',
]) {
  test(`003: any segment that matches blocks the whole command: ${joined}`, () => {
    assert.equal(effect(bash(joined), {denyCommands: listed('git push*')}), 'deny');
  });
}

test('003: --no-sandbox disables path checking, but not the deny rules', () => {
  const open = {sandbox: sourced(false)};
  assert.equal(effect(bash('cat ~/.ssh/id'), open), 'allow');
  assert.equal(effect(tool('read', 'read', at('/etc/passwd')), open), 'allow');
  assert.equal(effect(bash('sudo ls'), {...open, denyCommands: listed('sudo *')}), 'deny');
});

test('003: destructive patterns are kept for display, and do not affect decisions', () => {
  const {effect: decided, destructive} = decide(bash('rm -rf build'), stateWith({}));
  assert.equal(decided, 'allow');
  assert.deepEqual(
    destructive.map(({impactScope}) => impactScope),
    [['/home/u/ws/build']],
  );
});
