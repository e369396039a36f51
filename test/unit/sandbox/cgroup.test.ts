import assert from 'node:assert/strict';
import {test} from 'node:test';
import {findCgroup, ownGroup} from '../../../src/sandbox/linux/cgroup.ts';

const mount = (root: string, at: string, type = 'cgroup2'): string =>
  `30 23 0:26 ${root} ${at} rw,nosuid - ${type} ${type} rw\n`;

const places: readonly {name: string; cgroups: string; mounts: string; group?: string}[] = [
  {
    name: 'a login session',
    cgroups: '0::/user.slice/user-0.slice/session-1.scope\n',
    mounts: mount('/', '/sys/fs/cgroup'),
    group: '/sys/fs/cgroup/user.slice/user-0.slice/session-1.scope',
  },
  {
    name: 'both versions: version 2 is used',
    cgroups: '4:memory:/x\n1:cpu:/y\n0::/z\n',
    mounts: mount('/', '/sys/fs/cgroup/memory', 'cgroup') + mount('/', '/sys/fs/cgroup/unified'),
    group: '/sys/fs/cgroup/unified/z',
  },
  {
    name: 'only a part of the tree is mounted',
    cgroups: '0::/docker/1/in\n',
    mounts: mount('/docker/1', '/sys/fs/cgroup'),
    group: '/sys/fs/cgroup/in',
  },
  {name: 'a group of another namespace', cgroups: '0::/../other\n', mounts: mount('/', '/sys/fs/cgroup')},
  {name: 'outside the mounted tree', cgroups: '0::/a\n', mounts: mount('/b', '/sys/fs/cgroup')},
  {name: 'only version 1', cgroups: '1:memory:/a\n', mounts: mount('/', '/sys/fs/cgroup', 'cgroup')},
  {name: 'not mounted', cgroups: '0::/a\n', mounts: '22 1 0:20 / /proc rw - proc proc rw\n'},
];

for (const {name, cgroups, mounts, group} of places) {
  test(`cgroup: ${name}`, () => assert.equal(ownGroup(cgroups, mounts)?.group, group));
}

test('cgroup: not searched when no limit needs one', () => {
  const origin = {layer: 'default'} as const;
  assert.equal(findCgroup({timeoutMs: {value: 1, origin}, openFiles: {value: 1, origin}}), undefined);
});
