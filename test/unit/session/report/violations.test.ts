import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {parse} from 'smol-toml';
import {parseSet} from '../../../../src/config/read/set-layer.ts';
import type {Origin} from '../../../../src/config/settings.ts';
import {renderMessage} from '../../../../src/errors.ts';
import {expectedWrites, ofNote} from '../../../../src/session/report/expected.ts';
import type {CountedViolation} from '../../../../src/session/report/refusal.ts';
import {violationMessages, violationRecord} from '../../../../src/session/report/violations.ts';
import {inUserFile} from '../../policy/support.ts';
import {nothingRefuses} from './support.ts';

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
    name: 'an entry of a config',
    origin: inUserFile(4),
    at: ' --> ~/.ion/config.toml:4\n',
    help: 'denied_paths apply in every mode; remove the entry from your config to open it',
  },
  {
    name: "one of ion's own entries",
    origin: {layer: 'default'},
    at: '',
    help: 'denied_paths apply in every mode, and this entry is built in: only --no-sandbox opens it',
  },
];
for (const {name, origin, at, help} of cases) {
  test(`a refusal by a denied path names the setting that opens it: ${name}`, () => {
    const settings = {
      denyCommands: [],
      rules: [],
      deniedPaths: [{value: '/home/u/.ssh', origin}],
      protect: [],
      frames: {},
      trustedFiles: ['/w/.ion/config.toml'],
      home: '/home/u',
    };
    const [message] = violationMessages(
      {list: [refused], unreported: 0},
      {expected: [], settings, hasFailed: true},
    );
    assert.equal(
      renderMessage(message!),
      'ion: blocked: cat (pid 7) could not read "/home/u/.ssh/id" (openat: denied by denied_paths "/home/u/.ssh")\n' +
        `${at}help: ${help}\n`,
    );
    assert.equal(violationRecord(refused, 'r', settings, {expected: []}).would_allow, help);
  });
}

const closed: readonly {target: string; by: string; help: string}[] = [
  {
    target: '/w/.vscode/x',
    by: 'protected, because programs outside the sandbox run or read it',
    help: 'for this run: --set sandbox.unprotect+=.vscode; for all: sandbox.unprotect = [".vscode"] in ~/.ion/config.toml',
  },
  {
    target: '/w/.devcontainer/.env',
    by: 'protected, because programs outside the sandbox run or read it',
    help: 'for this run: --set sandbox.unprotect+=.devcontainer; for all: sandbox.unprotect = [".devcontainer"] in ~/.ion/config.toml',
  },
  {
    target: '/w/.husky',
    by: 'protected, because programs outside the sandbox run or read it',
    help: 'for this run: --set sandbox.unprotect+=.husky; for all: sandbox.unprotect = [".husky"] in ~/.ion/config.toml; or put HUSKY=0 before the command to skip it',
  },
  {
    target: '/w/.ion/config.toml',
    by: 'a config that this run obeys: a change would change the rules of the next run',
    help: 'no setting allows it: change it outside ion',
  },
  {
    target: '/w/.ion',
    by: 'it contains a config that this run obeys: a change would change the rules of the next run',
    help: 'no setting allows it: change it outside ion',
  },
  {
    target: '/w/.ion/x',
    by: 'protected, because programs outside the sandbox run or read it',
    help: 'for this run: --set sandbox.unprotect+=.ion; for all: sandbox.unprotect = [".ion"] in ~/.ion/config.toml',
  },
  {
    target: '/w/Makefile',
    by: 'protected by sandbox.protect "Makefile")\n --> ~/.ion/config.toml:3',
    help: 'remove the entry from sandbox.protect to allow it',
  },
  {
    target: '/w/ci/x/y',
    by: 'protected by sandbox.protect "/w/ci")\n --> ~/.ion/config.toml:4',
    help: 'remove the entry from sandbox.protect to allow it',
  },
  {
    target: '/w/sub/etc',
    by: 'protected by sandbox.protect "etc/conf/x")\n --> ~/.ion/config.toml:6',
    help: 'remove the entry from sandbox.protect to allow it',
  },
  {
    target: '/w/abs',
    by: 'protected by sandbox.protect "/w/abs/f")\n --> ~/.ion/config.toml:7',
    help: 'remove the entry from sandbox.protect to allow it',
  },
  {
    target: '/w/site',
    by: 'it contains the frame "pages", which is not active)\n --> ~/.ion/config.toml:8',
    help: 'for this run: --set permissions.frame=pages; for all: permissions.frame = "pages" in ~/.ion/config.toml',
  },
  {
    target: '/w/log',
    by: '--events writes the events of this run to it',
    help: 'no setting allows it: change it outside ion, or name another file',
  },
  {
    target: '/w/docs/x',
    by: 'in the frame "docs", which is not active)\n --> ~/.ion/config.toml:5',
    help: 'for this run: --set permissions.frame=docs; for all: permissions.frame = "docs" in ~/.ion/config.toml',
  },
];
for (const {target, by, help} of closed) {
  test(`a refusal by a protected path names the setting that closed it: ${target}`, () => {
    const settings = {
      denyCommands: [],
      rules: [],
      deniedPaths: [],
      protect: [
        {value: 'Makefile', origin: inUserFile(3)},
        {value: '/w/ci', origin: inUserFile(4)},
        {value: 'etc/conf/x', origin: inUserFile(6)},
        {value: '/w/abs/f', origin: inUserFile(7)},
      ],
      frames: {
        docs: {value: '/w/docs', origin: inUserFile(5)},
        pages: {value: '/w/site/pages', origin: inUserFile(8)},
      },
      trustedFiles: ['/w/.ion/config.toml'],
      eventsFile: '/w/log/events',
      home: '/home/u',
    };
    const violation = {...refused, operation: 'write', rule: 'protected', target, detail: ''} as const;
    const [message] = violationMessages(
      {list: [violation], unreported: 0},
      {expected: [], settings, hasFailed: true},
    );
    const text = renderMessage(message!);
    assert.ok(text.includes(`(openat: ${by}`), text);
    assert.ok(text.endsWith(`\nhelp: ${help}\n`), text);
    assert.equal(violationRecord(violation, 'r', settings, {expected: []}).would_allow, help);
  });
}

