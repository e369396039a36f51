import assert from 'node:assert/strict';
import {test} from 'node:test';
import {doctorText, type Report} from '../../../../src/cli/commands/doctor-text.ts';
import type {Row} from '../../../../src/doctor/try-protections.ts';
import {noFeatures, type Features} from '../../../../src/sandbox/matrix/features.ts';
import {enforcedBy, type Enforced} from '../../../../src/sandbox/matrix/matrix.ts';
import {promiseOf} from '../../../../src/sandbox/matrix/promises.ts';
import {linuxFeatures} from '../../../harness/features.ts';

const row = (id: string, level: Row['level'], by: string, more: Partial<Row> = {}): Row => ({
  id: id as Enforced['id'],
  promise: `what ${id} promises, which goes on for a while`,
  level,
  by,
  tried: 'held',
  why: null,
  ...more,
});

const held: readonly Row[] = [
  row('writes', 'enforced', 'Landlock (ABI 1), read-only mounts'),
  row(
    'reported',
    'best effort',
    'seccomp supervisor (a process number that is given away can pass, and more words)',
  ),
  row('terminals', 'not', '', {tried: 'failed'}),
  row('denied-exec', 'not', "the command's text only", {tried: 'failed'}),
  row('devices', 'enforced', 'Landlock (ABI 5)', {tried: 'not tried', why: 'this user can open none'}),
];
const bestEffortFailed = row('signals', 'best effort', 'seccomp', {tried: 'failed'});
const enforcedFailed = row('network', 'enforced', 'network namespace', {tried: 'failed'});

const machine: Report['machine'] = {features: linuxFeatures, missing: undefined};
const limits = {timeout: 'supervisor (whole tree)'};
const report = (rows: readonly Row[]): Report => ({backend: 'landlock', machine, rows, limits});

test('doctor: the verdict, then the weakest protections first, at most 100 columns', () => {
  const want = `every tested protection held
backend landlock, Landlock ABI 7, seccomp with a supervisor, namespaces of the user

not there (2)
  terminals    what terminals promises, which goes on for a while
  denied-exec  what denied-exec promises, which goes on for a while; the command's text only

best effort (1)
  reported     seccomp supervisor (a process number that is given away can pass, and more words)

enforced (2)
  writes       Landlock (ABI 1), read-only mounts
  devices      not tried: this user can open none; Landlock (ABI 5)

limits, when they are set
  timeout      supervisor (whole tree)

"ion doctor --json" prints each promise and every note in full
`;
  assert.equal(doctorText(report(held)), want);
  assert.equal(doctorText(report(held), 250), want);
});

for (const [kernel, line] of [
  ['4.18.0-553.el8', 'not tested on this kernel: Linux 4.18.0-553.el8 is older than 5.10'],
  ['5.4.0-200-generic', 'not tested on this kernel: Linux 5.4.0-200-generic is older than 5.10'],
  ['5.10.0-32-amd64', undefined],
  ['6.1.0-50-amd64', undefined],
  ['10.0', undefined],
] as const) {
  test(`doctor: Linux ${kernel}`, () => {
    const lines = doctorText({...report(held), kernel}).split('\n');
    assert.equal(
      lines.find((one) => one.startsWith('not tested')),
      line,
    );
  });
}

test('doctor: failed protections come first, in full', () => {
  assert.equal(
    doctorText(report([...held.slice(0, 2), bestEffortFailed, enforcedFailed]), 60),
    `1 protection failed: do not rely on ion here
backend landlock, Landlock ABI 7, seccomp with a supervisor,
namespaces of the user

failed
  signals   what signals promises, which goes on for a while
            an attack succeeded (best effort: seccomp)
  network   what network promises, which goes on for a while
            an attack succeeded (enforced: network
            namespace)

best effort (1)
  reported  seccomp supervisor (a process number that is…

enforced (1)
  writes    Landlock (ABI 1), read-only mounts

limits, when they are set
  timeout   supervisor (whole tree)

"ion doctor --json" prints each promise and every note in
full
`,
  );
});

test('doctor: a failed best-effort protection is reported, but is not a broken claim', () => {
  const [verdict] = doctorText(report([bestEffortFailed])).split('\n');
  assert.equal(verdict, 'every enforced protection held; 1 best-effort protection failed');
});

test('doctor: on a narrow terminal', () => {
  assert.equal(
    doctorText(
      {...report(held.slice(0, 2)), backend: 'none', machine: {features: noFeatures, missing: 'not built'}},
      10,
    ),
    `every tested protection held
backend none, no Landlock, no seccomp,
no namespaces, native part: not built

best effort (1)
  reported  seccomp supervisor (a…

enforced (1)
  writes    Landlock (ABI 1), read-only…

limits, when they are set
  timeout   supervisor (whole tree)

"ion doctor --json" prints each promise
and every note in full
`,
  );
});

const machines: readonly Features[] = [
  noFeatures,
  linuxFeatures,
  {...linuxFeatures, namespaces: 'none'},
  {...linuxFeatures, landlock: 1, listener: false},
  {...noFeatures, seatbelt: true},
];

test('doctor: no line is wider than the terminal or 100 columns, and each protection has one line', () => {
  for (const features of machines) {
    const rows = enforcedBy(features).map((one): Row => ({
      ...one,
      promise: promiseOf(one.id),
      tried: 'held',
      why: null,
    }));
    for (const width of [40, 57, 80, 100, 300]) {
      const lines = doctorText({...report(rows), machine: {features, missing: undefined}}, width).split('\n');
      assert.deepEqual(
        lines.filter((line) => line.length > Math.min(100, width)),
        [],
      );
      for (const {id} of rows)
        assert.equal(lines.filter((line) => line.startsWith(`  ${id} `)).length, 1, id);
    }
  }
});
