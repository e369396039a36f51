import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Violation} from '../../../../src/sandbox/violation.ts';
import {isInstallScript, shownChain} from '../../../../src/session/report/askers.ts';
import {proposalsFor} from '../../../../src/session/report/proposals.ts';
import {nothingRefuses} from './support.ts';

const chains: readonly {chain: string[]; installs: boolean; shown: string}[] = [
  {chain: ['bash', 'curl -s x'], installs: false, shown: 'bash > curl'},
  {chain: ['npm ci', 'node x.js', 'sh', 'curl'], installs: true, shown: 'npm ci > node > sh > curl'},
  {chain: ['bash', 'node npm ci', 'sh'], installs: true, shown: 'bash > npm ci > sh'},
  {chain: ['node npm-cli.js install', 'sh'], installs: true, shown: 'npm-cli.js install > sh'},
  {chain: ['node --no-warnings pnpm.cjs add x', 'sh'], installs: true, shown: 'pnpm.cjs add > sh'},
  {chain: ['yarn', 'sh'], installs: true, shown: 'yarn > sh'},
  {chain: ['npm --silent i', 'sh'], installs: true, shown: 'npm --silent > sh'},
  {chain: ['python3 -m pip install x', 'cc'], installs: true, shown: 'pip install > cc'},
  {chain: ['python3 setup.py install'], installs: true, shown: 'setup.py install'},
  {chain: ['cargo build', 'build-script-build'], installs: true, shown: 'cargo > build-script-build'},
  {chain: ['npx tool'], installs: true, shown: 'npx tool'},
  {chain: ['npm run build', 'sh', 'tsc'], installs: false, shown: 'npm run > sh > tsc'},
  {chain: ['npm test', 'npm ci', 'sh'], installs: true, shown: 'npm test > npm ci > sh'},
  {chain: ['a\u001b[2J x'], installs: false, shown: 'a\\e[2J'},
  {
    chain: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    installs: false,
    shown: 'a > b > c > … > f > g > h',
  },
];
for (const {chain, installs, shown} of chains) {
  test(`who asked: ${chain.join(' > ')}: ${shown}${installs ? ', which installs' : ''}`, () => {
    assert.equal(shownChain({chain, whole: true}), shown);
    assert.equal(isInstallScript({chain, whole: true}), installs);
  });
}

const inputs = {
  settings: {...nothingRefuses, home: '/home/u'},
  homes: ['/home/u'],
  workspace: '/w',
  realOf: (path: string) => path.replace('/srv/link', '/etc/cron.d'),
  exists: (path: string) => !path.includes('/new'),
  repositoryOf: (path: string) => /^\/srv\/project/.exec(path)?.[0],
};
const bash = {chain: ['bash', 'cat'], whole: true};
const npm = {chain: ['npm ci', 'sh'], whole: true};

