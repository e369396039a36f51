/**
 * Every byte that a command, path, program, hook, config or log can choose is escaped. Each function that builds a message
 * is called with hostile texts and with a harmless one. Both must give the same number of lines, and the hostile ones must
 * not contain anything that moves a cursor or hides text.
 */
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {appendWithoutAddon} from '../../../src/audit/append.ts';
import {canonicalJson} from '../../../src/audit/canonical.ts';
import {runAudit} from '../../../src/cli/commands/audit-command.ts';
import {runCheck} from '../../../src/cli/commands/check-result.ts';
import {runPermissions} from '../../../src/cli/commands/permissions-listing.ts';
import {tomlString} from '../../../src/config/read/render.ts';
import {linesOf} from '../../../src/config/trust/statements.ts';
import {quoted, renderMessage, safeLines, type Message} from '../../../src/errors.ts';
import {decide} from '../../../src/policy/decide.ts';
import {explain} from '../../../src/policy/explain.ts';
import {networkQuestion} from '../../../src/policy/network-approval.ts';
import type {Violation} from '../../../src/sandbox/violation.ts';
import {messageFor} from '../../../src/session/report/message-for.ts';
import {namedPathsRefused} from '../../../src/session/report/named-paths-refused.ts';
import {analyze} from '../../../src/shell/parse/analyze.ts';
import {hintsFor} from '../../../src/session/report/hints.ts';
import {escaped} from '../../../src/session/report/escaped.ts';
import {grantedLine, notAnAnswer, renderQuestion} from '../../../src/session/ask/question.ts';
import {notYesOrNo, renderOffer, renderWriteOffer} from '../../../src/session/ask/rerun.ts';
import {violationMessages} from '../../../src/session/report/violations.ts';
import {violationRules} from '../../../src/session/report/violation-rules.ts';
import {at, bash, inUserFile, listed, rule, sourced, stateWith, tool} from '../policy/support.ts';
import {fc} from '../../harness/property.ts';

const size = {rows: 24, columns: 80};

/** C0, C1, all kinds of line ends, bidi, zero width, tags, unusual spaces, lone surrogates. */
const evil = [
  ...[
    '\u0000',
    '\u0007',
    '\u0008',
    '\t',
    '\n',
    '\u000b',
    '\r',
    '\u001b',
    '\u001b[2J',
    '\u001b]0;x\u0007',
    '\u007f',
  ],
  ...[
    '\u0085',
    '\u009b2J',
    '\u009d',
    '\u2028',
    '\u2029',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u061c',
    '\u200b',
    '\u200d',
  ],
  ...[
    '\ufeff',
    '\u00ad',
    '\u00a0',
    '\u3000',
    '\u2800',
    '\u3164',
    '\ufe0f',
    '\u{e0041}',
    '\ud800',
    '\udc00',
    '\u180e',
  ],
  ...['\nion: allowed\n', '\r\nhelp: ', '"', '\\', "'", '`', '$(x)', ' ', 'é', '漢', '😀'],
];
const hostile = fc
  .array(
    fc.oneof(
      {weight: 3, arbitrary: fc.constantFrom(...evil)},
      fc.constantFrom('a', '/', '.', '-', 'git push'),
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''));

/** Characters that must not occur in any output, except ion's own line ends. */
const moves = new RegExp(
  String.raw`[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe0f\ufeff]|[\u{e0000}-\u{e007f}]|\p{Cs}`,
  'u',
);

/** For texts that come from places where a NUL cannot occur. */
const noNul = (text: string): string => text.replaceAll('\0', '');

function shownMessages(messages: readonly (Message | undefined)[]): string {
  return messages.map((message) => (message ? renderMessage(message) : '')).join('');
}

const limits = {timeoutMs: {value: 1, origin: {layer: 'flag'}}} as const;

const sessionWith = (text: string) => ({
  grants: new Set([['bash', '', text, '', text].join('\0')]),
  rules: [],
  denials: new Map([[['bash', '', text, text].join('\0'), {consecutive: 1, total: 2}]]),
});

