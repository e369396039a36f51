import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {planView} from '../../../src/sandbox/linux/view.ts';
import type {Root} from '../../../src/sandbox/plan/roots.ts';

/** In `{t}`: `a/b/file`, `a/secret`, `w/inner/`, `home` (a symlink to `a`), `dotfile` (a symlink to `home/b/file`). */
const cases: readonly {
  readonly name: string;
  readonly roots: readonly (readonly [path: string, grant: Root['grant'], without?: readonly string[]])[];
  readonly writable?: readonly string[];
  readonly names?: readonly string[];
  readonly want: readonly string[];
  /** Only those below `{t}`. */
  readonly links?: readonly (readonly [path: string, target: string])[];
}[] = [
  {
    name: 'readable roots, read-only and not executable',
    roots: [
      ['{t}/a', 'read'],
      ['{t}/w', 'view'],
    ],
    want: ['{t}/a', '{t}/w'],
  },
  {name: 'no folder that may only be listed', roots: [['{t}/w', 'list']], want: []},
  {
    name: 'a writable root is not mounted twice',
    roots: [
      ['{t}/w', 'write'],
      ['{t}/w/inner', 'read'],
    ],
    writable: ['{t}/w'],
    want: [],
  },
  {
    name: 'no root inside another',
    roots: [
      ['{t}/a/b', 'read'],
      ['{t}/a', 'read'],
      ['{t}/a/b/file', 'read'],
    ],
    want: ['{t}/a'],
  },
  {
    name: 'a name that begins like another',
    roots: [
      ['{t}/w', 'read'],
      ['{t}/w2', 'read'],
    ],
    want: ['{t}/w', '{t}/w2'],
  },
  {name: 'no missing path', roots: [['{t}/later', 'read']], want: []},
  {
    name: 'a whole file system',
    roots: [
      ['/', 'read'],
      ['{t}/a', 'read'],
    ],
    want: ['/'],
  },
  {name: 'all but the exceptions', roots: [['{t}/a', 'read', ['secret']]], want: ['{t}/a/b']},
  {
    name: 'the target of a symlink, and each symlink on the way',
    roots: [['{t}/dotfile', 'read']],
    want: ['{t}/a/b/file'],
    links: [
      ['{t}/dotfile', 'home/b/file'],
      ['{t}/home', '{t}/a'],
    ],
  },
  {
    name: 'symlinks by which the command names a root',
    roots: [['{t}/a', 'read']],
    names: ['{t}/home/b'],
    want: ['{t}/a'],
    links: [['{t}/home', '{t}/a']],
  },
  {
    name: 'symlinks in a folder that may only be listed',
    roots: [
      ['{t}', 'list'],
      ['{t}/a', 'read'],
    ],
    want: ['{t}/a'],
    links: [
      ['{t}/dotfile', 'home/b/file'],
      ['{t}/home', '{t}/a'],
    ],
  },
];

test('view', async (t) => {
  const top = realpathSync(mkdtempSync('/var/tmp/ion-test-'));
  t.after(() => rmSync(top, {recursive: true}));
  for (const folder of ['a/b', 'w/inner', 'w2']) mkdirSync(`${top}/${folder}`, {recursive: true});
  for (const file of ['a/b/file', 'a/secret']) writeFileSync(`${top}/${file}`, '');
  symlinkSync(`${top}/a`, `${top}/home`);
  symlinkSync('home/b/file', `${top}/dotfile`);
  const at = (text: string): string => text.replace('{t}', top);
  for (const {name, roots, writable = [], names = [], want, links = []} of cases) {
    await t.test(name, () => {
      const view = planView({
        roots: roots.map(([path, grant, without]) => ({
          path: at(path),
          grant,
          reason: '',
          optional: true,
          ...(without ? {without} : {}),
        })),
        writable: writable.map(at),
        names: names.map(at),
      });
      assert.deepEqual(view.roots, want.map(at));
      assert.deepEqual(
        view.links.filter(({path}) => path.startsWith(top)).map(({path, target}) => [path, target]),
        links.map((link) => link.map(at)),
      );
    });
  }
});
