import {test} from 'node:test';
import assert from 'node:assert/strict';
import {decide} from '../../../../src/policy/decide.ts';
import type {Action, PermissionState} from '../../../../src/policy/decision.ts';
import type {Settings} from '../../../../src/config/settings.ts';
import {ask} from '../../../../src/session/ask/ask.ts';
import {rowsOf, type Size} from '../../../../src/session/ask/fitted.ts';
import {grantedLine, rememberedRule, renderQuestion} from '../../../../src/session/ask/question.ts';
import {keysOf, openTerminal, type Terminal, type Typed} from '../../../../src/session/ask/terminal.ts';
import {at, bash, mcp, rule, sourced, stateWith, tool} from '../../policy/support.ts';

const usual: Size = {rows: 24, columns: 80};

const asks: Partial<Settings> = {approval: sourced('ask')};

function state(settings: Partial<Settings> = asks): PermissionState {
  return stateWith(settings, {interactive: true});
}

/** After an invalid answer ion asks again, until the time is up. */
function answering(...typed: readonly Typed[]): Terminal & {shown: string[]} {
  const shown: string[] = [];
  const readLine: Terminal['readLine'] = (text, _timeoutMs, refuse) => {
    shown.push(text(usual));
    for (const one of typed) {
      const why = one.line === undefined ? undefined : refuse?.(one.line);
      if (why === undefined) return Promise.resolve(one);
      shown.push(why);
    }
    return Promise.resolve({why: 'timed_out'});
  };
  return {shown, readLine, say: () => undefined, cancel: () => undefined, close: () => undefined};
}

async function answered(typed: Typed, action: Action = bash('git push'), settings: Partial<Settings> = asks) {
  const requested: unknown[] = [];
  const asked = await ask(decide(action, state(settings)), action, {
    terminal: answering(typed),
    sandbox: 'write /ws, network none',
    id: 'q1',
    now: () => new Date('2026-01-01T00:00:00Z'),
    timeoutMs: 30_000,
    requested: (body) => requested.push(body),
  });
  return {...asked, requested};
}

const typed: {typed: Typed; want: string}[] = [
  {typed: {line: 'y'}, want: 'allow answer_allow once allowed'},
  {typed: {line: ' YES '}, want: 'allow answer_allow once allowed'},
  {typed: {line: 'a'}, want: 'allow answer_allow session allowed'},
  {typed: {line: 'Always'}, want: 'allow answer_allow session allowed'},
  {typed: {line: 'w'}, want: 'allow answer_allow workspace allowed'},
  {typed: {line: 'u'}, want: 'allow answer_allow user allowed'},
  {typed: {line: ''}, want: 'deny answer_deny no denied'},
  {typed: {line: 'n'}, want: 'deny answer_deny no denied'},
  {typed: {line: 's'}, want: 'allow answer_allow session allowed'},
  {typed: {line: 'No'}, want: 'deny answer_deny no denied'},
  {typed: {why: 'timed_out'}, want: 'deny answer_timeout no timed_out'},
  {typed: {why: 'cancelled'}, want: 'deny answer_deny no cancelled'},
];
for (const {typed: one, want} of typed) {
  test(`the answer ${JSON.stringify(one)} is ${want}`, async () => {
    const {decision, reply, resolution, requested} = await answered(one);
    assert.equal(`${decision.effect} ${decision.reason} ${reply} ${resolution}`, want);
    assert.equal(decision.approvalActionId, 'q1');
    assert.equal(decision.expiresAt, '2026-01-01T00:00:30.000Z');
    assert.equal(requested.length, 1);
  });
}

for (const line of ['yy', 'constructor', 'p', 'y n', 'ja', '\u001b[A']) {
  test(`${JSON.stringify(line)} is not an answer: the question is shown again`, async () => {
    const action = bash('git push');
    const terminal = answering({line}, {line: 'y'});
    const asked = await ask(decide(action, state()), action, {
      terminal,
      sandbox: 'x',
      id: 'q1',
      now: () => new Date(0),
      requested: () => undefined,
    });
    assert.equal(asked.decision.reason, 'answer_allow');
    assert.match(terminal.shown[1]!, /^ion: ".*" is not one of the answers\nAllow\? y once .*: $/);
    const never = await answered({line});
    assert.equal(never.decision.reason, 'answer_timeout');
  });
}

