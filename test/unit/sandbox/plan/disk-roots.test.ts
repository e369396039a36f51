import assert from 'node:assert/strict';
import {test} from 'node:test';
import {mountsBelow} from '../../../../src/sandbox/plan/disk-roots.ts';

const mounts = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '23 22 0:30 / /work/vol rw - tmpfs none rw',
  '24 22 0:31 / /work/a\\040b\\303\\251 rw,nosuid shared:7 - tmpfs none rw',
  '25 22 0:32 / /work/fixed ro,nosuid - tmpfs none rw',
  '26 22 0:30 / /work/again rw - tmpfs none rw',
  '27 22 0:33 / /workshop rw - tmpfs none rw',
  '28 22 0:34 / /work rw - tmpfs none rw',
  '',
].join('\n');

const cases: readonly {readonly folders: readonly string[]; readonly want: readonly string[]}[] = [
  {folders: ['/work'], want: ['/work/again', '/work/a bé']},
  {folders: ['/work/vol'], want: []},
  {folders: ['/work/vol', '/'], want: ['/work/again', '/work/a bé', '/workshop', '/work']},
  {folders: [], want: []},
];

test('file systems below the folders that a run writes to', () => {
  for (const {folders, want} of cases)
    assert.deepEqual(mountsBelow(mounts, folders), want, folders.join(' '));
});
