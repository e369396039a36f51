import assert from 'node:assert/strict';
import {test} from 'node:test';
import {noTempFolder} from '../../../../src/sandbox/plan/temp-folder.ts';

const runtime = '/run/user/1000';
const own = {shared: false, own: true, runtime};
const others = {shared: false, own: false, runtime};
const sticky = {shared: true, own: false, runtime};

const folders: readonly [folder: string, of: typeof own, fine: boolean, home?: string][] = [
  ['/tmp', sticky, true],
  ['/var/tmp', sticky, true],
  ['/dev/shm', sticky, true],
  ['/tmp/mine', own, true],
  ['/var/tmp/mine', own, true],
  ['/private/var/folders/ab/c/T', own, true],
  ['/var/tmp/others', others, false],
  ['/scratch/u', own, false],
  ['/home/u/tmp', own, false],
  ['/home/u/.cache/tmp', own, false],
  ['/home/u/write-root/tmp', own, true],
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
  ['/root/tmp', own, false, '/root'],
  ['/run/user/1000', own, false],
  ['/run/user/1000/systemd', own, false],
  ['/run/user/1000/systemd/tmp', own, false],
  ['/run/user/1000/tmp.1', own, true],
  ['/run/user/1000/nix-shell.1', own, true],
  ['/run/user/1001/tmp', own, false],
  ['/dev', own, false, '/root'],
  // It may contain other projects.
  ['/srv/projects', own, false],
  ['/srv/projects/this', own, false],
  ['/tmp/projects', own, false],
  ['/tmp/projects/this', own, true],
];

const place = (home: string) => ({
  cwd: '/tmp/projects/this',
  homes: [home],
  writeRoots: ['/home/u/write-root'],
});

for (const [folder, of, fine, home = '/home/u'] of folders) {
  test(`TMPDIR=${folder} (${JSON.stringify(of)}) of ${home} is ${fine ? 'a temp folder' : 'refused'}`, () => {
    assert.equal(noTempFolder(folder, place(home), of) === undefined, fine);
  });
}
