import assert from 'node:assert/strict';
import {test} from 'node:test';
import {countsFor, runsOf, withReport, type Recorded} from '../../kernels/recorded.ts';
import type {GuestReport, SeenColumn} from '../../kernels/report.ts';
import {problemsOf} from '../../kernels/summary.ts';

type Seen = NonNullable<SeenColumn['results']>[number];

const seen = (verdict: Seen['verdict'], more: Partial<Seen> = {}): Seen => ({
  protection: 'writes',
  name: 'a link',
  verdict,
  level: 'enforced',
  by: 'Landlock',
  detail: 'exit 1: no',
  isProven: true,
  ms: 1,
  ...more,
});
const report = (...results: readonly Seen[]): GuestReport => ({
  release: '6.1.0-50-amd64',
  processors: 2,
  columns: [{as: 'user', failed: [], results, attacks: 9}],
});
const run = {kernel: '6.1', date: '2026-11-23', commit: '9ed0993', worked: false};

test('recorded: refused attacks are counted among those that had a target', () => {
  const [column, ...others] = withReport(
    [],
    report(seen('held'), seen('broken', {isProven: false}), seen('nothing to try', {isProven: false})),
    run,
  );
  assert.deepEqual(others, []);
  assert.deepEqual(column!.table, {
    date: '2026-11-23',
    release: '6.1.0-50-amd64',
    run: 3,
    all: 9,
    commit: '9ed0993',
    processors: 2,
    proven: 1,
    counts: {writes: {level: 'enforced', held: 1, tried: 2}},
    broken: ['writes: a link'],
    nothing: ['writes: a link'],
  });
  assert.equal(column!.work, undefined);
  assert.equal(countsFor([column!], '6.1', 'writes'), '– · 1/2');
  assert.equal(countsFor([column!], '5.10', 'writes'), '–');
});

test('recorded: a part that is run again replaces only itself', () => {
  const work = {date: '2026-01-01', release: '6.1.0-1-amd64', failed: []};
  const root: Recorded = {kernel: '6.1', as: 'root', work};
  const [first, second] = withReport([root, {...root, as: 'user'}], report(seen('held')), run);
  assert.deepEqual(first, root);
  assert.deepEqual(second!.work, work);
  assert.equal(second!.table?.run, 1);
});

test('recorded: parts that were not run are reported', () => {
  const [column] = withReport([], report(seen('held')), run);
  assert.equal(
    runsOf([column!]),
    '- Linux 6.1.0-50-amd64, user: 1 of 9 attacks run (2026-11-23, commit 9ed0993), 1 of them seen to get through outside there first, 0 broken, 0 with nothing to attack outside; `ion doctor` not recorded; everyday work not recorded.',
  );
});

test('recorded: an attack that only the time limit ended is a problem', () => {
  const slow = report(seen('held', {detail: 'exit 124: ion: timed out'}));
  assert.deepEqual(problemsOf(slow, '6.1'), [
    'user: shows nothing: writes: a link: exit 124: ion: timed out',
  ]);
});

test('recorded: the attacks on other file systems are counted, and each problem is a problem of the run', () => {
  const one = {name: 'vfat', setting: 'namespaces', tried: 30, problems: []};
  const got = ['got through: dots'];
  const fileSystems = [one, {...one, setting: 'no namespaces', problems: got}];
  const spellings: GuestReport = {...report(), columns: [{as: 'user', failed: [], fileSystems}]};
  const [column] = withReport([], spellings, run);
  assert.equal(
    runsOf([column!]).replace(/.*; /, ''),
    'other spellings of names, with and without namespaces: 60 attacks on vfat, 1 problems (vfat, no namespaces: got through: dots) (2026-11-23).',
  );
  assert.deepEqual(problemsOf(spellings, '6.1'), ['user: vfat, no namespaces: got through: dots']);
});
