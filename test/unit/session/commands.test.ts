/** The output of ion check, permissions and rules. */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test, type TestContext} from 'node:test';
import assert from 'node:assert/strict';
import {appendWithoutAddon} from '../../../src/audit/append.ts';
import {makeEvent} from '../../../src/audit/events.ts';
import {openLog} from '../../../src/audit/log.ts';
import {runCheck} from '../../../src/cli/commands/check-result.ts';
import {runPermissions} from '../../../src/cli/commands/permissions-listing.ts';
import {runRules, type RulesInput} from '../../../src/cli/commands/rules-command.ts';
import {decide} from '../../../src/policy/decide.ts';
import {decisionRecord} from '../../../src/policy/decision-record.ts';
import {bash, inUserFile, listed, rule, sourced, stateWith} from '../policy/support.ts';

function home(context: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-home-'));
  context.after(() => rmSync(folder, {recursive: true, force: true}));
  return folder;
}

function checked(text: string, state = stateWith({denyCommands: listed('git push *')})) {
  const action = bash(text);
  return runCheck({action, decision: decide(action, state)});
}

test('check: a denial: the rule, its place, the matching part, and the chain', () => {
  const {stdout, exitCode} = checked('npm test && git push origin main');
  assert.equal(exitCode, 126);
  assert.equal(
    stdout,
    'ion: denied: "git push origin main" matches deny_commands "git push *"\n' +
      ' --> ~/.ion/config.toml:10\n' +
      'help: "ion check" with this command shows every rule that matched\n' +
      '  npm test && git push origin main\n' +
      '              ^^^^^^^^^^^^^^^^^^^^\n' +
      'how it was decided:\n' +
      '  guardrails: no guardrail matches\n' +
      '    2 denied paths, the command names none of them\n' +
      '    "git push origin main" matches deny_commands "git push *" (as written) → deny (deny_command)\n',
  );
});

test('check: an allow', () => {
  const {stdout, exitCode} = checked('npm test');
  assert.equal(exitCode, 0);
  assert.match(stdout, /^ion: allowed: approval = "never" allows commands\n/);
  assert.match(stdout, /\n {2}mode: approval = "never" allows commands → allow \(mode_allow\)\n$/);
});

test('check: which rule won, over which, and why', () => {
  const rules = [
    rule('allow', 'command_prefix', 'git', {source: 'manifest'}),
    rule('deny', 'command_prefix', 'git push', {origin: inUserFile(30)}),
  ];
  const {stdout} = checked('git push', stateWith({rules}));
  assert.match(stdout, /"git push": deny command_prefix "git push" \(user\) wins\n/);
  assert.match(stdout, /over allow command_prefix "git" \(manifest\): more specific → deny \(rule_deny\)\n/);
});

test('check: destructive facts', () => {
  assert.match(checked('git reset --hard').stdout, /\ndestructive: [^\n]*\n {2}git stash first; [^\n]*\n/);
  for (const ordinary of ['rm -rf build', 'echo x > file'])
    assert.doesNotMatch(checked(ordinary).stdout, /destructive/);
});

test('check: a command reaches the terminal only escaped, and unusual texts are not underlined', () => {
  const {stdout} = checked('git push \u001b[2J\n; echo "\\e"');
  // eslint-disable-next-line no-control-regex -- asserts that there is none
  assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f]/);
  assert.doesNotMatch(stdout, /\^\^/);
});

test('check: a long command is shown around the relevant part', () => {
  const {stdout} = checked(`${'true && '.repeat(200)}git push && ${'true && '.repeat(200)}true`);
  const [shown, marks] = stdout.split('\n').slice(3, 5);
  assert.equal(shown!.length, 102);
  assert.equal(shown!.slice(marks!.indexOf('^'), marks!.length), 'git push');
});

test('check --json', () => {
  const action = bash('git push');
  const decision = decide(action, stateWith({denyCommands: listed('git push *')}));
  const {stdout} = runCheck({action, decision, json: true});
  const record = JSON.parse(stdout) as {decision: string; span: unknown; chain: {stage: string}[]};
  assert.equal(record.decision, 'deny');
  assert.deepEqual(record.span, {start: 0, end: 8});
  assert.deepEqual(
    record.chain.map(({stage}) => stage),
    ['guardrails'],
  );
});

