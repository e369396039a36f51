/**
 * Origin document 000 (carlos): the layered chain. Each row and each sentence of it is a case, and the name of the test
 * names it.
 */
import {test} from 'node:test';
import assert from 'node:assert/strict';
import {decide} from '../../../src/policy/decide.ts';
import type {Action, PermissionState} from '../../../src/policy/decision.ts';
import type {Settings} from '../../../src/config/settings.ts';
import {ask} from '../../../src/session/ask/ask.ts';
import {openGrants} from '../../../src/session/ask/grants.ts';
import {at, bash, listed, rule, sourced, stateWith, tool} from './support.ts';

function decided(
  action: Action,
  settings: Partial<Settings> = {},
  state: Partial<PermissionState> = {},
): string {
  const asking = {approval: sourced('ask'), ...settings} as Partial<Settings>;
  const {effect, reason} = decide(action, stateWith(asking, {interactive: true, ...state}));
  return `${effect} ${reason}`;
}

const readOnly = ['read', 'grep', 'glob', 'ls', 'git_status', 'git_diff', 'git_log', 'git_blame', 'git_show'];
for (const name of readOnly) {
  test(`000: 1. the built-in allow-list: ${name} never asks, whatever its input`, () => {
    // Declared as a tool that asks, so that only the allow-list can allow it.
    assert.equal(decided(tool(name, 'external')), 'allow builtin_allow');
  });
}

test('000: notes_* of the configured vault are approved by configuration', () => {
  assert.equal(decided(tool('notes_get', 'read'), {allowedTools: listed('notes_get')}), 'allow mode_allow');
  assert.equal(
    decided(tool('notes_search', 'external'), {allowedTools: listed('notes_search')}),
    'allow allowed_tool',
  );
});

test('000: obsidian_* always prompts, regardless of trust state', () => {
  const settings = {rules: [rule('ask', 'tool', 'obsidian_write')], approval: sourced('yolo' as const)};
  assert.equal(
    decided(tool('obsidian_write', 'external'), settings, {workspaceTrusted: true}),
    'ask rule_ask',
  );
});

const verbs = [
  ...['ls', 'pwd', 'cat a', 'head a', 'tail a', 'wc a', 'file a', 'which ls', 'echo hello'],
  ...[
    'git status',
    'git diff',
    'git log',
    'git show',
    'git blame a',
    'git branch',
    'git ls-files',
    'git ls-tree HEAD',
  ],
  ...['git rev-parse HEAD', 'git describe', 'git remote', 'git config --get user.name'],
];
for (const command of verbs) {
  test(`000: 2. workspace trust: ${command}`, () => {
    assert.equal(decided(bash(command), {}, {workspaceTrusted: true}), 'allow workspace_allow');
    assert.equal(decided(bash(command)), 'ask mode_ask');
  });
}

const excluded = [
  ...[
    'cargo build',
    'npm test',
    'yarn',
    'pnpm i',
    'go test',
    'go build',
    'make',
    'cmake .',
    'bazel build',
    'ninja',
  ],
  ...[
    'rm a',
    'mv a b',
    'cp a b',
    'mkdir a',
    'touch a',
    'chmod +x a',
    'git commit',
    'git push',
    'git branch x',
    'git config a b',
  ],
];
for (const command of excluded) {
  test(`000: explicitly excluded from workspace trust: ${command}`, () => {
    assert.equal(decided(bash(command), {}, {workspaceTrusted: true}), 'ask mode_ask');
  });
}

// "a curated set of read-only bash verbs auto-approves: ls, pwd, cat, head, tail, wc, file, which, echo, and the read-only
// git subcommands (...)": only this list, and no other program of the safe table.
const safeAndNotListed = [
  ...[
    'grep x a',
    'rg x',
    'find .',
    'stat a',
    'sort a',
    'du',
    'diff a b',
    'sha256sum a',
    'date',
    'id',
    'true',
  ],
  ...[
    'git tag',
    'git reflog',
    'git stash list',
    'git worktree list',
    'git grep x',
    'git shortlog',
    'git cat-file -p HEAD',
  ],
];
// "the read-only git subcommands", "Mutating filesystem verbs are excluded": options that write or run a program are
// excluded too.
const withOptions = [
  ...[
    'git describe --dirty',
    'git describe --broken',
    'git log --remerge-diff',
    'git ls-files --recurse-submodules',
  ],
  ...[
    'git diff --output=x',
    'git diff --ext-diff',
    'git log --textconv',
    'git branch -D x',
    'git branch --edit-description',
  ],
  ...[
    'git remote add x y',
    'git remote update',
    'git remote show origin',
    'git config --unset a.b',
    'file -C -m a',
  ],
  ...[
    'git -c core.pager=x log',
    'git -C other status',
    'git --exec-path=/x status',
    'env ls',
    'X=1 ls',
    'nice ls',
    'command ls',
  ],
];
for (const command of [...safeAndNotListed, ...withOptions]) {
  test(`000: not among the verbs of workspace trust: ${command}`, () => {
    assert.equal(decided(bash(command), {}, {workspaceTrusted: true}), 'ask mode_ask');
  });
}
test('000: git without its pager counts as the same verb', () => {
  assert.equal(decided(bash('git --no-pager log'), {}, {workspaceTrusted: true}), 'allow workspace_allow');
});

