import assert from 'node:assert/strict';
import {closeSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {loadNative} from '../../../src/sandbox/linux/native.ts';
import {packageRoot} from '../../harness/package.ts';

/** Another run that may write around a root replaces a part of its path between ion's check and the ruleset. */
const cases = [
  {name: 'unchanged', swap: undefined, canonical: true, error: undefined},
  {name: 'the folder itself', swap: 'sub/root', canonical: true, error: 'open'},
  {name: 'a parent folder', swap: 'sub', canonical: true, error: 'open'},
  {name: 'a root that is named through a symlink', swap: 'sub/root', canonical: false, error: undefined},
] as const;

for (const {name, swap, canonical, error} of cases) {
  test(`a root that is swapped for a symlink: ${name}`, (t) => {
    const native = loadNative(packageRoot);
    if ('missing' in native || native.addon.probe().landlockAbi === 0) return t.skip('no Landlock');
    const base = mkdtempSync('/var/tmp/ion-test-');
    t.after(() => rmSync(base, {recursive: true, force: true}));
    mkdirSync(path.join(base, 'sub/root'), {recursive: true});
    if (swap) {
      renameSync(path.join(base, swap), path.join(base, 'elsewhere'));
      symlinkSync(path.join(base, 'elsewhere'), path.join(base, swap));
    }
    const make = (): void => {
      const rules = [{path: path.join(base, 'sub/root'), access: 1 << 2, optional: false, canonical}];
      closeSync(native.addon.createRuleset({handledFs: 1 << 2, handledNet: 0, scoped: 0, rules}).fd);
    };
    if (error) assert.throws(make, {step: error, message: /symbolic links/});
    else make();
  });
}