const cases: readonly {
  rule: Violation['rule'];
  target: string;
  asked?: Violation['asked'];
  /** The entry, and after a colon why it is in the second list. */
  want: string;
}[] = [
  {rule: 'unreadable', target: '/srv/data/x', want: 'sandbox.read_roots /srv/data/x'},
  {rule: 'outside', target: '/srv/data/x', want: 'sandbox.write_roots /srv/data'},
  {rule: 'network', target: '1.2.3.4:443', want: 'sandbox.network full'},
  {rule: 'unreadable', target: '/home/u/x', want: 'sandbox.read_roots /home/u/x: in a home folder'},
  {
    rule: 'unreadable',
    target: '/srv/project/x',
    want: 'sandbox.read_roots /srv/project/x: in another project',
  },
  {
    rule: 'unreadable',
    target: '/srv/data/x',
    asked: npm,
    want: 'sandbox.read_roots /srv/data/x: asked by a package that was being installed',
  },
  {
    rule: 'network',
    target: '1.2.3.4:443',
    asked: npm,
    want: 'sandbox.network full: asked by a package that was being installed',
  },
  {
    rule: 'unreadable',
    target: '/srv/data/x',
    asked: {chain: ['cat'], whole: false},
    want: 'sandbox.read_roots /srv/data/x: it is not known which program asked for it',
  },
  {
    rule: 'protected',
    target: '/w/.vscode/x',
    want: 'sandbox.unprotect .vscode: programs outside the sandbox obey it',
  },
  {
    rule: 'unix-socket',
    target: '/run/x.sock',
    want: 'sandbox.unix_sockets /run/x.sock: its server is not confined',
  },
  {
    rule: 'outside',
    target: '/home/u/new',
    want: 'sandbox.write_roots /home/u/new, made as a file: in a home folder',
  },
  {rule: 'outside', target: '/home/u/x', want: 'sandbox.write_roots /home/u/x: in a home folder'},
  {
    rule: 'outside',
    target: '/home/u/.cache/tool/x',
    want: 'sandbox.write_roots /home/u/.cache/tool: in a home folder',
  },
  ...['/srv/n\u043etes/x', '/srv/d\u0430ta/x', '/srv/\u03bfut/x'].map((target) => ({
    rule: 'unreadable' as const,
    target,
    want: `sandbox.read_roots ${target}: a name in it mixes alphabets: it may only look like another one`,
  })),
  ...['/srv/\u0434\u0430\u043d\u043d\u044b\u0435/x', '/srv/\u6f22\u5b57/x', '/srv/caf\u00e9/e\u0301/x'].map(
    (target) => ({
      rule: 'unreadable' as const,
      target,
      want: `sandbox.read_roots ${target}`,
    }),
  ),
  // Never proposed, whichever program asked.
  ...['/', '/etc/shadow', '/home/u', '/home/u/.ssh/id', '/home/u/.aws', '/home/other', '/srv/link/x'].map(
    (target) => ({rule: 'unreadable' as const, target, want: 'nothing'}),
  ),
  ...[
    '/usr/bin/x',
    '/home/u/.config/tool/x',
    '/home/u/.config/autostart/x',
    '/srv/link/x',
    '/srv/[redacted]/x',
  ].map((target) => ({rule: 'outside' as const, target, want: 'nothing'})),
  {rule: 'denied-path', target: '/srv/x', want: 'nothing'},
  {rule: 'signal', target: '1', want: 'nothing'},
];
for (const {rule, target, asked = bash, want} of cases) {
  test(`ion allow: ${rule} ${target} by ${asked.chain.join(' > ')}: ${want}`, () => {
    const {entries, left} = proposalsFor([refused('r-1', rule, target, asked)], inputs);
    const shown = entries.map(
      ({key, value, beware, makes}) =>
        `${key} ${value}${makes ? `, made as a ${makes}` : ''}${beware === undefined ? '' : `: ${beware}`}`,
    );
    assert.equal(shown.join(' + ') || 'nothing', want);
    assert.equal(left.length, want === 'nothing' ? 1 : 0);
  });
}

test('ion allow: each entry once; an entry that contains one of the second list is in the second list too', () => {
  const {entries} = proposalsFor(
    [
      refused('r-1', 'outside', '/srv/data/a', bash),
      refused('r-2', 'outside', '/srv/data/b', bash),
      refused('r-3', 'outside', '/srv/data/evil/x', npm),
      refused('r-4', 'outside', '/srv/more/x', bash),
      refused('r-5', 'outside', '/srv/more/y', npm),
    ],
    inputs,
  );
  assert.deepEqual(
    entries.map(({value, ids, beware}) => [value, ids.join(' '), beware]),
    [
      ['/srv/data', 'r-1 r-2', 'it contains another entry of this list'],
      ['/srv/data/evil', 'r-3', 'asked by a package that was being installed'],
      ['/srv/more', 'r-4 r-5', 'asked by a package that was being installed'],
    ],
  );
});

test('ion allow: what a program did not survive stands first', () => {
  const survived = refused('r-1', 'outside', '/srv/probe/a', bash);
  const failed = refused('r-2', 'unreadable', '/srv/data/x', bash);
  const {entries} = proposalsFor(
    [survived, {...failed, violation: {...failed.violation, failed: true}}],
    inputs,
  );
  assert.deepEqual(
    entries.map(({value, failed: first}) => [value, first ?? false]),
    [
      ['/srv/data/x', true],
      ['/srv/probe', false],
    ],
  );
});

function refused(id: string, rule: Violation['rule'], target: string, asked: Violation['asked']) {
  const operation: Violation['operation'] = 'read';
  const violation = {
    ...{operation, syscall: 'openat', number: 0, pid: 1, program: '/usr/bin/cat'},
    ...{detail: '', count: 1, rule, target, ...(asked ? {asked} : {})},
  };
  return {id, expected: false, violation};
}
