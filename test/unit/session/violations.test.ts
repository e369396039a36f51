import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Origin} from '../../../src/config/settings.ts';
import {renderMessage} from '../../../src/errors.ts';
import {violationMessages, violationRecord, type CountedViolation} from '../../../src/session/violations.ts';
import {inUserFile} from '../policy/support.ts';

const refused: CountedViolation = {
  operation: 'read',
  syscall: 'openat',
  number: 1,
  rule: 'denied-path',
  pid: 7,
  program: '/usr/bin/cat',
  target: '/home/u/.ssh/id',
  detail: '/home/u/.ssh',
  count: 1,
};

const cases: readonly {name: string; origin: Origin; at: string; help: string}[] = [
  {
    name: 'one that a config says',
    origin: inUserFile(4),
    at: ' --> ~/.ion/config.toml:4\n',
    help: 'denied_paths hold in every mode; take the entry out of your own config to open it',
  },
  {
    name: "one of ion's own",
    origin: {layer: 'default'},
    at: '',
    help: "denied_paths hold in every mode, and this one is ion's own: only --no-sandbox opens it",
  },
];
for (const {name, origin, at, help} of cases) {
  test(`a refusal by a denied path says what opens it: ${name}`, () => {
    const settings = {
      deniedPaths: [{value: '/home/u/.ssh', origin}],
      protect: [],
      frames: {},
      trustedFiles: ['/w/.ion/config.toml'],
      home: '/home/u',
    };
    const [message] = violationMessages(
      {list: [refused], untold: 0},
      {expected: [], settings, hasFailed: true},
    );
    assert.equal(
      renderMessage(message!),
      'ion: blocked: cat (pid 7) could not read "/home/u/.ssh/id" (openat: denied by denied_paths "/home/u/.ssh")\n' +
        `${at}help: ${help}\n`,
    );
    assert.equal(violationRecord(refused, 'r', settings).would_allow, help);
  });
}

const closed: readonly {target: string; by: string; help: string}[] = [
  {
    target: '/w/.vscode/x',
    by: 'something outside the sandbox runs or reads it',
    help: 'sandbox.unprotect = [".vscode"] in your own config allows it',
  },
  {
    target: '/w/.ion/config.toml',
    by: "a config that this run obeys: whoever changes it changes the next run's rules",
    help: 'no setting allows it: change it outside of ion',
  },
  {
    target: '/w/.ion/x',
    by: 'something outside the sandbox runs or reads it',
    help: 'sandbox.unprotect = [".ion"] in your own config allows it',
  },
  {
    target: '/w/Makefile',
    by: 'protected by sandbox.protect "Makefile")\n --> ~/.ion/config.toml:3',
    help: 'take the entry out of sandbox.protect to allow it',
  },
  {
    target: '/w/ci/x/y',
    by: 'protected by sandbox.protect "/w/ci")\n --> ~/.ion/config.toml:4',
    help: 'take the entry out of sandbox.protect to allow it',
  },
  {
    target: '/w/docs/x',
    by: 'in the frame "docs", which is not the active one)\n --> ~/.ion/config.toml:5',
    help: 'permissions.frame = "docs" in your own config makes it the active one',
  },
];
for (const {target, by, help} of closed) {
  test(`a refusal by a protected path says what closed it: ${target}`, () => {
    const settings = {
      deniedPaths: [],
      protect: [
        {value: 'Makefile', origin: inUserFile(3)},
        {value: '/w/ci', origin: inUserFile(4)},
      ],
      frames: {docs: {value: '/w/docs', origin: inUserFile(5)}},
      trustedFiles: ['/w/.ion/config.toml'],
      home: '/home/u',
    };
    const violation = {...refused, operation: 'write', rule: 'protected', target, detail: ''} as const;
    const [message] = violationMessages(
      {list: [violation], untold: 0},
      {expected: [], settings, hasFailed: true},
    );
    const text = renderMessage(message!);
    assert.ok(text.includes(`(openat: ${by}`), text);
    assert.ok(text.endsWith(`\nhelp: ${help}\n`), text);
    assert.equal(violationRecord(violation, 'r', settings).would_allow, help);
  });
}

const below = 'write below the workspace or the temp folder instead';
const root = (folder: string): string => `sandbox.write_roots = ["${folder}"] in your own config allows it`;
const outside: readonly {home?: string; target: string; help: string}[] = [
  {home: '/srv/people/ann', target: '/srv/people/ann/x', help: below},
  {home: '/srv/people/ann', target: '/srv/people/x', help: below},
  {home: '/srv/people/ann', target: '/srv/people/ann/.config/x', help: below},
  {home: '/srv/people/ann', target: '/srv/people/ann/data/x', help: root('/srv/people/ann/data')},
  {home: '/srv/people/ann', target: '/srv/data/x', help: root('/srv/data')},
  {home: '/var/lib/jenkins', target: '/var/lib/jenkins/x', help: below},
  {home: '/home/ann', target: '/home/bob/x', help: below},
  {target: '/home/ann/x', help: below},
  {target: '/etc/x', help: below},
];
for (const {home, target, help} of outside) {
  test(`a refused write proposes no home and no system folder as a root: ${target}, HOME ${home ?? 'not set'}`, () => {
    const settings = {deniedPaths: [], protect: [], frames: {}, trustedFiles: [], home};
    const violation = {...refused, operation: 'write', rule: 'outside', target, detail: ''} as const;
    assert.equal(violationRecord(violation, 'r', settings).would_allow, help);
  });
}
