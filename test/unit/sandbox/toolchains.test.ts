import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {findToolchains} from '../../../src/sandbox/toolchains/install-folders.ts';

const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'ion-home-')));
after(() => rmSync(home, {recursive: true, force: true}));
for (const folder of [
  ...[
    '.nvm/versions/node/v22/bin',
    '.nvm/versions/node/v22/lib',
    '.cargo/bin',
    '.ssh',
    'tools',
    'bin',
    'share',
  ],
  ...['proj/node_modules/.bin', '.local/bin', '.local/share/keyrings', 'opt/x/bin'],
]) {
  mkdirSync(path.join(home, folder), {recursive: true});
}
symlinkSync(home, path.join(home, 'tools/loop'));
symlinkSync('/usr/bin', path.join(home, 'tools/system'));

const cases: readonly {readonly name: string; readonly path: string; readonly want: readonly string[]}[] = [
  {name: 'system folders do not need a grant', path: '/usr/bin:/bin:/usr/local/bin', want: []},
  {
    name: 'an install prefix around bin',
    path: '{home}/.nvm/versions/node/v22/bin',
    want: ['{home}/.nvm/versions/node/v22'],
  },
  {name: 'a bin folder with nothing beside it', path: '{home}/opt/x/bin', want: ['{home}/opt/x/bin']},
  {
    name: "the workspace's own programs",
    path: '{home}/proj/node_modules/.bin',
    want: ['{home}/proj/node_modules/.bin'],
  },
  {name: 'home/bin does not open home, which contains share/', path: '{home}/bin', want: ['{home}/bin']},
  {name: 'home itself', path: '{home}', want: []},
  {name: 'a parent of home', path: path.dirname(home), want: []},
  {name: 'the root', path: '/', want: []},
  {name: 'a symlink to home', path: '{home}/tools/loop', want: []},
  {name: 'a symlink to a system folder', path: '{home}/tools/system', want: []},
  {name: 'a relative folder, an empty one, a missing one', path: '.::bin:{home}/missing', want: []},
];
for (const {name, path: searchPath, want} of cases) {
  test(`toolchains: ${name}`, () => {
    const found = findToolchains(searchPath.replaceAll('{home}', home), home, '/usr/bin/node');
    assert.deepEqual(
      found.map((one) => one.path.replaceAll(home, '{home}')),
      want,
    );
  });
}

test('toolchains: parts of a folder that also contains credentials', () => {
  const grants = findToolchains(`${home}/.cargo/bin:${home}/.local/bin`, home, '/usr/bin/node').map(
    (one) => one.path,
  );
  for (const secret of [
    '.cargo',
    '.cargo/credentials.toml',
    '.local',
    '.local/share',
    '.local/share/keyrings',
  ]) {
    assert.ok(!grants.includes(path.join(home, secret)), secret);
  }
  assert.ok(grants.includes(path.join(home, '.cargo/bin')));
});
