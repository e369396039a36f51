import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {Hook, Origin} from '../../../../src/config/settings.ts';
import {readAnswer, type HookEnd} from '../../../../src/session/hooks/hook-answer.ts';
import {runHooks, watches, type HookInput, type HookLaunch} from '../../../../src/session/hooks/run-hooks.ts';
import {expandPlaceholders, PlaceholderError} from '../../../../src/session/hooks/placeholders.ts';
import {spawnUnsandboxed} from '../../../../src/session/hooks/spawn-outside.ts';
import {howMany} from '../../../harness/extent.ts';
import {fc} from '../../../harness/property.ts';

const user: Origin = {layer: 'user', file: '~/.ion/config.toml', line: 9};

async function until(happened: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (happened()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail('it did not happen in four seconds');
}

function hook(command: string, more: Partial<Hook> = {}): Hook {
  return {event: 'PreToolUse', command, sandbox: false, origin: user, ...more};
}

function input(more: Partial<HookInput> = {}): HookInput {
  const command = 'npm test';
  return {
    event: 'PreToolUse',
    sessionId: 's1',
    cwd: '/ws',
    permissionMode: 'default',
    tool: 'bash',
    toolInput: {command},
    command,
    ...more,
  };
}

const really = (launch: HookLaunch): Promise<HookEnd> =>
  spawnUnsandboxed(launch, {bash: '/bin/bash', cwd: '/', environment: process.env});

// 003's example of a quoted placeholder, and every other position of a placeholder.
const evil = `a b'"$(touch PWNED)\`touch PWNED\`;*\\ \n|&<>!{x,y}~`;
const places = [
  '{command}',
  '"{command}"',
  "'{command}'",
  "$'{command}'",
  '"$(printf %s {command})"',
  '"$(printf %s "{command}")"',
  '"`printf %s {command}`"',
  '"$(printf %s \'{command}\')"',
];
for (const place of places) {
  test(`placeholder: printf %s ${place}: the value is one word, and only a word`, (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'ion-hook-'));
    context.after(() => rmSync(folder, {recursive: true}));
    const printed = execFileSync('bash', ['-c', expandPlaceholders(`printf '<%s>' ${place}`)], {
      cwd: folder,
      env: {...process.env, ION_COMMAND: evil},
      encoding: 'utf8',
    });
    assert.equal(printed, `<${evil}>`);
    assert.equal(existsSync(path.join(folder, 'PWNED')), false);
  });
}

test('placeholder: in other text, twice, and next to a similar text', () => {
  assert.equal(
    expandPlaceholders("echo x{file}y {command}{file} {other} ${file} '{file}'"),
    `echo x"\${ION_FILE}"y "\${ION_COMMAND}""\${ION_FILE}" {other} \${file} ''"\${ION_FILE}"''`,
  );
});

/**
 * Values that bash, or the program that gets them, would execute. Each placeholder is refused, or its value stays one word.
 */
