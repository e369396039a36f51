import assert from 'node:assert/strict';
import {test} from 'node:test';
import {planOwnerless} from '../../../../src/sandbox/plan/ownerless.ts';
import type {Root} from '../../../../src/sandbox/plan/roots.ts';
import {linuxFeatures} from '../../../harness/features.ts';

const asRoot = {...linuxFeatures, namespaces: 'root', root: true, ownerlessEtc: true} as const;
const root = (path: string, grant: Root['grant'] = 'read'): Root => ({
  path,
  grant,
  reason: '',
  optional: true,
});
const etc = (...owned: string[]): Root => ({...root('/etc'), owned});

const cases: readonly {
  readonly name: string;
  readonly roots: readonly Root[];
  readonly features?: typeof linuxFeatures;
  readonly ownerless: readonly string[];
  readonly owned?: readonly string[];
}[] = [
  {name: '/etc of the system', roots: [etc(), root('/usr')], ownerless: ['/etc']},
  {name: 'not without idmapped mounts', roots: [etc()], features: linuxFeatures, ownerless: []},
  {
    name: 'not what no run can do without',
    roots: [etc('passwd', 'ion-test-nothing')],
    ownerless: ['/etc'],
    owned: ['/etc/passwd'],
  },
  {
    name: 'not what the user lists',
    roots: [etc(), root('/etc/passwd'), root('/etc/group', 'write'), root('/etc/hosts', 'list')],
    ownerless: ['/etc'],
    owned: ['/etc/group', '/etc/passwd'],
  },
  {name: 'not where the user lists it as a whole', roots: [etc(), root('/etc')], ownerless: []},
  {name: 'not where read mode starts in /', roots: [etc(), root('/')], ownerless: []},
  {name: 'names of it are no grant', roots: [root('/etc', 'list'), etc()], ownerless: ['/etc']},
];

for (const {name, roots, features = asRoot, ownerless, owned = []} of cases) {
  test(`files below /etc without owners: ${name}`, () => {
    assert.deepEqual(planOwnerless(roots, features), {ownerless, owned});
  });
}