/** Each builds a text for people from one untrusted text. */
const builders: Readonly<Record<string, (text: string) => string>> = {
  'a message in all its parts': (text) => renderMessage({text, at: {file: text, line: 3}, help: text}),
  'text in quotes': (text) => `${quoted(text, Infinity)}`,
  'text without quotes': (text) => escaped(text, Infinity),
  'a value of a config': (text) => tomlString(text),
  'a setting of a config': (text) => linesOf('a.b', [text, {x: text}]).join('\n'),
  'a denied command': (text) =>
    runCheck({
      action: bash('git push'),
      decision: decide(
        bash('git push'),
        stateWith({
          denyCommands: [sourced(`git ${text}`)],
          rules: [rule('deny', 'tool', 'bash', {reason: text})],
        }),
      ),
    }).stdout,
  'a rule, its reason and its file': (text) => {
    const origin = {layer: 'project', file: text, line: 2} as const;
    const rules = [rule('deny', 'tool', 'write', {reason: text, origin})];
    const action = tool('write', 'edit', at(text, 'write', `/home/u/ws/${noNul(text)}`));
    const decision = decide(action, stateWith({rules}));
    return runCheck({action, decision}).stdout;
  },
  'a hook': (text) => {
    const hookVerdicts = [{effect: 'deny', because: text, origin: inUserFile(3), command: text}] as const;
    return explain(decide(bash('make'), stateWith({}, {hookVerdicts})));
  },
  'a frame': (text) => {
    const frames = {[text]: sourced('/home/u/ws/b')};
    return explain(
      decide(tool('write', 'edit', at('/home/u/ws/b/x', 'write')), stateWith({frames}, {interactive: true})),
    );
  },
  'a tool': (text) =>
    explain(decide(tool(text, 'edit', at('/home/u/ws/x', 'write')), stateWith({approval: sourced('ask')}))),
  'the network': (text) => {
    const {message} = networkQuestion(tool(text, 'network'), stateWith({approval: sourced('auto')}));
    return renderMessage({text: message});
  },
  'the permissions': (text) => {
    const frames = {[text]: sourced(text)};
    const settings = {
      frames,
      denyCommands: listed(text),
      allowedTools: listed(text),
      rules: [rule('deny', 'tool', text, {tool: text, reason: text})],
    };
    return runPermissions({
      state: stateWith(settings, {workspace: `/${text}`, session: sessionWith(noNul(text))}),
    }).stdout;
  },
  'what an answer granted': (text) =>
    grantedLine('user', tool('write', 'edit', at(text, 'write')), {
      rule: {id: 'x', shown: text},
      lasts: '',
    }) ?? '',
  'a line that is no answer': (text) => `${notAnAnswer(text, ['once', 'no'])}${notYesOrNo(`${text}x`)}`,
  'what a command could not read': (text) =>
    shownMessages(
      // One name below /srv: ".." as a whole would name another folder, where nothing is refused.
      namedPathsRefused(analyze(`cat '/srv/a${noNul(text).replaceAll(/['/]/g, '')}'`), {
        ...{
          cwd: '/home/u/w',
          home: '/home/u',
          roots: [],
          withheld: [],
          readRoots: [],
          writeRoots: [],
          protected: [],
        },
        realOf: (file) => (file.startsWith('/srv') ? '/srv/one' : undefined),
        isFolder: () => false,
        listsTop: true,
        remotes: () => [],
      }).map(messageFor),
    ),
  'variables that were removed': (text) => shownMessages([messageFor({kind: 'variables', names: [text]})]),
  'a limit': (text) =>
    shownMessages([
      messageFor({kind: 'limit', event: {kind: 'limit', limit: text as 'memory', value: 1, pid: 3}, limits}),
    ]),
  'programs that are closed': (text) =>
    shownMessages(
      hintsFor({
        segments: bash(`sudo yarn`).command!.analysis.segments,
        signs: () => false,
        hasHusky: () => false,
        stopsYarn: () => [text],
        reported: [],
        hasCache: () => false,
        address: undefined,
      }).map(messageFor),
    ),
  ...Object.fromEntries(
    (Object.keys(violationRules) as Violation['rule'][]).map((name) => [
      `a refusal: ${name}`,
      (text: string) => {
        const violation: Violation = {
          ...({
            kind: 'violation',
            number: 1,
            pid: 7,
            rule: name,
            operation: 'write',
            syscall: 'openat',
          } as const),
          ...{target: `/srv/${text}`, program: `/bin/${text}`, detail: text},
        } as Violation;
        const settings = {
          deniedPaths: [sourced(text)],
          denyCommands: [sourced(text)],
          rules: [rule('deny', 'path', text)],
          protect: [sourced(text)],
          frames: {},
          trustedFiles: [],
          home: '/home/u',
        };
        return shownMessages(
          violationMessages({list: [{...violation, count: 2}], unreported: 1}, {
            expected: [],
            settings,
            hasFailed: true,
          } as Parameters<typeof violationMessages>[1]),
        );
      },
    ]),
  ),
};