const values = [
  `${evil}\nEOF\ntouch PWNED\n`,
  'a[$(touch PWNED)]',
  '-va[$(touch PWNED)]',
  "'; touch PWNED; '",
];
const safe = [
  'printf %s {command}',
  'echo {file} > "out-{command}" || true',
  'cat <<< {command}',
  'x={command}; echo "$x"',
  'for f in {file}; do echo "$f"; done',
  'case {command} in rm*) exit 1;; esac',
  '[[ {command} == rm* ]] || true',
  '[ {file} = x ] || true',
  'test -n {command}',
  'echo "$(printf %s "{command}")" | grep -F {command} || true',
  'bash -c \'echo "$1"\' _ {command}',
  'env A=1 timeout 5 printf %s {command}',
  "python3 -c 'import sys; sys.argv[1]' {command}",
  "sed -n 1p < /dev/null; awk '{print}' /dev/null",
  '{ echo {file}; } 2> /dev/null; (echo {command})',
  'f() { echo {file}; }; f',
  'echo `printf %s {command}`',
  'cat <(printf %s {command})',
];
const unsafe = [
  'echo $(({command}))',
  'echo $[{command}]',
  '(({command}))',
  'for ((i={command}; i<1; i++)); do :; done',
  'let x={command}',
  'let {command}',
  'x=1; echo ${x:{command}}',
  'echo ${x:-{command}}',
  'a[{command}]=1',
  'a=([{command}]=1)',
  'declare -i x={command}',
  'declare {command}',
  'read {command} <<< 1',
  'unset {command}',
  'printf -v {command} x',
  'printf {command} x',
  '[[ {command} -eq 1 ]]',
  '[[ -v {command} ]]',
  '[ -v {command} ]',
  '[ {file} {command} ]',
  'test -v {command}',
  'eval echo {command}',
  'eval "echo {command}"',
  "bash -c 'echo {command}'",
  'bash -c "echo {command}"',
  'bash -c {command}',
  'bash -o errexit -c {command}',
  'sh {file}',
  'env bash -c "echo {command}"',
  'timeout 5 sh -c "echo {command}"',
  'timeout 5 {command}',
  'nice env sh -c "{command}"',
  'env -S {command}',
  'command eval {command}',
  'exec {command}',
  'find . -exec sh -c "{command}" ;',
  'echo x | xargs sh -c {command}',
  'ssh localhost {command}',
  'trap {command} EXIT',
  '. {file}',
  '{command}',
  '{file} x',
  'cat << EOF\n{command}\nEOF',
  "cat << 'EOF' | bash\n{command}\nEOF",
  'python3 -c "print({command})"',
  'python3 -c \'print("{command}")\'',
  'perl -e {command}',
  "awk '/{command}/'",
  "sed -e s/a/b/ -e 's/{command}/x/'",
  'jq {command}',
  'x=$((1+{command}))',
  "echo $'a' $(( $(echo {command}) ))",
];
for (const [list, isSafe] of [
  [safe, true],
  [unsafe, false],
] as const) {
  for (const text of list) {
    test(`placeholder: ${JSON.stringify(text)} ${isSafe ? 'runs no value' : 'is refused'}`, (context) => {
      if (!isSafe) return assert.throws(() => expandPlaceholders(text), PlaceholderError);
      const folder = mkdtempSync(path.join(tmpdir(), 'ion-hook-'));
      context.after(() => rmSync(folder, {recursive: true}));
      for (const value of values) {
        const env = {...process.env, ION_COMMAND: value, ION_FILE: value.replaceAll('/', '')};
        spawnSync('bash', ['-c', expandPlaceholders(text)], {cwd: folder, env, timeout: 10_000});
        assert.equal(existsSync(path.join(folder, 'PWNED')), false, value);
      }
    });
  }
}

test('placeholder: text without one is unchanged', () => {
  fc.assert(
    fc.property(
      fc.string({unit: fc.constantFrom('a', ' ', "'", '"', '\\', '$', '(', ')', '`', '{', '}')}),
      (text) => {
        assert.equal(expandPlaceholders(text), text);
      },
    ),
  );
});

