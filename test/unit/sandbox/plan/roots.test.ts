import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Settings} from '../../../../src/config/settings.ts';
import {checkWorkspace, planRoots, type PlanInputs} from '../../../../src/sandbox/plan/roots.ts';
import {defaults, inUserFile, listed, sourced} from '../../policy/support.ts';

const place: PlanInputs = {
  cwd: '/home/u/ws',
  repositoryTop: undefined,
  gitFolders: [],
  home: '/home/u',
  temp: '/tmp',
  toolchains: [],
  packageRoot: '/opt/ion',
  etcSecrets: [],
  etcNeeded: [],
  streams: [],
};

const granted = (settings: Partial<Settings>, more: Partial<PlanInputs>, grant: string): string[] =>
  planRoots({...defaults, ...settings}, {...place, ...more})
    .filter((root) => root.grant === grant)
    .map(({path}) => path);

const writable: readonly {
  readonly name: string;
  readonly settings?: Partial<Settings>;
  readonly place?: Partial<PlanInputs>;
  readonly want: readonly string[];
}[] = [
  {name: 'write mode', want: ['/home/u/ws', '/tmp', '/dev/shm']},
  {name: 'read mode', settings: {mode: sourced('read')}, want: []},
  {
    name: 'write_roots',
    settings: {writeRoots: listed('/srv/cache')},
    want: ['/home/u/ws', '/tmp', '/dev/shm', '/srv/cache'],
  },
  {
    name: 'write_roots in read mode',
    settings: {mode: sourced('read'), writeRoots: listed('/srv/cache')},
    want: [],
  },
  {
    name: 'the git folder of the repository, from a folder in it',
    place: {cwd: '/home/u/ws/src', repositoryTop: '/home/u/ws', gitFolders: ['/home/u/ws/.git']},
    want: ['/home/u/ws/src', '/home/u/ws/.git', '/tmp', '/dev/shm'],
  },
  {
    name: 'a git folder inside cwd does not need its own rule',
    place: {repositoryTop: '/home/u/ws', gitFolders: ['/home/u/ws/.git']},
    want: ['/home/u/ws', '/tmp', '/dev/shm'],
  },
];
for (const {name, settings = {}, place: more = {}, want} of writable) {
  test(`plan: what is writable: ${name}`, () => assert.deepEqual(granted(settings, more, 'write'), want));
}

test('plan: a device in write_roots allows its ioctls, except shared memory and in read mode', () => {
  const settings = {writeRoots: listed('/dev/dri', '/dev/shm/x', '/srv/dev')};
  const own = granted(settings, {}, 'device').filter((path) => !granted({}, {}, 'device').includes(path));
  assert.deepEqual(own, ['/dev/dri']);
  assert.ok(!granted({...settings, mode: sourced('read')}, {}, 'device').includes('/dev/dri'));
});

test('plan: home and its parents are never readable as a whole', () => {
  const around = {repositoryTop: '/home/u'};
  for (const settings of [{}, {mode: sourced('read' as const)}]) {
    const read = granted(settings, around, 'read');
    assert.ok(!read.includes('/home/u') && !read.includes('/home') && !read.includes('/'));
  }
});

test('plan: a repository around cwd is readable, not writable', () => {
  const around = {cwd: '/home/u/ws/src', repositoryTop: '/home/u/ws'};
  assert.ok(granted({}, around, 'read').includes('/home/u/ws'));
  assert.ok(!granted({}, around, 'write').includes('/home/u/ws'));
});

test('plan: /proc is never writable', () => {
  const all = planRoots(defaults, place).filter(({path}) => path === '/proc');
  assert.deepEqual(
    all.map(({grant}) => grant),
    ['read'],
  );
});

const workspaces: readonly [cwd: string, home: string, refused: boolean][] = [
  ['/', '/home/u', true],
  ['/home/u', '/home/u', true],
  ['/home', '/home/u', true],
  ['/home/u/ws', '/home/u', false],
  ['/home/u-evil', '/home/u', false],
  ['/etc', '/home/u', true],
  ['/etc/nginx', '/home/u', true],
  ['/usr/local/src/x', '/home/u', true],
  ['/proc/self', '/home/u', true],
  ['/dev/shm/x', '/home/u', true],
  ['/var', '/home/u', true],
  ['/var/tmp', '/home/u', false],
  ['/var/www/site', '/home/u', false],
  ['/opt', '/home/u', true],
  ['/opt/project', '/home/u', false],
  ['/root/project', '/root', false],
  ['/var/lib/jenkins/ws', '/var/lib/jenkins', false],
  ['/etc/x', '/', true],
  ['/srv/x', '/home/u', false],
  ['/tmp/x', '/home/u', false],
  ['/Users', '/Users/u', true],
  ['/Library/Developer', '/Users/u', true],
  ['/System/Volumes/Data/x', '/Users/u', true],
  ['/Applications', '/Users/u', true],
  ['/private', '/Users/u', true],
  ['/private/etc/x', '/Users/u', true],
  ['/private/var/root/x', '/Users/u', true],
  ['/private/var/root/x', '/private/var/root', false],
  ['/private/tmp/x', '/Users/u', false],
  ['/private/var/folders/ab/c/T/x', '/Users/u', false],
];
for (const [cwd, home, refused] of workspaces) {
  test(`plan: ${cwd} as a workspace of ${home} is ${refused ? 'refused' : 'fine'}`, () => {
    assert.equal(checkWorkspace(defaults, {...place, cwd, home}) !== undefined, refused);
    assert.equal(checkWorkspace({...defaults, mode: sourced('read')}, {...place, cwd, home}), undefined);
    const allowed = {...defaults, writeRoots: [sourced(cwd, inUserFile(3))]};
    assert.equal(checkWorkspace(allowed, {...place, cwd, home}) !== undefined, cwd === '/');
  });
}
