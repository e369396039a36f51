import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isOwnersAlone} from '../../../src/system/group-members.ts';

const passwd = 'root:x:0:0::/root:/bin/sh\nu:x:1000:1000::/home/u:/bin/sh\nv:x:1001:1001::/home/v:/bin/sh\n';
const group = [
  'root:x:0:',
  'u:x:1000:',
  'v:x:1001:u',
  'both:x:2000:u,v',
  'mine:x:2001:u',
  'admin:x:2002:root,u',
  'remote:x:2003:u,of-ldap',
].join('\n');

const groups: readonly [gid: number, alone: boolean][] = [
  [1000, true],
  [1001, false],
  [2000, false],
  [2001, true],
  [2002, true],
  [2003, false],
  [4000, false],
];
for (const [gid, alone] of groups)
  test(`group members: ${gid} of u`, () =>
    assert.equal(isOwnersAlone({uid: 1000, gid}, {passwd, group}), alone));