const below = 'write below the workspace or the temp folder instead';
const root = (folder: string): string =>
  `for this run: --set sandbox.write_roots+=${folder}; for all: sandbox.write_roots = ["${folder}"] in ~/.ion/config.toml`;
const outside: readonly {home?: string; target: string; help: string}[] = [
  {
    home: '/srv/people/ann',
    target: '/srv/people/ann/x',
    help: `${root('/srv/people/ann/x')}; it must exist first: touch /srv/people/ann/x`,
  },
  {home: '/srv/people/ann', target: '/srv/people/ann/.cache/x', help: below},
  {home: '/srv/people/ann', target: '/srv/people/ann/.local/share/x', help: below},
  {home: '/srv/people/ann', target: '/srv/people/x', help: below},
  {home: '/srv/people/ann', target: '/srv/people/ann/.config/x', help: below},
  {
    home: '/srv/people/ann',
    target: '/srv/people/ann/.local/state/tool/x',
    help: root('/srv/people/ann/.local/state/tool'),
  },
  {home: '/srv/people/ann', target: '/srv/people/ann/.local/state/x', help: below},
  {home: '/srv/people/ann', target: '/srv/people/ann/data/x', help: root('/srv/people/ann/data')},
  {home: '/srv/people/ann', target: '/srv/data/x', help: root('/srv/data')},
  {
    home: '/var/lib/jenkins',
    target: '/var/lib/jenkins/x',
    help: `${root('/var/lib/jenkins/x')}; it must exist first: touch /var/lib/jenkins/x`,
  },
  {home: '/home/ann', target: '/home/bob/x', help: below},
  {target: '/home/ann/x', help: below},
  {target: '/etc/x', help: below},
  {target: '/var/spool/cron/crontabs/root', help: below},
  {target: '/var/spool/mail/x', help: root('/var/spool/mail')},
];
for (const {home, target, help} of outside) {
  test(`a refused write never proposes a home or a system folder as a root: ${target}, HOME ${home ?? 'not set'}`, () => {
    const settings = {...nothingRefuses, home};
    const violation = {...refused, operation: 'write', rule: 'outside', target, detail: ''} as const;
    assert.equal(violationRecord(violation, 'r', settings, {expected: []}).would_allow, help);
  });
}