const ends: {name: string; end: Partial<HookEnd>; guards?: boolean; want: string}[] = [
  {name: 'exit 0', end: {}, want: 'proceed'},
  {name: 'exit 0 with text', end: {stdout: 'all fine\n'}, want: 'proceed'},
  {name: 'exit 2', end: {exitCode: 2, stderr: 'no\n'}, want: 'block deny no'},
  {name: 'exit 1', end: {exitCode: 1, stderr: 'odd'}, want: 'warning - ended with 1: odd'},
  {name: 'a missing program', end: {exitCode: 127}, want: 'failed deny its program is missing'},
  {name: 'exit 1 without output', end: {exitCode: 1}, want: 'warning - ended with 1'},
  {
    name: 'an invalid program',
    end: {exitCode: 126},
    want: 'failed deny its program could not be executed',
  },
  {name: 'a signal', end: {exitCode: null, signal: 'SIGSEGV'}, want: 'failed deny was killed by SIGSEGV'},
  {
    name: 'a time-out',
    end: {exitCode: null, signal: 'SIGKILL', timedOut: true},
    want: 'timed_out deny did not end in time and was killed',
  },
  {
    name: 'a missing program after the fact',
    end: {exitCode: 127},
    guards: false,
    want: 'failed - its program is missing',
  },
  {
    name: 'permissionDecision allow',
    end: {
      stdout:
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"ok"}}',
    },
    want: 'allow allow ok',
  },
  {
    name: 'permissionDecision ask',
    end: {stdout: '{"hookSpecificOutput":{"permissionDecision":"ask"}}'},
    want: 'ask ask ',
  },
  {
    name: 'permissionDecision deny',
    end: {stdout: '{"hookSpecificOutput":{"permissionDecision":"deny"}}'},
    want: 'block deny ',
  },
  {name: 'the older block', end: {stdout: '{"decision":"block","reason":"no"}'}, want: 'block deny no'},
  {name: 'the older approve', end: {stdout: '{"decision":"approve"}'}, want: 'allow allow '},
  {name: 'continue: false', end: {stdout: '{"continue":false,"stopReason":"stop"}'}, want: 'block deny stop'},
  {
    name: 'continue as text',
    end: {stdout: '{"continue":"false"}'},
    want: 'failed deny printed an answer whose "continue" ion cannot read',
  },
  {
    name: 'hookSpecificOutput as a list',
    end: {stdout: '{"hookSpecificOutput":[{"permissionDecision":"deny"}]}'},
    want: 'failed deny printed an answer whose "hookSpecificOutput" ion cannot read',
  },
  {
    name: 'another input, as text',
    end: {stdout: '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":"echo"}}'},
    want: 'failed deny printed an answer whose "updatedInput" ion cannot read',
  },
  {
    name: 'the same of one that guards nothing',
    end: {stdout: '{"continue":"false"}'},
    guards: false,
    want: 'failed - printed an answer whose "continue" ion cannot read',
  },
  {
    name: 'the newer decision in the place of the older one',
    end: {stdout: '{"permissionDecision":"deny"}'},
    want: 'failed deny printed an answer whose "permissionDecision" ion cannot read',
  },
  {
    name: 'the older decision in the place of the newer',
    end: {stdout: '{"hookSpecificOutput":{"decision":"block"}}'},
    want: 'failed deny printed an answer whose "decision" ion cannot read',
  },
  {
    name: 'both, and the older one is stricter',
    end: {stdout: '{"hookSpecificOutput":{"permissionDecision":"allow"},"decision":"block"}'},
    want: 'block deny ',
  },
  {
    name: 'both, and one is unknown',
    end: {stdout: '{"hookSpecificOutput":{"permissionDecision":"allow"},"decision":"no"}'},
    want: 'failed deny printed a decision that ion does not know',
  },
  {
    name: 'null counts as absent',
    end: {stdout: '{"hookSpecificOutput":null,"continue":null}'},
    want: 'proceed',
  },
  {name: 'other JSON', end: {stdout: '{"suppressOutput":true}'}, want: 'proceed'},
  {
    name: 'truncated JSON',
    end: {stdout: '{"hookSpecific', truncated: true},
    want: 'failed deny printed an answer that is too long',
  },
  {
    name: 'text before its answer',
    end: {stdout: 'checking\n{"decision":"block"}'},
    want: 'failed deny printed text before its answer',
  },
  {
    name: 'two answers',
    end: {stdout: '{"decision":"block"}\n{"decision":"approve"}'},
    want: 'failed deny printed an answer that is not JSON',
  },
  {
    name: 'a list of answers',
    end: {stdout: '[{"decision":"block"}]'},
    want: 'failed deny printed a list, which is not an answer',
  },
  {
    name: 'a decision twice',
    end: {stdout: '{"decision":"block","decision":"approve"}'},
    want: 'failed deny printed an answer with "decision" twice',
  },
  {
    name: 'a decision twice, written in two ways',
    end: {stdout: '{"decision":"block", "d\\u0065cision" : "approve"}'},
    want: 'failed deny printed an answer with "decision" twice',
  },
  {
    name: 'the same name in two objects',
    end: {stdout: '{"reason":"a:","hookSpecificOutput":{"reason":"{\\"reason\\":1}"}}'},
    want: 'proceed',
  },
  {
    name: 'a misspelt decision',
    end: {stdout: '{"hookSpecificOutput":{"permisionDecision":"deny"}}'},
    want: 'failed deny printed an answer with "permisionDecision", which ion does not know',
  },
  {
    name: 'a decision in another style',
    end: {stdout: '{"hookSpecificOutput":{"permission_decision":"deny"}}'},
    want: 'failed deny printed an answer with "permission_decision", which ion does not know',
  },
  {
    name: 'an answer about another event',
    end: {stdout: '{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow"}}'},
    want: 'failed deny printed an answer about another event',
  },
  {name: 'a log with brackets', end: {stdout: '[info] all fine\n'}, want: 'proceed'},
  {name: 'JSON that is not an object', end: {stdout: 'false\n'}, want: 'proceed'},
  {name: 'invalid JSON', end: {stdout: '{nope'}, want: 'failed deny printed an answer that is not JSON'},
  {
    name: 'an unknown decision',
    end: {stdout: '{"decision":"alow"}'},
    want: 'failed deny printed a decision that ion does not know',
  },
  {
    name: 'a decision called constructor',
    end: {stdout: '{"decision":"constructor"}'},
    want: 'failed deny printed a decision that ion does not know',
  },
];
for (const {name, end, guards = true, want} of ends) {
  test(`a hook's answer: ${name}`, () => {
    const base: HookEnd = {
      exitCode: 0,
      signal: null,
      timedOut: false,
      stdout: '',
      stderr: '',
      truncated: false,
    };
    const {outcome, effect, message} = readAnswer({...base, ...end}, guards ? 'PreToolUse' : 'PostToolUse');
    const said = effect === undefined && message === '' ? outcome : `${outcome} ${effect ?? '-'} ${message}`;
    assert.equal(said, want);
  });
}

