import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isWithin} from '../../../src/system/is-within.ts';
import {fc} from '../../harness/property.ts';

const cases: readonly [path: string, root: string, want: boolean][] = [
  ['/a/foo', '/a/foo', true],
  ['/a/foo/b', '/a/foo', true],
  ['/a/foo-evil', '/a/foo', false],
  ['/a/foo-evil/b', '/a/foo', false],
  ['/a', '/a/foo', false],
  ['/a', '/', true],
  ['/', '/', true],
  ['/', '/a', false],
];
for (const [path, root, want] of cases) {
  test(`isWithin: ${path} in ${root}`, () => assert.equal(isWithin(path, root), want));
}

const name = fc.stringMatching(/^[a-c.-]{1,3}$/).filter((text) => text !== '.' && text !== '..');
const folder = fc.array(name, {maxLength: 4}).map((names) => `/${names.join('/')}`);

test('isWithin: compares whole components', () => {
  fc.assert(
    fc.property(folder, folder, (path, root) => {
      const [parts, above] = [path, root].map((text) => text.split('/').filter(Boolean)) as [
        string[],
        string[],
      ];
      assert.equal(
        isWithin(path, root),
        above.every((part, index) => parts[index] === part),
      );
    }),
  );
});