test('rules: add, list, remove', (context) => {
  const place = {home: home(context), workspace: '/home/u/ws', cwd: '/home/u/ws/sub'};
  const run = (input: object) => runRules({...place, ...input} as RulesInput).stdout;
  assert.equal(run({verb: 'list'}), 'no rules are stored for you or for this workspace\n');
  const added = run({verb: 'add', effect: 'deny', scope: 'command_prefix', match: 'git push', reason: 'CI'});
  assert.match(
    added,
    /^[\da-f]{12} {2}deny command_prefix "git push": "CI"\nadded to ~\/\.ion\/rules\.json\n$/,
  );
  const id = added.slice(0, 12);
  run({verb: 'add', effect: 'allow', scope: 'path', match: '../src', tool: 'write', workspaceOnly: true});
  assert.match(
    run({verb: 'list'}),
    /^~\/\.ion\/grants\/[\da-f]{32}\.toml \(only "\/home\/u\/ws"\):\n {2}[\da-f]{12} {2}allow path "\/home\/u\/ws\/src" for "write"\n~\/\.ion\/rules\.json \(every workspace\):\n/,
  );
  assert.deepEqual(
    (JSON.parse(run({verb: 'list', json: true})) as {source: string}[]).map(({source}) => source),
    ['workspace', 'user'],
  );
  assert.equal(run({verb: 'remove', id}), 'removed from ~/.ion/rules.json\n');
  assert.throws(() => run({verb: 'remove', id}), {name: 'IonError', message: /there is no rule/});
});

for (const [input, want] of [
  [{effect: 'alow', scope: 'tool', match: 'x'}, /unknown effect "alow"/],
  [{effect: 'allow', scope: 'toString', match: 'x'}, /unknown scope "toString"/],
  [{effect: 'allow', scope: 'tool', match: ' '}, /the match is empty/],
  [{effect: 'allow', scope: 'tool', match: 'x', tool: 'y'}, /--tool works only with scope path/],
] as const) {
  test(`rules add: refused: ${want.source}`, (context) => {
    const place = {home: home(context), workspace: '/ws', cwd: '/ws'};
    assert.throws(() => runRules({...place, verb: 'add', ...input}), {name: 'IonError', message: want});
  });
}

test('permissions: what decides here, by source, and the latest decisions', (context) => {
  const folder = path.join(home(context), 'audit');
  const action = bash('git push');
  const settings = {
    denyCommands: listed('git push *'),
    rules: [
      rule('ask', 'command_prefix', 'npm', {source: 'manifest', trusted: false}),
      rule('allow', 'command_prefix', 'npm test'),
      rule('deny', 'tool', 'bash'),
    ],
    frames: {a: sourced('/a'), 'b\u001b[8m\nion: c': sourced('/b')},
  };
  const state = stateWith(settings, {
    session: {
      grants: new Set(['bash\0\0/home/u/ws\0landlock\0make']),
      rules: [],
      denials: new Map([['bash\0\0/home/u/ws\0x\0', {consecutive: 1, total: 2}]]),
    },
  });
  openLog({folder, append: appendWithoutAddon, mode: 'required', warn: assert.fail}).append([
    makeEvent(
      'permission.evaluated',
      {runId: 'r', now: new Date(0)},
      {
        ...decisionRecord(decide(action, state)),
        action: {tool: 'bash', class: 'shell', command: 'git push', paths: [], mcp_server: null},
        duration_us: null,
      },
    ),
  ]);
  const {stdout} = runPermissions({state, auditFolder: folder});
  assert.equal(
    stdout,
    `mode = "write" (default)
approval = "never" (default)
sandbox = true (default)
network = "none" (default)
workspace "/home/u/ws": not trusted
questions: none can be asked here, so what would ask is denied
deny_commands:
  "git push *" (~/.ion/config.toml:10)
denied_paths:
  "/home/u/.ssh" (default)
  "/home/u/.aws" (default)
frames:
  a = "/a" (default)
  "b\\u001b[8m\\nion: c" = "/b" (default)
rules: manifest:
  ask command_prefix "npm" (~/.ion/config.toml:20, not trusted: can only make it stricter)
rules: user:
  allow command_prefix "npm test" (~/.ion/config.toml:20)
  deny tool "bash" (~/.ion/config.toml:20)
allowed in this terminal session:
  "bash make" in "/home/u/ws"
soft denials in this terminal session:
  "bash /home/u/ws x": 1 in a row, 2 in all
latest decisions:
  1970-01-01T00:00:00.000Z deny deny_command "git push"
`,
  );
  const json = JSON.parse(runPermissions({state, auditFolder: folder, json: true}).stdout) as Record<
    string,
    unknown
  >;
  assert.deepEqual(json['grants'], ['"bash make" in "/home/u/ws"']);
  assert.equal((json['latest_decisions'] as unknown[]).length, 1);
});
