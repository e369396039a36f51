import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {Hook, Settings} from '../../../../src/config/settings.ts';
import type {HookEnd} from '../../../../src/session/hooks/hook-answer.ts';
import {openGrants} from '../../../../src/session/ask/grants.ts';
import {loadPathMatcher} from '../../../../src/session/path-matcher.ts';
import {
  resolvePermission,
  type PermissionContext,
  type Request,
} from '../../../../src/session/ask/resolve-permission.ts';
import {terminalAsker} from '../../../../src/session/ask/ask.ts';
import type {Typed} from '../../../../src/session/ask/terminal.ts';
import {bash, defaults, inUserFile, listed, sourced, stateWith} from '../../policy/support.ts';

interface Setup {
  readonly settings?: Partial<Settings>;
  /** The output and the end of each hook, in turn. */
  readonly hooks?: readonly Partial<HookEnd>[];
  readonly typed?: readonly Typed[];
}

function context({settings = {}, hooks = [], typed = []}: Setup) {
  const events: string[] = [];
  const warnings: string[] = [];
  const answers = [...typed];
  const ends = [...hooks];
  const configured = hooks.map((): Hook => ({
    event: 'PreToolUse',
    command: 'check',
    sandbox: true,
    origin: inUserFile(7),
  }));
  const made: PermissionContext = {
    state: stateWith({...settings, hooks: configured}),
    grants: openGrants(undefined, '/home/u/ws'),
    sessionId: 's',
    spawnHook: () =>
      Promise.resolve({
        exitCode: 0,
        signal: null,
        timedOut: false,
        stdout: '',
        stderr: '',
        truncated: false,
        ...ends.shift(),
      }),
    ...(typed.length > 0
      ? {
          asker: terminalAsker({
            readLine: (text) => {
              text({rows: 24, columns: 80});
              return Promise.resolve(answers.shift()!);
            },
            say: () => undefined,
            cancel: () => undefined,
            close: () => undefined,
          }),
        }
      : {}),
    sandbox: 'write /ws',
    newId: () => 'q1',
    emit: (type, body) => {
      const detail = {...body} as {decision_reason?: string; outcome?: string};
      events.push(`${type} ${detail.decision_reason ?? detail.outcome ?? ''}`.trim());
    },
    warn: (problem) => void warnings.push(typeof problem === 'string' ? problem : problem.message),
  };
  return {made, events, warnings};
}

function request(text: string, more: Partial<Request> = {}): Request {
  return {action: bash(text), toolInput: {command: text}, ...more};
}

const asks = {approval: sourced('ask' as const)};

test('a plain allow: one event', async () => {
  const {made, events} = context({});
  const {decision} = await resolvePermission(request('make'), made);
  assert.equal(decision.reason, 'mode_allow');
  assert.deepEqual(events, ['permission.evaluated mode_allow']);
});

test('a question: evaluated, requested, resolved; after Always it is not asked again', async () => {
  const {made, events} = context({settings: asks, typed: [{line: 'a'}]});
  assert.equal((await resolvePermission(request('make'), made)).decision.reason, 'answer_allow');
  assert.equal((await resolvePermission(request('make'), made)).decision.reason, 'session_allow');
  assert.deepEqual(events, [
    'permission.evaluated mode_ask',
    'permission.requested mode_ask',
    'permission.resolved answer_allow',
    'permission.evaluated session_allow',
  ]);
});

test('without a terminal ion does not wait', async () => {
  const {made, events} = context({settings: asks});
  assert.equal((await resolvePermission(request('make'), made)).decision.reason, 'ask_unavailable');
  assert.deepEqual(events, ['permission.evaluated ask_unavailable']);
});

test('three soft denials in a row lead to a question; a no continues the count, a yes resets it', async () => {
  const {made} = context({settings: {approval: sourced('plan')}, typed: [{line: 'n'}, {line: 'y'}]});
  const reasons: string[] = [];
  for (let times = 0; times < 6; times++)
    reasons.push((await resolvePermission(request('make'), made)).decision.reason);
  assert.deepEqual(reasons, [
    'mode_deny',
    'mode_deny',
    'mode_deny',
    'answer_deny',
    'answer_allow',
    'mode_deny',
  ]);
});

test('hooks do not run for a final denial', async () => {
  const {made, events} = context({hooks: [{}]});
  await resolvePermission(request('rm -rf /'), made);
  assert.deepEqual(events, ['permission.evaluated guardrail']);
});

test('a hook that blocks', async () => {
  const {made, events} = context({hooks: [{exitCode: 2, stderr: 'no'}]});
  const {decision} = await resolvePermission(request('make'), made);
  assert.equal(decision.reason, 'hook_deny');
  assert.deepEqual(decision.ruleRefs, [{key: 'hooks', value: 'check', origin: inUserFile(7)}]);
  assert.deepEqual(events, ['hook.finished block', 'permission.evaluated hook_deny']);
});

test('a hook that warns', async () => {
  const {made, warnings} = context({hooks: [{exitCode: 1, stderr: 'odd'}]});
  assert.equal((await resolvePermission(request('make'), made)).decision.effect, 'allow');
  assert.deepEqual(warnings, ['the hook "check" (~/.ion/config.toml:7) ended with 1: odd']);
});

const replacing = {
  stdout: '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"rm -rf /"}}}',
};

test('an input that a hook replaced is decided again, by all stages', async () => {
  const {made} = context({hooks: [replacing]});
  const rebuild = ({command}: Readonly<Record<string, unknown>>) => Promise.resolve(bash(command as string));
  const {decision, action} = await resolvePermission(request('make', {rebuild}), made);
  assert.equal(decision.reason, 'guardrail');
  assert.match(decision.updatedInputRef!, /^sha256:[\da-f]{64}$/);
  assert.equal(action.command?.text, 'rm -rf /');
});

test('an input that cannot be replaced does not run unchanged', async () => {
  const {made} = context({hooks: [replacing]});
  assert.equal((await resolvePermission(request('make'), made)).decision.reason, 'hook_deny');
});

test('the matcher of denied globs is loaded only if there are any', async () => {
  assert.equal(await loadPathMatcher(defaults), undefined);
  const matches = await loadPathMatcher({...defaults, deniedPaths: listed('/**/.env')});
  assert.equal(matches!('/**/.env', '/a/b/.env'), true);
  assert.equal(matches!('/**/.env', '/a/b/.envx'), false);
});
