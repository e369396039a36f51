import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {planView} from '../../../src/sandbox/linux/view.ts';
import type {Root} from '../../../src/sandbox/plan/roots.ts';

/** In `{t}`: `a/b/file`, `a/secret`, `w/inner/`, `home` which is a link to `a`, `dotfile` which is a link to `home/b/file`. */
const cases: readonly {
  readonly name: string;
  readonly roots: readonly (readonly [path: string, grant: Root['grant'], without?: readonly string[]])[];
  readonly writable?: readonly string[];
  readonly names?: readonly string[];
  readonly want: readonly string[];
  /** Of those below `{t}`. */
  readonly links?: readonly (readonly [path: string, target: string])[];
}[] = [
  {
    name: 'what is read, as read and without execution',
    roots: [
      ['{t}/a', 'read'],
      ['{t}/w', 'view'],
    ],
    want: ['{t}/a', '{t}/w'],
  },
  {name: 'no name that is only listed', roots: [['{t}/w', 'list']], want: []},
  {
    name: 'what is written is not there twice',
    roots: [
      ['{t}/w', 'write'],
      ['{t}/w/inner', 'read'],
    ],
    writable: ['{t}/w'],
    want: [],
  },
  {
    name: 'nor a root in another one',
    roots: [
      ['{t}/a/b', 'read'],
      ['{t}/a', 'read'],
      ['{t}/a/b/file', 'read'],
    ],
    want: ['{t}/a'],
  },
  {
    name: 'a name that begins as another one does',
    roots: [
      ['{t}/w', 'read'],
      ['{t}/w2', 'read'],
    ],
    want: ['{t}/w', '{t}/w2'],
  },
  {name: 'nothing that is not there', roots: [['{t}/later', 'read']], want: []},
  {
    name: 'the whole of a file system',
    roots: [
      ['/', 'read'],
      ['{t}/a', 'read'],
    ],
    want: ['/'],
  },
  {name: 'all but what is left out', roots: [['{t}/a', 'read', ['secret']]], want: ['{t}/a/b']},
  {
    name: 'what a link leads to, and each link on the way',
    roots: [['{t}/dotfile', 'read']],
    want: ['{t}/a/b/file'],
    links: [
      ['{t}/dotfile', 'home/b/file'],
      ['{t}/home', '{t}/a'],
    ],
  },
  {
    name: 'links by which the command calls a root',
    roots: [['{t}/a', 'read']],
    names: ['{t}/home/b'],
    want: ['{t}/a'],
    links: [['{t}/home', '{t}/a']],
  },
  {
    name: 'links in a folder that is only listed',
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
