import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {Settings} from '../../../src/config/settings.ts';
import {decide} from '../../../src/policy/decide.ts';
import type {Action, PermissionState} from '../../../src/policy/decision.ts';
import {at, bash, inUserFile, listed, mcp, rule, sourced, stateWith, tool} from './support.ts';

interface Case {
  readonly name: string;
  readonly action: Action;
  readonly settings?: Partial<Settings>;
  readonly state?: Partial<PermissionState>;
  readonly want: string;
  readonly message?: RegExp;
  readonly note?: string;
}

function check(cases: readonly Case[]): void {
  for (const {name, action, settings = {}, state = {}, want, message, note} of cases) {
    test(name, () => {
      const decision = decide(action, stateWith(settings, state));
      assert.equal(`${decision.effect} ${decision.reason}`, want, decision.message);
      if (message) assert.match(decision.message, message);
      if (note) assert.deepEqual(decision.notes, [note]);
    });
  }
}

const interactive = {interactive: true};
const push = listed('git push *');

check([
  {
    name: 'default: everything runs',
    action: bash('npm test && make -j4 > out.log 2>&1 &'),
    want: 'allow mode_allow',
  },
  {
    name: 'default: a command that bash itself will refuse runs too',
    action: bash('if then'),
    want: 'allow mode_allow',
  },

  // Task restrictions
  {
    name: 'a tool that the run denies',
    action: tool('write', 'edit', at('/home/u/ws/a', 'write')),
    state: {taskRestrictions: {tools: ['write'], commands: []}},
    want: 'deny task_tool_denied',
  },
  {
    name: 'all tools of a server',
    action: mcp('github', 'create_issue'),
    state: {taskRestrictions: {tools: ['mcp:github/*'], commands: []}},
    want: 'deny task_tool_denied',
  },
  {
    name: 'a command that the run denies, in any segment',
    action: bash('true; (cd x && make deploy)'),
    state: {taskRestrictions: {tools: [], commands: ['make deploy*']}},
    want: 'deny task_command_denied',
  },

  // deny_commands
  {
    name: 'deny_commands: in any segment',
    action: bash('npm test && git push origin main'),
    settings: {denyCommands: push},
    want: 'deny deny_command',
    message: /^denied: "git push origin main" matches deny_commands "git push \*"$/,
  },
  {
    name: 'deny_commands: --no-sandbox, yolo, rules, hooks and grants do not override it',
    action: bash('git push'),
    settings: {
      denyCommands: push,
      sandbox: sourced(false),
      approval: sourced('yolo'),
      rules: [rule('allow', 'command_prefix', 'git push', {source: 'session'})],
    },
    state: {
      session: {grants: new Set(['bash\0\0git push']), rules: [], denials: new Map()},
      hookVerdicts: [{effect: 'allow', because: '', origin: inUserFile(1), command: 'true'}],
    },
    want: 'deny deny_command',
  },
  {
    name: 'deny_commands: a part known only at run time is left to the exec check',
    action: bash('$what push'),
    settings: {denyCommands: push},
    want: 'allow mode_allow',
  },
  {
    name: 'deny_commands: a part known only at run time is denied without an exec check',
    action: bash('$what push'),
    settings: {denyCommands: push},
    state: {execChecked: false},
    want: 'deny deny_command_unclear',
  },
  {
    name: 'deny_commands: an unknown argument of another program is not a reason to deny',
    action: bash('echo "$what"'),
    settings: {denyCommands: push},
    state: {execChecked: false},
    want: 'allow mode_allow',
  },
  {
    name: 'deny_commands: the content of a script file is left to the exec check, and ion reports that',
    action: bash('bash x.sh'),
    settings: {denyCommands: push},
    want: 'allow mode_allow',
    note: 'what the script file runs is known only when it runs: deny_commands are checked again at exec',
  },
  {
    name: 'deny_commands: a script file is denied without an exec check',
    action: bash('bash x.sh'),
    settings: {denyCommands: push},
    state: {execChecked: false},
    want: 'deny deny_command_unclear',
  },
  {
    name: 'deny_commands: a command that cannot be parsed is denied without an exec check',
    action: bash('echo "'),
    settings: {denyCommands: push},
    state: {execChecked: false},
    want: 'deny deny_command_unclear',
  },

  // Guardrails
  {
    name: 'guardrail: rm -rf /',
    action: bash('rm -rf /'),
    want: 'deny guardrail',
    message: /^denied: "rm -rf \/"/,
  },
  {
    name: 'guardrail: applies with --no-sandbox and yolo',
    action: bash('true && rm -rf ~'),
    settings: {sandbox: sourced(false), approval: sourced('yolo')},
    want: 'deny guardrail',
  },

  // Modes
  {
    name: 'read mode: a tool that writes',
    action: tool('edit', 'edit', at('/home/u/ws/a', 'write')),
    settings: {mode: sourced('read')},
    want: 'deny read_mode_tool',
  },
  {
    name: 'read mode: a tool that reads',
    action: tool('read', 'read', at('/home/u/ws/a')),
    settings: {mode: sourced('read')},
    want: 'allow mode_allow',
  },
  {
    name: 'read mode: a safe command',
    action: bash('git log --oneline | head -3'),
    settings: {mode: sourced('read')},
    want: 'allow mode_allow',
  },
  {
    name: 'read mode: any other command',
    action: bash('touch x'),
    settings: {mode: sourced('read')},
    want: 'deny read_mode_command',
  },
  {
    name: 'read mode: no allow rule overrides it',
    action: bash('touch x'),
    settings: {mode: sourced('read'), rules: [rule('allow', 'command_prefix', 'touch')]},
    want: 'deny read_mode_command',
  },

  // Rules
  {
    name: 'a deny rule',
    action: bash('cd sub && git -C . push'),
    settings: {rules: [rule('deny', 'command_prefix', 'git push', {reason: 'releases go through CI'})]},
    want: 'deny rule_deny',
    message: /releases go through CI/,
  },
  {
    name: 'a prefix ends at a word',
    action: bash('git pushall'),
    settings: {rules: [rule('deny', 'command_prefix', 'git push')]},
    want: 'allow mode_allow',
  },
  {
    name: 'an ask rule asks in every row but bypass_permissions',
    action: bash('git push'),
    settings: {rules: [rule('ask', 'command_prefix', 'git push')]},
    state: interactive,
    want: 'ask rule_ask',
  },
  {
    name: 'bypass_permissions skips ask rules',
    action: bash('git push'),
    settings: {rules: [rule('ask', 'command_prefix', 'git push')], approval: sourced('bypass_permissions')},
    state: interactive,
    want: 'allow mode_allow',
  },
  {
    name: 'an ask without anyone to answer',
    action: bash('git push'),
    settings: {rules: [rule('ask', 'command_prefix', 'git push')]},
    want: 'deny ask_unavailable',
    message: /there is no terminal to ask on/,
  },
  {
    name: 'an allow rule needs every segment',
    action: bash('npm test && curl example.org'),
    settings: {approval: sourced('ask'), rules: [rule('allow', 'command_prefix', 'npm test')]},
    state: interactive,
    want: 'ask mode_ask',
  },
  {
    name: 'allow rules for every segment',
    action: bash('npm test && npm run build'),
    settings: {
      approval: sourced('ask'),
      rules: [rule('allow', 'command_prefix', 'npm test'), rule('allow', 'command_prefix', 'npm run')],
    },
    want: 'allow rule_allow',
  },
  ...[
    'npm test > /x',
    'PATH=. npm test',
    'npm test $(curl x)',
    '{ npm test; } > f',
    'npm test & eval "$x"',
    './npm test',
    'n$x test',
  ].map((text): Case => ({
    name: `an allow rule for "npm test" does not apply to: ${text}`,
    action: bash(text),
    settings: {approval: sourced('ask'), rules: [rule('allow', 'command_prefix', 'npm test')]},
    state: interactive,
    want: 'ask mode_ask',
  })),
  {
    name: 'a rule of an untrusted project only makes it stricter: deny',
    action: bash('npm test'),
    settings: {
      rules: [
        rule('allow', 'command_prefix', 'npm test', {source: 'session'}),
        rule('deny', 'command_prefix', 'npm', {source: 'manifest', trusted: false}),
      ],
    },
    want: 'deny rule_deny',
  },
  {
    name: 'a rule of an untrusted project only makes it stricter: allow',
    action: bash('npm test'),
    settings: {
      approval: sourced('ask'),
      rules: [rule('allow', 'command_prefix', 'npm test', {trusted: false})],
    },
    state: interactive,
    want: 'ask mode_ask',
  },
  {
    name: 'a rule of an untrusted project only makes it stricter: its question does not replace a refusal',
    action: bash('npm test'),
    settings: {
      approval: sourced('plan'),
      rules: [rule('ask', 'command_prefix', 'npm', {source: 'manifest', trusted: false})],
    },
    state: interactive,
    want: 'deny mode_deny',
  },
  {
    name: 'a rule of an untrusted project only makes it stricter: it asks about what a hook allowed',
    action: bash('npm test'),
    settings: {rules: [rule('ask', 'command_prefix', 'npm', {source: 'manifest', trusted: false})]},
    state: {
      ...interactive,
      hookVerdicts: [{effect: 'allow', because: '', origin: inUserFile(1), command: 'x'}],
    },
    want: 'ask rule_ask',
  },
  {
    name: 'a path rule: by whole components',
    action: tool('write', 'edit', at('/home/u/ws/src-old/a', 'write')),
    settings: {rules: [rule('deny', 'path', '/home/u/ws/src')]},
    want: 'allow mode_allow',
  },
  {
    name: 'a path rule: the target of a symlink',
    action: tool('write', 'edit', at('/home/u/ws/link/a', 'write', '/home/u/ws/src/a')),
    settings: {rules: [rule('deny', 'path', '/home/u/ws/src')]},
    want: 'deny rule_deny',
  },
  {
    name: 'a path rule: an allow applies to the real path',
    action: tool('write', 'edit', at('/home/u/ws/src/a', 'write', '/home/u/other/a')),
    settings: {approval: sourced('ask'), rules: [rule('allow', 'path', '/home/u/ws/src')]},
    state: interactive,
    want: 'ask mode_ask',
  },
  ...['cat src/a', 'cat s*/a', 'cd src && cat a', 'echo x > src/a', 'cat ~/ws/src/a'].map((text): Case => ({
    name: `a path rule: a command that names the path: ${text}`,
    action: bash(text),
    settings: {rules: [rule('deny', 'path', '/home/u/ws/src')]},
    want: 'deny rule_deny',
  })),
  {
    name: 'a path rule: an allow for a path does not allow a command that names it',
    action: bash('make src/a'),
    settings: {approval: sourced('ask'), rules: [rule('allow', 'path', '/home/u/ws')]},
    state: interactive,
    want: 'ask mode_ask',
  },
  {
    name: 'a path rule: more words than can be checked',
    action: bash(Array.from({length: 200}, (_, index) => `cd d${index}; cat f`).join('\n')),
    settings: {deniedPaths: [], rules: [rule('deny', 'path', '/x')]},
    want: 'deny rule_deny',
  },
  {
    name: 'a path rule for one tool',
    action: tool('read', 'read', at('/home/u/ws/a')),
    settings: {rules: [rule('deny', 'path', '/home/u/ws', {tool: 'write'})]},
    want: 'allow mode_allow',
  },
  {
    name: 'an MCP server by its normalised name',
    action: mcp('GitHub-Server', 'create_issue'),
    settings: {rules: [rule('deny', 'mcp_server', 'github_server')]},
    want: 'deny rule_deny',
  },
  {
    name: 'a tool of a server is more specific than the server',
    action: mcp('github', 'list'),
    settings: {
      rules: [rule('deny', 'mcp_server', 'github'), rule('allow', 'tool', 'mcp:github/list')],
    },
    want: 'allow rule_allow',
  },

  // Hooks
  ...(
    [
      ['deny', 'deny hook_deny'],
      ['ask', 'ask hook_ask'],
      ['allow', 'allow hook_allow'],
    ] as const
  ).map(([effect, want]): Case => ({
    name: `a hook that returns ${effect}`,
    action: bash('npm test'),
    settings: {approval: sourced('ask')},
    state: {...interactive, hookVerdicts: [{effect, because: 'so', origin: inUserFile(3), command: 'check'}]},
    want,
  })),
  ...(
    [
      ['deny', 'deny rule_deny'],
      ['ask', 'ask rule_ask'],
    ] as const
  ).map(([effect, want]): Case => ({
    name: `a hook's allow does not override an explicit ${effect} rule`,
    action: bash('npm test'),
    settings: {rules: [rule(effect, 'command_prefix', 'npm test')]},
    state: {
      ...interactive,
      hookVerdicts: [{effect: 'allow', because: '', origin: inUserFile(3), command: 'x'}],
    },
    want,
  })),
  {
    name: "a hook's ask is not overridden by an allow rule",
    action: bash('npm test'),
    settings: {rules: [rule('allow', 'command_prefix', 'npm test')]},
    state: {
      ...interactive,
      hookVerdicts: [{effect: 'ask', because: '', origin: inUserFile(3), command: 'x'}],
    },
    want: 'ask hook_ask',
  },
  {
    name: "a hook's ask that the user answered with Always",
    action: bash('npm test'),
    state: {
      ...interactive,
      hookVerdicts: [{effect: 'ask', because: '', origin: inUserFile(3), command: 'x'}],
      session: {grants: new Set(['bash\0\0/home/u/ws\0\0npm test']), rules: [], denials: new Map()},
    },
    want: 'allow session_allow',
  },
  {
    name: 'of several hooks the strictest wins',
    action: bash('npm test'),
    state: {
      hookVerdicts: (['allow', 'deny', 'ask'] as const).map((effect) => ({
        effect,
        because: '',
        origin: inUserFile(3),
        command: effect,
      })),
    },
    want: 'deny hook_deny',
  },

  // Session grants
  {
    name: 'a grant applies to the same action only',
    action: bash('npm test -- --x'),
    settings: {approval: sourced('ask')},
    state: {
      ...interactive,
      session: {grants: new Set(['bash\0\0/home/u/ws\0\0npm test']), rules: [], denials: new Map()},
    },
    want: 'ask mode_ask',
  },
  {
    name: 'a grant does not override a deny rule',
    action: bash('npm test'),
    settings: {rules: [rule('deny', 'command_prefix', 'npm')]},
    state: {
      ...interactive,
      session: {grants: new Set(['bash\0\0/home/u/ws\0\0npm test']), rules: [], denials: new Map()},
    },
    want: 'deny rule_deny',
  },

  // Denial fallback
  ...(
    [
      [2, 2, true, 'deny mode_deny'],
      [3, 3, true, 'ask denial_fallback'],
      [1, 19, true, 'deny mode_deny'],
      [1, 20, true, 'ask denial_fallback'],
      [3, 20, false, 'deny mode_deny'],
    ] as const
  ).map(([consecutive, total, canAsk, want]): Case => ({
    name: `${consecutive} denials in a row, ${total} in all, ${canAsk ? 'interactive' : 'headless'}`,
    action: bash('make'),
    settings: {approval: sourced('plan')},
    state: {
      interactive: canAsk,
      session: {
        grants: new Set(),
        rules: [],
        denials: new Map([['bash\0\0/home/u/ws\0make\0', {consecutive, total}]]),
      },
    },
    want,
  })),
  ...(
    [
      ['a guardrail', 'rm -rf /', {}, 'deny guardrail'],
      ['deny_commands', 'git push', {denyCommands: push}, 'deny deny_command'],
      ['read mode', 'touch x', {mode: sourced('read')}, 'deny read_mode_command'],
      ['a deny rule', 'make', {rules: [rule('deny', 'command_prefix', 'make')]}, 'deny rule_deny'],
      ['a denied path', 'cat ~/.ssh/id', {}, 'deny denied_path'],
    ] as [string, string, Partial<Settings>, string][]
  ).map(([what, text, settings, want]): Case => ({
    name: `denials by ${what} are never escalated`,
    action: bash(text),
    settings,
    state: {
      ...interactive,
      session: {
        grants: new Set(),
        rules: [],
        denials: new Map([[`bash\0\0${text}`, {consecutive: 99, total: 99}]]),
      },
    },
    want,
  })),

  // Frames
  {
    name: 'a write into a frame that is not the active one asks, in every row',
    action: tool('write', 'edit', at('/home/u/ws/b/x', 'write')),
    settings: {
      frames: {a: sourced('/home/u/ws/a'), b: sourced('/home/u/ws/b')},
      frame: sourced('a'),
      approval: sourced('bypass_permissions'),
      rules: [rule('allow', 'tool', 'write', {source: 'session'})],
    },
    state: interactive,
    want: 'ask cross_frame',
  },
  {
    name: 'a write into another frame in plan mode is refused without a question',
    action: tool('write', 'edit', at('/home/u/ws/b/x', 'write')),
    settings: {frames: {b: sourced('/home/u/ws/b')}, approval: sourced('plan')},
    state: interactive,
    want: 'deny mode_deny',
  },
  {
    name: 'a write into the active frame',
    action: tool('write', 'edit', at('/home/u/ws/a/x', 'write')),
    settings: {frames: {a: sourced('/home/u/ws/a'), b: sourced('/home/u/ws/b')}, frame: sourced('a')},
    want: 'allow mode_allow',
  },
  {
    name: 'a read in another frame',
    action: tool('read', 'read', at('/home/u/ws/b/x')),
    settings: {frames: {b: sourced('/home/u/ws/b')}, frame: sourced('a')},
    want: 'allow mode_allow',
  },
  {
    name: 'frames match by whole components',
    action: tool('write', 'edit', at('/home/u/ws/b-extra/x', 'write')),
    settings: {frames: {b: sourced('/home/u/ws/b')}, frame: sourced('a')},
    want: 'allow mode_allow',
  },
  {
    name: 'without a setting the frame that contains cwd is active',
    action: tool('write', 'edit', at('/home/u/ws/x', 'write')),
    settings: {frames: {ws: sourced('/home/u/ws')}},
    want: 'allow mode_allow',
  },
  ...['echo x > b/y', 'cd b && echo x >> y', '{ true; } > /home/u/ws/b/y'].map((text): Case => ({
    name: `a redirection into another frame: ${text}`,
    action: bash(text),
    settings: {frames: {b: sourced('/home/u/ws/b')}},
    state: interactive,
    want: 'ask cross_frame',
  })),
  {
    name: 'a redirection out of another frame',
    action: bash('cat < b/y > a/z'),
    settings: {frames: {b: sourced('/home/u/ws/b')}},
    want: 'allow mode_allow',
  },
  {
    name: 'more redirections than can be checked may lead anywhere',
    action: bash(Array.from({length: 200}, (_, index) => `cd d${index}; echo x > f`).join('\n')),
    settings: {approval: sourced('auto'), deniedPaths: []},
    state: interactive,
    want: 'ask mode_ask',
  },
  {
    name: 'across frames, headless',
    action: tool('write', 'edit', at('/home/u/ws/b/x', 'write')),
    settings: {frames: {b: sourced('/home/u/ws/b')}},
    want: 'deny ask_unavailable',
  },
]);

test('the trace lists every stage that ran, in order', () => {
  const {trace} = decide(
    bash('npm test'),
    stateWith({rules: [rule('allow', 'command_prefix', 'npm')], denyCommands: push}),
  );
  const names = trace.map(({stage}) => stage);
  assert.deepEqual(names, ['guardrails', 'capabilities', 'rules']);
});

test('a denial names the file and line of its rule', () => {
  const {ruleRefs} = decide(bash('git push'), stateWith({denyCommands: listed('sudo *', 'git push *')}));
  assert.deepEqual(ruleRefs, [{key: 'deny_commands', value: 'git push *', origin: inUserFile(11)}]);
});