const metacharacters = [
  'ls | wc',
  'ls > a',
  'cat < a',
  'ls & ls',
  'ls ; ls',
  'echo $HOME',
  'echo `ls`',
  'echo $(ls)',
  '(ls)',
];
for (const command of metacharacters) {
  test(`000: any shell metacharacter disqualifies: ${command}`, () => {
    assert.equal(decided(bash(command), {}, {workspaceTrusted: true}), 'ask mode_ask');
  });
}

test('000: 3. session fallback: y / N / Always; Always serves identical calls until the process ends', async () => {
  const grants = openGrants(undefined, '/home/u/ws');
  const action = bash('npm test');
  const state = () => stateWith({approval: sourced('ask')}, {interactive: true, session: grants.state});
  const {decision, reply} = await ask(decide(action, state()), action, {
    terminal: {
      readLine: (text) => {
        text({rows: 24, columns: 80});
        return Promise.resolve({line: 'Always'});
      },
      say: () => undefined,
      cancel: () => undefined,
      close: () => undefined,
    },
    sandbox: '',
    id: '1',
    now: () => new Date(0),
    requested: () => undefined,
  });
  assert.equal(decision.reason, 'answer_allow');
  await grants.remember(reply, decision, action);
  assert.equal(decide(action, state()).reason, 'session_allow');
  assert.equal(decide(bash('npm test -x'), state()).effect, 'ask');
  assert.equal(decide(action, stateWith({approval: sourced('ask')}, {interactive: true})).effect, 'ask');
  // "identical (tool, key inputs) pairs": the folder and the sandbox of the call are inputs too.
  for (const more of [{cwd: '/home/u/ws/sub'}, {boundary: '--no-sandbox'}])
    assert.equal(decide(action, {...state(), ...more}).effect, 'ask');
});

/** The document's reasons, with ion's. */
const reasonTable: [string, string][] = [
  ['ReasonBuiltinAllow', decided(tool('read', 'external'))],
  ['ReasonWorkspaceAllow', decided(bash('ls'), {}, {workspaceTrusted: true})],
];
test('000: every decision has a stable reason', () => {
  assert.deepEqual(reasonTable, [
    ['ReasonBuiltinAllow', 'allow builtin_allow'],
    ['ReasonWorkspaceAllow', 'allow workspace_allow'],
  ]);
});

const frames = {
  frames: {foo: sourced('/home/u/ws/foo'), other: sourced('/home/u/ws/other')},
  frame: sourced('foo'),
};
for (const [name, path, want] of [
  ['the active frame', '/home/u/ws/foo/x', 'allow mode_allow'],
  ['another frame', '/home/u/ws/other/x', 'ask cross_frame'],
  ['a folder whose name begins like a frame', '/home/u/ws/other-extra/x', 'allow mode_allow'],
  ['the frame itself', '/home/u/ws/other', 'ask cross_frame'],
] as const) {
  test(`000: cross-frame detector: a write to ${name}`, () => {
    for (const name of ['write', 'edit']) {
      const action = tool(name, 'edit', at(path, 'write'));
      assert.equal(decided(action, {...frames, approval: sourced('never')}), want);
    }
  });
}

test('000: the detector intercepts ahead of the chain: no rule, grant or list makes it silent', () => {
  const action = tool('write', 'edit', at('/home/u/ws/other/x', 'write'));
  const settings = {
    ...frames,
    approval: sourced('yolo' as const),
    allowedTools: listed('write'),
    rules: [rule('allow', 'tool', 'write', {source: 'session'})],
  };
  const session = {
    grants: new Set([decide(action, stateWith(settings)).grantKey]),
    rules: [],
    denials: new Map(),
  };
  assert.equal(decided(action, settings, {workspaceTrusted: true, session}), 'ask cross_frame');
});