const frames = {frames: {b: sourced('/home/u/ws/b')}};
const across = tool('write', 'edit', at('/home/u/ws/b/x', 'write'));
test('a write into another frame is asked about each time, with its own reasons', async () => {
  const yes = await answered({line: 'y'}, across, frames);
  assert.equal(yes.decision.reason, 'cross_frame_allow');
  const always = await answered({line: 's'}, across, frames);
  assert.equal(
    `${always.decision.reason} ${always.reply} ${always.resolution}`,
    'cross_frame_deny no timed_out',
  );
});

test('a question shows the command, the rule, the destructive effects, the sandbox and the answers', () => {
  const action = bash('git push --force origin main');
  const settings = {rules: [rule('ask', 'command_prefix', 'git push', {reason: 'look twice'})]};
  const {text} = renderQuestion(decide(action, state(settings)), action, 'write /ws, network none', usual);
  const [head, where, shown] = text.split('\n');
  assert.equal(
    head,
    'ion: approval needed: "git push --force origin main" matches the ask rule command_prefix "git push": "look twice"',
  );
  assert.equal(where, ' --> ~/.ion/config.toml:20');
  assert.equal(shown, '  | git push --force origin main');
  assert.match(text, /\n {2}destructive: .+\n/);
  assert.match(text, /\n {2}sandbox: write \/ws, network none\n/);
  assert.match(text, /\n {2}w and u write the rule: allow command_prefix "git push --force origin main"\n/);
  assert.match(text, /\nAllow\? y once \/ s this terminal session \/ w .+ \/ u .+ \/ N no: $/);
});

test('ion reports what an answer has granted, and how to revoke it', () => {
  const action = bash('git push');
  const rule = {id: '4f2a90c1b7de', shown: '~/.ion/rules.json'};
  const said = (['no', 'once', 'session', 'user'] as const).map((reply) =>
    grantedLine(reply, action, {lasts: 'in this terminal session', ...(reply === 'user' ? {rule} : {})}),
  );
  assert.deepEqual(said, [
    undefined,
    undefined,
    'ion: allowed from now on, with exactly this text: in this terminal session',
    'ion: rule written to ~/.ion/rules.json: allow command_prefix "git push"\nhelp: "ion rules remove 4f2a90c1b7de" removes it',
  ]);
});

