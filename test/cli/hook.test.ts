import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {testCases, type Case} from '../harness/cases.ts';
import {trust} from '../harness/run.ts';

const hooks = (event: string): string =>
  `[[hooks]]\nevent = "${event}"\ncommand = "cat > input; ! touch ../outside 2>&-"\n`;

/** The text that the config's hook read on its stdin. */
const hookRead =
  (want: Readonly<Record<string, unknown>>): NonNullable<Case['after']> =>
  ({work}) => {
    const input = JSON.parse(readFileSync(`${work}/input`, 'utf8')) as Record<string, unknown>;
    for (const [key, value] of Object.entries(want)) assert.deepEqual(input[key], value, key);
  };

/** The input of a PreCompact hook, as Claude Code documents it. */
const documented = {
  session_id: 'abc123',
  transcript_path: '~/.claude/projects/x.jsonl',
  cwd: '/somewhere',
  hook_event_name: 'PreCompact',
  trigger: 'manual',
  custom_instructions: 'keep the plan',
};

testCases('ion hook', [
  {
    name: "PreCompact, with an agent's input",
    files: {'~/.ion/config.toml': hooks('PreCompact')},
    args: ['hook', 'PreCompact'],
    stdin: JSON.stringify(documented),
    after: hookRead(documented),
  },
  ...(
    [
      ['PreCompact', {trigger: 'manual', custom_instructions: ''}],
      ['SessionStart', {source: 'startup'}],
      ['Stop', {stop_hook_active: false}],
    ] as const
  ).map(([event, own]): Case => ({
    name: `${event}, with nothing on stdin`,
    files: {'~/.ion/config.toml': hooks(event)},
    args: ['hook', event],
    after: hookRead({...own, hook_event_name: event, permission_mode: 'never', transcript_path: ''}),
  })),
  {
    name: 'a hook that fails is a warning',
    files: {'~/.ion/config.toml': '[[hooks]]\nevent = "Stop"\ncommand = "echo why >&2; exit 3"\n'},
    args: ['hook', 'Stop'],
    stderr: /^ion: the hook "[^"]*" \(~\/\.ion\/config\.toml:1\) ended with 3: why\n$/,
  },
  {
    name: 'a hook that denies where nothing can be stopped is reported, and the next one runs',
    files: {
      '~/.ion/config.toml':
        '[[hooks]]\nevent = "Stop"\ncommand = "echo why >&2; exit 2"\n[[hooks]]\nevent = "Stop"\ncommand = "echo next >&2; exit 3"\n',
    },
    args: ['hook', 'Stop'],
    stderr:
      /^ion: the hook "[^"]*" \(~\/\.ion\/config\.toml:1\) answered no, which has no effect for this event: why\nion: the hook [^\n]* ended with 3: next\n$/,
  },
  {
    name: 'hooks of a project that is not trusted do not run',
    files: {'.ion/config.toml': hooks('Stop')},
    args: ['hook', 'Stop'],
    stderr: /^ion: ignored: hooks/,
    after: ({work}) => assert.throws(() => readFileSync(`${work}/input`), {code: 'ENOENT'}),
  },
  {
    name: 'an empty config planted in a nearer folder does not disable the hooks of a trusted workspace',
    files: {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/objects/': '',
      '.git/refs/': '',
      '.ion/config.toml': '[[hooks]]\nevent = "PreToolUse"\ncommand = "echo frozen >&2; exit 2"\n',
      'sub/x': '',
    },
    cwd: '{work}/sub',
    before: async (scratch, as) => {
      await trust(scratch, as);
      mkdirSync(`${scratch.work}/sub/.ion`);
      writeFileSync(`${scratch.work}/sub/.ion/config.toml`, '');
    },
    args: ['run', 'touch A'],
    code: 126,
    stderr: /^ion: denied: "touch A" by a hook: "frozen"\n/,
  },
  {name: 'no hooks at all', args: ['hook', 'Stop']},
  {
    name: 'an event that belongs to a command',
    args: ['hook', 'PreToolUse'],
    code: 125,
    stderr: /^ion: "ion hook" does not run hooks for "PreToolUse"\nhelp: /,
  },
  {
    name: 'invalid JSON',
    args: ['hook', 'Stop'],
    stdin: '[1]',
    code: 125,
    stderr: /^ion: stdin is not a JSON/,
  },
  {
    name: 'another event on stdin',
    args: ['hook', 'Stop'],
    stdin: '{"hook_event_name":"PreCompact"}',
    code: 125,
    stderr: /^ion: stdin names the event "PreCompact", not "Stop"\n$/,
  },
]);
