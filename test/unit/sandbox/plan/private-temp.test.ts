import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {makeClosedFolder} from '../../../../src/sandbox/plan/private-temp.ts';
import {isWithin} from '../../../../src/system/is-within.ts';

for (const [what, temp, isOpen] of [
  ['a home beside the shared temp folder has the private one', 'temp', false],
  ['a home below the shared temp folder does not: other runs may read there', '.', true],
] as const) {
  test(`private temp: ${what}`, (t) => {
    const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'ion-private-')));
    const home = path.join(top, 'home');
    mkdirSync(home);
    const place = {home, uid: process.getuid!(), temp: path.join(top, temp), roots: []};
    mkdirSync(place.temp, {recursive: true});
    const made = makeClosedFolder(place, '0123456789abcdef');
    t.after(() => {
      for (const folder of [top, made]) if (folder) rmSync(folder, {recursive: true, force: true});
    });
    assert.equal(made !== undefined && isWithin(made, home), !isOpen, made);
  });
}