const odd = 'a"b\\c\nd\u001be';
const oddTargets: readonly {rule: CountedViolation['rule']; target: string; want: unknown}[] = [
  {rule: 'unreadable', target: `/srv/${odd}`, want: {sandbox: {read_roots: [`/srv/${odd}`]}}},
  {rule: 'outside', target: `/srv/${odd}/x`, want: {sandbox: {write_roots: [`/srv/${odd}`]}}},
  {rule: 'protected', target: `/w/.${odd}/x`, want: {sandbox: {unprotect: [`.${odd}`]}}},
  {rule: 'unix-socket', target: `/srv/${odd}`, want: {sandbox: {unix_sockets: [`/srv/${odd}`]}}},
];
for (const {rule, target, want} of oddTargets) {
  test(`a closing line for an unusual name has three lines, and its setting is valid TOML: ${rule}`, () => {
    const settings = {...nothingRefuses, home: '/home/u'};
    const violation = {...refused, program: `/w/${odd}`, rule, target, detail: ''};
    const [message] = violationMessages(
      {list: [violation], unreported: 0},
      {expected: [], settings, hasFailed: true},
    );
    assert.equal(renderMessage(message!).split('\n').length, 3); // the last line ends with a newline too
    assert.ok(!renderMessage(message!).includes('\u001b'));
    const setting = /; for all: (.*\]) in ~\/\.ion/m.exec(renderMessage(message!))?.[1];
    assert.equal(JSON.stringify(parse(setting!)), JSON.stringify(want));
    // bash reads the option as the same setting.
    const option = /^help: for this run: (.*); for all: /m.exec(renderMessage(message!))?.[1];
    const [flag, argument] = execFileSync('bash', ['-c', `printf '%s\\0' ${option}`], {
      encoding: 'utf8',
    }).split('\0');
    assert.equal(flag, '--set');
    assert.equal(
      JSON.stringify(parseSet(argument!, {folder: '/w', home: undefined}).document),
      JSON.stringify(want),
    );
  });
}

const ofKinds = (count: number): CountedViolation[] =>
  Array.from({length: count}, (_, number) => ({...refused, number, target: `/srv/${number}`}));
const ends: readonly {kinds: number; unreported: number; want: readonly string[]}[] = [
  {kinds: 5, unreported: 0, want: []},
  {kinds: 7, unreported: 0, want: ['blocked: 2 more kinds of refusals; --events and --json report each']},
  {
    kinds: 256,
    unreported: 30,
    want: [
      'blocked: 251 more kinds of refusals; --events and --json report each',
      'blocked: 30 more refusals, of too many kinds to report each',
    ],
  },
];
for (const {kinds, unreported, want} of ends) {
  test(`closing lines name the place of the full report: ${kinds} kinds, ${unreported} only counted`, () => {
    const settings = {...nothingRefuses, home: '/home/u'};
    const messages = violationMessages(
      {list: ofKinds(kinds), unreported},
      {expected: [], settings, hasFailed: true},
    );
    assert.deepEqual(
      messages.slice(5).map(({text}) => text),
      want,
    );
  });
}

const nowhere = 'no setting allows it: do it outside ion';
const advice: readonly {rule: 'outside' | 'unreadable'; program: string; target: string; help: string}[] = [
  {rule: 'outside', program: '/usr/bin/dpkg', target: '/var/lib/dpkg/lock', help: nowhere},
  {rule: 'outside', program: '/usr/bin/apt-get', target: '/var/lib/apt/lists/lock', help: nowhere},
  {rule: 'outside', program: '/usr/bin/crontab', target: '/var/spool/cron/crontabs/tmp.x', help: nowhere},
  {rule: 'outside', program: '/usr/bin/tee', target: '/var/spool/cron/crontabs/root', help: below},
  {rule: 'outside', program: '/usr/bin/tee', target: '/var/lib/dpkg/info/x.postinst', help: below},
  {rule: 'outside', program: '/usr/bin/tee', target: '/var/www/x', help: root('/var/www')},
  {rule: 'outside', program: '/usr/bin/at', target: '/var/spool/cron/atjobs/.SEQ', help: nowhere},
  {rule: 'unreadable', program: '/usr/bin/mount', target: '/mnt', help: nowhere},
  {rule: 'outside', program: '/usr/bin/tee', target: '/srv/mount/x', help: root('/srv/mount')},
];
for (const {rule, program, target, help} of advice) {
  test(`a change of the machine belongs outside: ${program}, ${target}`, () => {
    const settings = {...nothingRefuses, home: '/home/u'};
    const violation = {...refused, operation: 'write', rule, program, target, detail: ''} as const;
    assert.equal(violationRecord(violation, 'r', settings, {expected: []}).would_allow, help);
  });
}

