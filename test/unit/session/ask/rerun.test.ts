import {test} from 'node:test';
import assert from 'node:assert/strict';
import type {Violation} from '../../../../src/sandbox/violation.ts';
import {deniedPaths} from '../../../../src/policy/paths/denied-paths.ts';
import {offerRerun, offerWrite, renderOffer, rerunGrant} from '../../../../src/session/ask/rerun.ts';
import type {Terminal, Typed} from '../../../../src/session/ask/terminal.ts';
import {sourced} from '../../policy/support.ts';
import type {CountedViolation} from '../../../../src/session/report/refusal.ts';
import {nothingRefuses} from '../report/support.ts';

const settings = {...nothingRefuses, home: '/home/u'};
const limits = {
  settings,
  denied: deniedPaths([sourced('/home/u/.ssh'), sourced('/srv/secrets')]),
  exists: (path: string) => !path.endsWith('/new'),
};

function violation(rule: Violation['rule'], target: string, syscall = ''): CountedViolation {
  return {kind: 'violation', rule, target, syscall, program: '/usr/bin/tee'} as unknown as CountedViolation;
}

function named(path: string): Parameters<typeof rerunGrant>[0][number] {
  return {kind: 'named-path', rule: 'unreadable', requested: path, path, home: '/home/u'};
}

const cases: {name: string; violations: Parameters<typeof rerunGrant>[0]; want: string}[] = [
  {name: 'a path in home that the command names', violations: [named('/home/u/x')], want: 'read /home/u/x'},
  {name: 'a secret that the command names', violations: [named('/home/u/.ssh/id')], want: 'none'},
  {
    name: 'a folder that the command makes',
    violations: [violation('outside', '/srv/w/new', 'mkdir')],
    want: 'write /srv/w/new + make folder /srv/w/new',
  },
  {
    name: 'a file of home that exists',
    violations: [violation('outside', '/home/u/x', 'openat')],
    want: 'write /home/u/x',
  },
  {
    name: 'a file of home that does not exist',
    violations: [violation('outside', '/home/u/new', 'openat')],
    want: 'write /home/u/new + make file /home/u/new',
  },
  {
    name: 'a cache in home',
    violations: [violation('outside', '/home/u/.npm/_cacache/tmp/x', 'openat')],
    want: 'write /home/u/.npm/_cacache/tmp',
  },
  ...['/home/u/.cache/ion/x/y', '/home/u/.config/nvim/x', '/home/u/.foorc', '/home/u/.cache/x'].map(
    (target) => ({
      name: `what programs outside obey: ${target}`,
      violations: [violation('outside', target, 'openat')],
      want: 'none',
    }),
  ),
  {name: 'nothing', violations: [], want: 'none'},
  {name: 'a file outside', violations: [violation('outside', '/srv/data/x')], want: 'write /srv/data'},
  {
    name: 'two files of one folder, and the network',
    violations: [
      violation('outside', '/srv/data/x'),
      violation('outside', '/srv/data/y'),
      violation('network', '1.2.3.4:80'),
    ],
    want: 'write /srv/data + network',
  },
  {name: 'a file that is read', violations: [violation('unreadable', '/srv/x/a')], want: 'read /srv/x/a'},
  {
    name: 'a file in home that is read',
    violations: [violation('unreadable', '/home/u/notes')],
    want: 'read /home/u/notes',
  },
  {name: 'a secret that is read', violations: [violation('unreadable', '/home/u/.aws/x')], want: 'none'},
  {name: 'a socket', violations: [violation('unix-socket', '/run/x.sock')], want: 'connect /run/x.sock'},
  {name: 'an abstract socket', violations: [violation('unix-socket', '@x')], want: 'none'},
  {name: 'a protected file', violations: [violation('protected', '/srv/data/.git/hooks/x')], want: 'none'},
  {name: 'a denied command', violations: [violation('denied-command', '/usr/bin/sudo')], want: 'none'},
  {
    name: 'a grant that is not sufficient',
    violations: [violation('outside', '/srv/data/x'), violation('denied-command', 'x')],
    want: 'none',
  },
  ...[
    '/x',
    '/srv/x',
    '/etc/cron.d/x',
    '/var/spool/cron/crontabs/u',
    '/usr/local/bin/x',
    '/home/u/x',
    '/home/x',
    '/home/u/.config/autostart/x',
  ].map((target) => ({
    name: `a folder that is too wide: ${target}`,
    violations: [violation('outside', target)],
    want: 'none',
  })),
  {name: 'a denied path', violations: [violation('outside', '/home/u/.ssh/x/y')], want: 'none'},
  {
    name: 'a folder that contains a denied path',
    violations: [violation('outside', '/srv/secrets/x')],
    want: 'none',
  },
  {
    name: 'a folder in home',
    violations: [violation('outside', '/home/u/other/x')],
    want: 'write /home/u/other',
  },
];
for (const {name, violations, want} of cases) {
  test(`re-run: ${name}: ${want}`, () => {
    const grant = rerunGrant(violations, limits);
    const parts = grant && [
      ...grant.readRoots.map((path) => `read ${path}`),
      ...grant.writeRoots.map((folder) => `write ${folder}`),
      ...grant.unixSockets.map((socket) => `connect ${socket}`),
      ...(grant.network ? ['network'] : []),
      ...(grant.makes ?? []).map(({path, kind}) => `make ${kind} ${path}`),
    ];
    assert.equal(parts?.join(' + ') ?? 'none', want);
  });
}