const matches: {match?: string; tool?: string; want: boolean}[] = [
  {tool: 'bash', want: true},
  {match: 'bash', tool: 'bash', want: true},
  {match: 'Bash', tool: 'bash', want: true},
  {match: 'write|edit', tool: 'edit', want: true},
  {match: 'Edit|Write', tool: 'write', want: true},
  {match: 'bash', tool: 'mcp:bash/run', want: false},
  {match: 'mcp:github/.*', tool: 'mcp:github/list', want: true},
  {match: 'mcp__github__.*', tool: 'mcp:github/list', want: true},
  {match: '*', tool: 'bash', want: true},
  {match: '', tool: 'bash', want: true},
  {match: 'rea', tool: 'read', want: false},
];
for (const {match, tool, want} of matches) {
  test(`match ${JSON.stringify(match)} ${want ? 'watches' : 'does not watch'} ${tool}`, () => {
    const one = match === undefined ? hook('x') : hook('x', {match});
    assert.equal(watches(one, input(tool === undefined ? {} : {tool})), want);
  });
}

test('a hook gets the same input as a hook of Claude Code', async () => {
  const {verdicts} = await runHooks(input(), [hook('test "$(cat)" = "$EXPECTED" || exit 2')], (launch) =>
    really({
      ...launch,
      environment: {
        ...launch.environment,
        EXPECTED:
          '{"session_id":"s1","transcript_path":"","cwd":"/ws","permission_mode":"default",' +
          '"hook_event_name":"PreToolUse","tool_name":"Bash","ion_tool":"bash","tool_input":{"command":"npm test"}}',
      },
    }),
  );
  assert.deepEqual(verdicts, []);
});

test('a block ends the sequence of hooks, and is a verdict with the reason', async () => {
  const hooks = [hook('true'), hook('echo never {command} >&2; exit 2'), hook('exit 7')];
  const {verdicts, events, warnings} = await runHooks(input(), hooks, really);
  assert.deepEqual(verdicts, [
    {effect: 'deny', because: 'never npm test', origin: user, command: 'echo never {command} >&2; exit 2'},
  ]);
  assert.deepEqual(
    events.map(({outcome}) => outcome),
    ['proceed', 'block'],
  );
  assert.deepEqual(warnings, []);
});

test('another exit code is a warning that names the hook', async () => {
  const {verdicts, warnings} = await runHooks(input(), [hook('echo oops >&2; exit 3')], really);
  assert.deepEqual(verdicts, []);
  assert.deepEqual(warnings, ['the hook "echo oops >&2; exit 3" (~/.ion/config.toml:9) ended with 3: oops']);
});

test('a hook that hangs is killed with its tree, which counts as a denial', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-hook-'));
  context.after(() => rmSync(folder, {recursive: true}));
  const file = path.join(folder, 'pid');
  const {verdicts, events} = await runHooks(
    input({file}),
    [hook('sleep 60 & echo $! > {file}; wait', {timeoutMs: 300})],
    really,
  );
  assert.equal(verdicts[0]?.effect, 'deny');
  assert.equal(events[0]?.outcome, 'timed_out');
  const pid = Number(readFileSync(file, 'utf8'));
  // SIGKILL ends it at once, but the process remains until its new parent has reaped it.
  await until(() => !existsSync(`/proc/${pid}`) || / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')));
});