const silent: readonly {
  name: string;
  violation: Partial<CountedViolation>;
  reported: boolean;
  noted: boolean;
}[] = [
  ...[
    ['.bash_history', false],
    ['.bash_history-01234.tmp', false],
    ['.lesshst0', false],
    ['.lesshsQ', false],
    ['.viminfz.tmp', false],
    ['.mysql_history.TMP', false],
    ['.irb_history', false],
    ['.java/.userPrefs/x', false],
    ['.config/procps/toprc', false],
    ['.config', true],
    ['.wget-hsts', false],
    ['.bashrc', true],
    ['.javarc', true],
    ['.config/other/x', true],
    ['x/.bash_history', true],
  ].map(([name, reported]) => ({
    name: `~/${name}`,
    violation: {rule: 'outside', operation: 'write', target: `/home/u/${name}`} as const,
    reported: reported === true,
    noted: true,
  })),
  ...[
    ['/usr/bin/man', '/var/cache/man/cat1/catfPS9NC', false],
    ['/usr/bin/man', '/var/cache/manual', true],
    ['/usr/bin/top', '/home/u/.config', false],
    ['/usr/bin/top', '/home/u/.config/x', true],
    ['/usr/bin/gdb', '/proc/7/mem', false],
    ['/usr/bin/gdb', '/proc/7/task/8/mem', false],
    ['/usr/bin/gdb', '/proc/7/environ', true],
    ['/usr/lib/chromium/chromium', '/proc/9/oom_score_adj', false],
    ['/usr/bin/choom', '/proc/9/oom_score_adj', true],
    ['/usr/bin/python3.11', '/proc/7/mem', true],
  ].map(([program, target, reported]) => ({
    name: `${program}, ${target}`,
    violation: {rule: 'outside', operation: 'write', target: `${target}`, program: `${program}`} as const,
    reported: reported === true,
    noted: true,
  })),
  {
    name: "urllib3's check for IPv6",
    violation: {rule: 'loopback', operation: 'bind', target: '[::1]:0', program: '/usr/bin/python3.11'},
    reported: false,
    noted: false,
  },
  {
    name: 'another port',
    violation: {rule: 'loopback', operation: 'bind', target: '[::1]:80', program: '/usr/bin/python3.11'},
    reported: true,
    noted: true,
  },
  {
    name: 'another program',
    violation: {rule: 'loopback', operation: 'bind', target: '[::1]:0', program: '/usr/bin/node'},
    reported: true,
    noted: true,
  },
];
for (const {name, violation, reported, noted} of silent) {
  test(`a refusal that does not stop its program has no closing line: ${name}`, () => {
    const settings = {...nothingRefuses, home: '/home/u'};
    const list = [{...refused, detail: '', ...violation}];
    const expected = expectedWrites('/home/u');
    const messages = violationMessages({list, unreported: 0}, {expected, settings, hasFailed: true});
    assert.equal(messages.length, reported ? 1 : 0);
    assert.equal(ofNote(list).length, noted ? 1 : 0);
    assert.equal(ofNote([...list, refused]).length, 2, 'not alone');
  });
}

test('writes in the own repository outside the current folder are one message, with the setting for them', () => {
  const write = (target: string, number: number, program = '/usr/bin/git'): CountedViolation => ({
    ...refused,
    operation: 'write',
    rule: 'outside',
    detail: '',
    target,
    number,
    program,
  });
  const list = [write('/r/a', 1), write('/x/b', 2), write('/r/src/c', 3), write('/r/d', 4, '/bin/sh')];
  const said = (settings: Partial<typeof nothingRefuses>): string[] =>
    violationMessages(
      {list, unreported: 0},
      {expected: [], settings: {...nothingRefuses, ...settings}, hasFailed: false},
    ).map(({text, help}) => `${text} / ${help}`);
  const [first, second, ...more] = said({openableRepository: '/r'});
  assert.equal(
    first,
    'blocked: git (pid 7) and other programs could not change 3 paths of the repository outside the current folder, such as "/r/a" (outside the write roots) / for this run: --set sandbox.workspace=repository; for all: sandbox.workspace = "repository" in ~/.ion/config.toml',
  );
  assert.match(second!, /"\/x\/b"/);
  assert.deepEqual(more, []);
  assert.equal(said({}).length, 4);
  assert.equal(said({openableRepository: '/r', boundary: 'read'}).length, 4);
});

test('what several refusals in a row need is said once, behind the last of them', () => {
  const reach = (target: string): CountedViolation => ({
    ...refused,
    operation: 'connect',
    rule: 'network',
    target,
    detail: '',
  });
  const list = [reach('192.0.2.1:53'), reach('192.0.2.1:443'), reach('127.0.0.1:80'), reach('[::1]:80')];
  const messages = violationMessages(
    {list, unreported: 0},
    {expected: [], settings: nothingRefuses, hasFailed: true},
  );
  assert.deepEqual(
    messages.map(({text, help}) => [
      /could not ([a-z ]+)/.exec(text)?.[1],
      /network=(\w+)/.exec(help ?? '')?.[1],
    ]),
    [
      ['look up a name at ', undefined],
      ['reach ', 'full'],
      ['reach ', undefined],
      ['reach ', 'loopback'],
    ].map(([did, network]) => [did, network]),
  );
});
