import assert from 'node:assert/strict';
import {test} from 'node:test';
import {closedToExecution, withoutExecution} from '../../../../src/sandbox/plan/no-execution.ts';
import {planRoots, type Root, type PlanInputs} from '../../../../src/sandbox/plan/roots.ts';
import {defaults, listed, sourced} from '../../policy/support.ts';

const system = ['/ion-test/usr', '/ion-test/opt'];
const root = (path: string, grant: Root['grant'], programs = false): Root => ({
  path,
  grant,
  reason: '',
  optional: false,
  ...(programs ? {programs: true} : {}),
});
const roots = [
  root('/ion-test/ws', 'read'),
  root('/ion-test/usr', 'read', true),
  root('/ion-test/opt/tool', 'read', true),
  root('/ion-test/ws/node_modules/.bin', 'read', true),
  root('/ion-test/etc', 'read'),
  root('/ion-test/tmp/private', 'write'),
];

/** `x`: executable. `x but a`: executable except a. */
const rows: readonly {
  readonly name: string;
  readonly closed: readonly string[];
  readonly want: readonly string[];
}[] = [
  {
    name: 'a separate workspace',
    closed: ['/ion-test/ws'],
    want: ['/ion-test/usr', '/ion-test/opt/tool'],
  },
  {
    name: 'a workspace that contains system folders: these stay executable',
    closed: ['/ion-test'],
    want: ['/ion-test/usr', '/ion-test/opt/tool'],
  },
  {
    name: 'a workspace that is a system folder',
    closed: ['/ion-test/usr'],
    want: ['/ion-test/usr', '/ion-test/opt/tool', '/ion-test/ws/node_modules/.bin'],
  },
  {
    name: 'a workspace inside a system folder',
    closed: ['/ion-test/usr/src/app', '/ion-test/ws'],
    want: ['/ion-test/usr but /ion-test/usr/src/app', '/ion-test/opt/tool'],
  },
  {
    name: 'a write root in a system folder',
    closed: ['/ion-test/opt/tool', '/ion-test/ws'],
    want: ['/ion-test/usr'],
  },
];
for (const {name, closed, want} of rows) {
  test(`read mode: what is executable: ${name}`, () => {
    const executing = withoutExecution(roots, closed, system).filter(({grant}) => grant === 'read');
    const shown = executing.map(({path, noExecute}) =>
      noExecute ? `${path} but ${noExecute.join(' ')}` : path,
    );
    assert.deepEqual(shown, want);
  });
}

test('read mode: only the right to execute is removed', () => {
  const kinds = withoutExecution(roots, ['/ion-test/ws'], system).map(({grant}) => grant);
  assert.deepEqual(kinds, ['view', 'read', 'read', 'view', 'view', 'scratch']);
});

const place: PlanInputs = {
  cwd: '/ion-test/ws/src',
  repositoryTop: '/ion-test/ws',
  gitFolders: ['/ion-test/main/.git'],
  home: '/home/u',
  temp: '/ion-test/tmp',
  toolchains: [{path: '/ion-test/tools', reason: 'PATH'}],
  packageRoot: '/ion-test/ion',
  etcSecrets: [],
  etcNeeded: [],
  streams: [],
};

test('read mode: the workspace, its repository, temp folders and write roots are not executable', () => {
  const closed = closedToExecution(place, ['/ion-test/cache']);
  for (const folder of [
    ...['/ion-test/ws/src', '/ion-test/ws', '/ion-test/main/.git', '/ion-test/tmp', '/ion-test/cache'],
    ...['/tmp', '/var/tmp', '/dev/shm'],
  ]) {
    assert.ok(closed.includes(folder), folder);
  }
});

test('read mode: of the planned roots only those with programs are executable', () => {
  const settings = {...defaults, mode: sourced('read' as const), readRoots: listed('/ion-test/data')};
  const planned = withoutExecution(planRoots(settings, place), closedToExecution(place, []), ['/usr']);
  const executing = planned.filter(({grant}) => grant === 'read').map(({path}) => path);
  assert.ok(executing.includes('/usr') && executing.includes('/ion-test/tools'));
  for (const path of ['/proc', '/etc', '/sys/class', '/home/u/.gitconfig', '/ion-test/ws/src'])
    assert.ok(!executing.includes(path), path);
  assert.ok(!planned.some(({grant}) => grant === 'write'));
});