for (const [typed, want] of [
  [{line: 'y'}, true],
  [{line: ' Yes'}, true],
  [{line: ''}, false],
  [{line: 'always'}, false],
  [{why: 'timed_out'}, false],
] as [Typed, boolean][]) {
  test(`re-run: the answer ${JSON.stringify(typed)}: ${want}`, async () => {
    const terminal: Terminal = {
      readLine: () => Promise.resolve(typed),
      say: () => undefined,
      cancel: () => undefined,
      close: () => undefined,
    };
    assert.equal(
      await offerRerun({readRoots: [], writeRoots: ['/srv/x'], unixSockets: [], network: false}, terminal, 1),
      want,
    );
  });
}

/** Which answers make a terminal ask again, through the function that `ask` passes. */
async function asksAgain(ask: (terminal: Terminal) => Promise<boolean>, line: string): Promise<boolean> {
  let again: string | undefined;
  await ask({
    readLine: (_prompt, _timeoutMs, notAnAnswer) => {
      again = notAnAnswer?.(line);
      return Promise.resolve({line: 'n'});
    },
    say: () => undefined,
    cancel: () => undefined,
    close: () => undefined,
  });
  return again !== undefined;
}

for (const [line, again] of [
  ['always', true],
  ['maybe', true],
  ['y', false],
  ['NO', false],
  ['', false],
] as const) {
  test(`questions with two answers: ${JSON.stringify(line)} is ${again ? '' : 'not '}asked again`, async () => {
    const grant = {readRoots: [], writeRoots: ['/srv/x'], unixSockets: [], network: false};
    assert.equal(await asksAgain((terminal) => offerRerun(grant, terminal, 1), line), again);
    assert.equal(await asksAgain((terminal) => offerWrite('touch x', '/w/x', terminal, 1), line), again);
  });
}

const usual = {rows: 24, columns: 80};

test('re-run: the offer stays on the screen', () => {
  const writeRoots = Array.from({length: 99}, (_, n) => `/srv/${'x'.repeat(200)}${n}`);
  const text = renderOffer({readRoots: [], writeRoots, unixSockets: [], network: false}, usual);
  assert.ok(text.split('\n').length <= 14, text);
  assert.match(text, /more characters …/);
});

test('re-run: the offer shows exactly what it grants, escaped', () => {
  const text = renderOffer(
    {readRoots: [], writeRoots: ['/srv/a\u001b[2J'], unixSockets: ['/run/s'], network: true},
    usual,
  );
  assert.deepEqual(text.split('\n').slice(1, 4), [
    '  | write below "/srv/a\\e[2J"',
    '  | connect to "/run/s"',
    '  | the whole network',
  ]);
});