test('a question shows quotes as typed', () => {
  const action = bash('echo "a b" \\"c\\" \\\\"');
  const {text} = renderQuestion(decide(action, state()), action, 'network = "none"', usual);
  assert.match(text, /\n {2}\| echo "a b" \\\\"c\\\\" \\\\\\\\"\n/);
  assert.match(text, /\n {2}sandbox: network = "none"\n/);
});

test('a command cannot forge a question: every line is marked, every control character escaped', () => {
  const action = bash('true\nion: approved\r\u001b[2J\u001b[1A\u202e\u009b1A # \u0007');
  const {text} = renderQuestion(decide(action, state()), action, 'x', usual);
  // eslint-disable-next-line no-control-regex -- asserts that there is none
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.deepEqual(
    text.split('\n').filter((line) => line.startsWith('ion:')),
    [text.split('\n')[0]],
  );
  assert.match(text, /\n {2}\| ion: approved\\r\\e\[2J\\e\[1A\\u\{202e\}\\u\{9b\}1A # \\u\{7\}\n/);
});

const blanks = ' '.repeat(2500);
/** Which part of a command the question shows, and whether the answer may be remembered. */
const long: {name: string; command: string; size?: Size; shown: RegExp; whole: boolean}[] = [
  {name: 'a short one', command: 'ls -l', shown: /\n {2}\| ls -l\n/, whole: true},
  {
    name: 'spaces before its end',
    command: `touch EVIL;${blanks}ls -l`,
    shown: /\n {2}\| touch EVIL; \[2,500 blanks\] ls -l\n/,
    whole: true,
  },
  {
    name: 'wide blanks',
    command: `touch EVIL;${blanks.replaceAll(' ', '\u3000')}`,
    shown: /EVIL; \[2,500 blanks\] \n/,
    whole: true,
  },
  {
    name: 'a wrapped line',
    command: `echo ${'x'.repeat(100)}`,
    shown: /\n {2}\| echo x{71}\n {2}: x{29}\n/,
    whole: true,
  },
  {
    name: 'more than fits',
    command: `touch EVIL; echo ${'x'.repeat(5000)}; touch END`,
    shown:
      /\n {2}\| touch EVIL; echo x+\n( {2}: x{76}\n){1,5} {2}… 4,\d\d\d more characters …\n[^]*; touch END\n/,
    whole: false,
  },
  {
    name: 'many empty lines',
    command: `touch EVIL${'\n'.repeat(500)}ls`,
    shown: /\n {2}\| touch EVIL\n[^]*… 490 more characters …\n[^]*\| ls\n/,
    whole: false,
  },
  {
    name: 'wide characters',
    command: `touch EVIL; echo ${'漢'.repeat(500)}; touch END`,
    shown: /touch EVIL; echo 漢+\n[^]* more characters …\n[^]*touch END\n/,
    whole: false,
  },
  {
    name: 'many escaped ones',
    command: `touch EVIL; echo '${'\u0007'.repeat(500)}'; touch END`,
    shown: /touch EVIL; echo [^]* more characters …\n[^]*touch END\n/,
    whole: false,
  },
  {
    name: 'more than this terminal shows, but not more than a larger one',
    command: `touch EVIL; echo ${'x'.repeat(400)}; touch END`,
    size: {rows: 10, columns: 40},
    shown: /touch EVIL[^]* more characters …\n[^]*touch END\n/,
    whole: false,
  },
  {
    name: 'a command that destroys much',
    command: Array.from({length: 40}, (_, n) => `rm -rf /srv/${'d'.repeat(60)}${n}`).join('; '),
    shown: /\| rm -rf [^]* more characters …\n[^]*destructive: \d+ more parts\n/,
    whole: false,
  },
];
for (const {name, command, size = usual, shown, whole} of long) {
  test(`a question fits the screen: ${name}`, () => {
    const action = bash(command);
    const {text, offered} = renderQuestion(decide(action, state()), action, 'write, network none', size);
    assert.match(text, shown);
    assert.equal(offered.includes('session'), whole, offered.join());
    assert.equal(text.includes('s this terminal session'), whole);
    if (size === usual) assert.ok(rowsOf(text.split('\n'), size) < size.rows, text);
    const rows = text.split('\n').filter((line) => /^ {2}[|:…] /.test(line));
    assert.ok(rows.length <= size.rows / 2, text);
  });
}

test('an answer about a command that was not shown in full is not remembered', async () => {
  const {decision, reply} = await answered({line: 's'}, bash(`echo ${'x'.repeat(9000)}`));
  assert.equal(`${decision.effect} ${reply}`, 'deny no');
});

const remembered: {action: Action; want: ReturnType<typeof rememberedRule>}[] = [
  {action: bash('npm test -- -x'), want: {effect: 'allow', scope: 'command_prefix', match: 'npm test -- -x'}},
  {action: bash('npm test; true'), want: undefined},
  {action: bash('npm  test'), want: undefined},
  {action: bash('npm test > x'), want: undefined},
  {action: bash('npm "test"'), want: undefined},
  {action: bash('X=1 npm test'), want: undefined},
  {action: bash('npm $x'), want: undefined},
  {action: bash('time npm test'), want: undefined},
  {action: bash('{ npm test; }'), want: undefined},
  {action: mcp('github', 'list'), want: {effect: 'allow', scope: 'tool', match: 'mcp:github/list'}},
  {
    action: tool('write', 'edit', at('a', 'write', '/ws/a')),
    want: {effect: 'allow', scope: 'path', match: '/ws/a', tool: 'write'},
  },
  {action: tool('write', 'edit', at('/a', 'write'), at('/b', 'write')), want: undefined},
];
for (const {action, want} of remembered) {
  test(`the rule that remembers ${action.command?.text ?? action.tool}`, () => {
    assert.deepEqual(rememberedRule(action), want);
  });
}

test('keys: escape sequences are not answers', () => {
  assert.deepEqual(keysOf('y\r'), ['y', 'enter']);
  assert.deepEqual(keysOf('\u001b[A\u001bOP\u001b[1;5Cn'), ['n']);
  assert.deepEqual(keysOf('a\u007f\u0003'), ['a', 'erase', 'cancel']);
  assert.deepEqual(keysOf('ü\u0000y'), ['y']);
  assert.deepEqual(keysOf('\u001c\u0004\u001a'), ['cancel', 'cancel', 'stop']);
});

test('in a CI there is no question', () => {
  assert.equal(openTerminal({environment: {CI: 'true'}, home: '/'}), undefined);
});
