import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, realpathSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {removeTree} from '../../../../src/system/remove-tree.ts';
import {refuseTop} from '../../../../src/sandbox/plan/repository-top.ts';

const tops: readonly [top: string, why: string][] = [
  ['/', 'it is the root of the file system'],
  ['/home', 'it is a parent of your home folder'],
  ['/home/u', 'it is your home folder'],
  ['/home/other-of-u', 'it is your home folder'],
  ['/usr/src/app', 'it is a system folder'],
  ['/scratch/not-there', 'ion cannot look up its owner'],
  ['/opt', 'it is a system folder'],
  ['/tmp', 'it is a temp folder'],
  ['/var/tmp', 'it is a temp folder'],
  ['/dev/shm', 'it is a system folder'],
  ['/run/user/1000', 'it is a temp folder'],
  ['/scratch/of-this-run', 'it is a temp folder'],
];
for (const [top, why] of tops)
  test(`the top of a repository as the workspace: ${top}`, () =>
    assert.equal(
      refuseTop(top, {
        gitFolders: [`${top}/.git`],
        home: '/home/u',
        otherHomes: ['/home/other-of-u'],
        temp: '/scratch/of-this-run',
        uid: 1000,
      }),
      why,
    ));

test("the top of a repository as the workspace: another user's, but not for root", (t) => {
  const top = realpathSync(mkdtempSync('/var/tmp/ion-top-'));
  t.after(() => removeTree(top));
  mkdirSync(`${top}/.git`);
  writeFileSync(`${top}/.git/HEAD`, '');
  const place = {gitFolders: [`${top}/.git`], home: '/home/u', otherHomes: [], temp: '/tmp'};
  const uid = process.getuid!();
  assert.equal(refuseTop(top, {...place, uid}), undefined);
  assert.equal(refuseTop(top, {...place, uid: uid + 1}), `${top} belongs to another user`);
  assert.equal(refuseTop(top, {...place, uid: 0}), undefined);
  assert.equal(
    refuseTop(top, {...place, gitFolders: [], uid}),
    'its ".git" names a git folder that does not name it in turn',
  );
});