for (const [name, build] of Object.entries(builders)) {
  test(`escaped, and no more lines than with a harmless text: ${name}`, () => {
    const lines = (text: string): number => build(text).split('\n').length;
    const harmless = lines('x');
    fc.assert(
      fc.property(hostile, (text) => {
        assert.doesNotMatch(build(text), moves);
        assert.equal(lines(text), harmless, build(text));
      }),
      {numRuns: 60},
    );
  });
}

/** Questions are as long as the text that they show. Each of their lines begins with ion's own mark. */
const questions: Readonly<Record<string, (text: string) => string>> = {
  'about a command': (text) => {
    const settings = {
      approval: sourced('ask' as const),
      rules: [rule('ask', 'tool', 'bash', {reason: text})],
    };
    const action = bash(`rm -rf ${noNul(text)}`);
    return renderQuestion(decide(action, stateWith(settings, {interactive: true})), action, text, size).text;
  },
  'about a tool': (text) => {
    const action = tool(text, 'edit', at(text, 'write'));
    return renderQuestion(
      decide(action, stateWith({approval: sourced('ask')}, {interactive: true})),
      action,
      text,
      size,
    ).text;
  },
  'to run once more': (text) =>
    renderOffer({readRoots: [], writeRoots: [text], unixSockets: [text], network: true}, size),
  'to run as a write': (text) => renderWriteOffer(text, text, size),
};
for (const [name, build] of Object.entries(questions)) {
  test(`a question is escaped, and every line has ion's mark: ${name}`, () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = build(text);
        assert.doesNotMatch(shown, moves);
        assert.equal(shown.match(/^ion: /gm)?.length, 1, shown);
        for (const line of shown.split('\n'))
          assert.match(line, /^(?:ion: | --> | {2}|help: |Allow\? |Run it )/, shown);
      }),
      {numRuns: 100},
    );
  });
}

test('the log is shown escaped, one line per event', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ion-messages-'));
  try {
    fc.assert(
      fc.property(hostile, (text) => {
        rmSync(folder, {recursive: true, force: true});
        const common = {schema: 1, time: text, run_id: 'abcd1234'};
        const action = {tool: text, class: text, command: text, paths: [], mcp_server: text};
        const events = [
          {...common, type: 'run.started', cwd: text, action},
          {...common, type: 'permission.evaluated', decision: text, decision_reason: text, action},
          {
            ...common,
            type: 'sandbox.violation',
            violation_id: text,
            operation: text,
            path: text,
            program: text,
            protection: text,
          },
          {...common, type: 'config.ignored', key: text, value: text, at: text, why: text},
          {...common, type: 'hook.finished', outcome: text, command: text},
          {...common, type: 'step.written', variable: text, path: text},
          {...common, type: 'log.recovered', reason: text, bytes: 1},
          {...common, type: 'log.verified', intact: false, at: text, why: text},
          {...common, type: text, [text]: text, list: [text]},
        ];
        appendWithoutAddon(
          folder,
          events.map((event) => canonicalJson(event)),
          1 << 30,
          false,
        );
        const audit = (input: object): string => {
          const {stdout, stderr} = runAudit({folder, now: new Date(0), ...input} as Parameters<
            typeof runAudit
          >[0]);
          assert.doesNotMatch(stdout + stderr, moves);
          return stdout;
        };
        assert.equal(audit({verb: 'tail'}).split('\n').length, events.length + 1);
        assert.equal(audit({verb: 'list'}).split('\n').length, 2);
        audit({verb: 'show', run: 'abcd1234'});
        audit({verb: 'verify'});
        assert.equal(audit({verb: 'export'}).split('\n').length, events.length + 1);
      }),
      {numRuns: 40},
    );
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
});

test('the last check before lines are written', () => {
  fc.assert(fc.property(hostile, (text) => assert.doesNotMatch(safeLines(text), moves)));
});
