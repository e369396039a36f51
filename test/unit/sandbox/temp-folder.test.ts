import assert from 'node:assert/strict';
import {test} from 'node:test';
import {noTempFolder} from '../../../src/sandbox/temp-folder.ts';

const own = {shared: false, own: true};
const others = {shared: false, own: false};
const sticky = {shared: true, own: false};

const folders: readonly [
  folder: string,
  of: {shared: boolean; own: boolean},
  fine: boolean,
  home?: string,
][] = [
  ['/tmp', sticky, true],
  ['/var/tmp', sticky, true],
  ['/dev/shm', sticky, true],
  ['/tmp/mine', own, true],
  ['/var/tmp/mine', own, true],
  ['/private/var/folders/ab/c/T', own, true],
  ['/scratch/u', own, true],
  ['/scratch/u', others, false],
  ['/home/u/tmp', own, true],
  ['/home/u/.cache/tmp', own, true],
  ['/home/u/.config', own, false],
  ['/home/u/.ssh', own, false],
  ['/home/u', own, false],
  ['/home', others, false],
  ['/home', sticky, false],
  ['/', own, false],
  ['/etc', own, false, '/root'],
  ['/etc/nginx', own, false, '/root'],
  ['/usr/local/bin', own, false, '/root'],
  ['/var/spool/cron', own, false, '/root'],
  ['/var/lib/docker', own, false, '/root'],
  ['/root', own, false, '/root'],
  ['/root/tmp', own, true, '/root'],
  ['/run/user/1000', own, false],
  ['/dev', own, false, '/root'],
  // Other projects lie there.
  ['/srv/projects', own, false],
  ['/srv/projects/this', own, true],
];

for (const [folder, of, fine, home = '/home/u'] of folders) {
  test(`TMPDIR=${folder} (${JSON.stringify(of)}) of ${home} is ${fine ? 'a temp folder' : 'refused'}`, () => {
    assert.equal(noTempFolder(folder, {cwd: '/srv/projects/this', home}, of) === undefined, fine);
  });
}
