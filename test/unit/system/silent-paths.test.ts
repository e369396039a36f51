import assert from 'node:assert/strict';
import {test} from 'node:test';
import {remoteMounts, silentPaths} from '../../../src/system/silent-paths.ts';

const table = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 22 0:50 / /mnt/nas rw,relatime shared:2 master:1 - nfs4 server:/x rw',
  '31 22 0:51 / /home/u/sshfs\\040here rw - fuse.sshfs u@host: rw',
  '32 22 0:52 / /home/u/work rw - fuse.gcsfuse bucket rw',
  '33 22 0:53 / /tmp rw - tmpfs tmpfs rw',
].join('\n');

test('mounts whose server may be gone: those of other machines and processes, not the one that the command starts in', () => {
  assert.deepEqual(remoteMounts(table, '/home/u'), ['/mnt/nas', '/home/u/sshfs here', '/home/u/work']);
  assert.deepEqual(remoteMounts(table, '/home/u/work/src'), ['/mnt/nas', '/home/u/sshfs here']);
  assert.deepEqual(remoteMounts('', '/home/u'), []);
});

test('silent paths: each path of such a mount is probed once, and none more of one that was silent', () => {
  const probed: string[] = [];
  const probe = (path: string): boolean => {
    probed.push(path);
    return path.startsWith('/mnt/nas');
  };
  const isSilent = silentPaths('/home/u', probe, () => table);
  const paths = [
    '/etc/passwd',
    '/mnt/nas',
    '/mnt/nas/a',
    '/mnt/nas/a',
    '/home/u/work',
    '/home/u/work/b',
    '/mnt/nasty',
  ];
  assert.deepEqual(paths.map(isSilent), [false, false, false, false, true, true, false]);
  assert.deepEqual(probed, ['/mnt/nas', '/mnt/nas/a', '/home/u/work']);
});