test('a hook that prints far too much is read up to the limit, and blocks nothing', async () => {
  // More than the limit and all pipes on the way can contain. A gigabyte takes a busy machine more than the default time limit.
  const bytes = howMany({quick: 32_000_000, whole: 1_000_000_000, full: 1_000_000_000});
  const prints = hook(`head -c ${bytes} /dev/zero; exit 0`, {timeoutMs: 600_000});
  const {verdicts, events} = await runHooks(input(), [prints], really);
  assert.deepEqual(verdicts, []);
  assert.equal(events[0]?.outcome, 'proceed');
});

test('a background process that keeps the output open blocks nothing', async () => {
  // Waiting for it would end in the hook's time limit, which denies.
  const waits = hook('sleep 120 &', {timeoutMs: 60_000});
  const {verdicts, events} = await runHooks(input(), [waits], really);
  assert.deepEqual(verdicts, []);
  assert.equal(events[0]?.outcome, 'proceed');
});

test('a hook that cannot be started denies; after the action it is a warning', async () => {
  const fails = (): Promise<HookEnd> => Promise.reject(new Error('no bash'));
  const before = await runHooks(input(), [hook('x')], fails);
  assert.equal(before.verdicts[0]?.effect, 'deny');
  const after = await runHooks(input({event: 'PostToolUse'}), [hook('x', {event: 'PostToolUse'})], fails);
  assert.deepEqual(after.verdicts, []);
  assert.match(after.warnings[0]!, /could not be started: no bash/);
});

test('a command that is too long for a variable denies', async () => {
  const {verdicts} = await runHooks(input({command: 'x'.repeat(200_000)}), [hook('true')], really);
  assert.match(verdicts[0]!.because, /too long/);
});

test('a hook of a project never leaves the sandbox, whatever it requests', async () => {
  const seen: boolean[] = [];
  const spawn = (launch: HookLaunch): Promise<HookEnd> => {
    seen.push(launch.sandbox);
    return really(launch);
  };
  const project: Origin = {layer: 'project', file: '.ion/config.toml', line: 1};
  await runHooks(input(), [hook('true', {origin: project}), hook('true')], spawn);
  assert.deepEqual(seen, [true, false]);
});

test('a replaced input is returned', async () => {
  const answer = '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"npm ci"}}}';
  const {updatedInput} = await runHooks(input(), [hook(`echo '${answer}'`)], really);
  assert.deepEqual(updatedInput, {command: 'npm ci'});
});

const forbidding = [
  {answer: 'allow', want: [], warned: 1},
  {answer: 'ask', want: ['ask'], warned: 0},
  {answer: 'deny', want: ['deny'], warned: 0},
];
for (const {answer, want, warned} of forbidding) {
  test(`a hook that may only forbid returns ${answer}`, async () => {
    const command = `echo '{"hookSpecificOutput":{"permissionDecision":"${answer}"}}'`;
    const {verdicts, warnings} = await runHooks(input(), [hook(command, {onlyForbids: true})], really);
    assert.deepEqual(
      verdicts.map(({effect}) => effect),
      want,
    );
    assert.equal(warnings.length, warned);
  });
}

test('a hook that may only forbid cannot replace the command', async () => {
  const command = `echo '{"hookSpecificOutput":{"updatedInput":{"command":"other"}}}'`;
  const {verdicts, updatedInput} = await runHooks(input(), [hook(command, {onlyForbids: true})], really);
  assert.deepEqual([verdicts.map(({effect}) => effect), updatedInput], [['deny'], undefined]);
});

test("a hook's stderr cannot move the cursor or forge a line", async () => {
  const command = `printf 'a "b"\\nion: allowed\\r\\033[8m\\033]0;x\\007' >&2; exit 3`;
  const {warnings} = await runHooks(input(), [hook(command)], really);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, / ended with 3: a "b"\\nion: allowed\\r\\e\[8m\\e\]0;x\\u\{7\}$/);
});
