import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {findHomes} from '../../../../src/config/read/own-home.ts';

/**
 * The folders of a case are below one scratch folder. `passwd` is the home of the passwd entry, and ion starts in `work`.
 */
const cases: readonly {
  name: string;
  named: string | undefined;
  files?: Readonly<Record<string, string>>;
  own: string;
  why?: string;
}[] = [
  {name: 'not set', named: undefined, own: 'passwd'},
  {name: 'empty', named: '', own: 'passwd'},
  {name: 'of the passwd entry', named: 'passwd', own: 'passwd'},
  {name: 'a symlink to it', named: 'link', own: 'link'},
  {name: 'another folder', named: 'other', own: 'other'},
  {name: 'a missing folder', named: 'nowhere', own: 'nowhere'},
  {name: 'the workspace', named: 'work', own: 'passwd', why: 'it is in the workspace'},
  {name: 'below the workspace', named: 'work/home', own: 'passwd', why: 'it is in the workspace'},
  {name: 'a symlink into it', named: 'into', own: 'passwd', why: 'it is in the workspace'},
  {name: 'a folder with a similar name', named: 'work-home', own: 'work-home'},
  {name: 'in another repository', named: 'clone/home', own: 'passwd', why: 'it is in a repository'},
  {name: 'the top of another repository', named: 'clone', own: 'passwd', why: 'it is in a repository'},
  {
    name: 'another folder, where the user has a lock',
    named: 'other',
    files: {'passwd/.ion/config.toml': '[permissions]\nlocked = true\n'},
    own: 'passwd',
    why: '{root}/passwd/.ion/config.toml has a lock',
  },
  {
    name: 'another folder, where the user has no lock',
    named: 'other',
    files: {'passwd/.ion/config.toml': '# locked = true\npermissions.locked = false\n'},
    own: 'other',
  },
  {
    name: 'another folder, where the machine has a config',
    named: 'other',
    files: {'etc.toml': ''},
    own: 'passwd',
    why: '{root}/etc.toml has a lock',
  },
  {
    name: 'another folder, where the machine unlocks',
    named: 'other',
    files: {'etc.toml': '[permissions]\nlocked = false\n'},
    own: 'other',
  },
];

for (const {name, named, files = {}, own, why} of cases) {
  test(`HOME: ${name}`, (t) => {
    const root = mkdtempSync('/var/tmp/ion-home-');
    t.after(() => rmSync(root, {recursive: true}));
    for (const folder of [
      'passwd',
      'other',
      'work/home',
      'work-home',
      'clone/home',
      'clone/.git/objects',
      'clone/.git/refs',
    ])
      mkdirSync(path.join(root, folder), {recursive: true});
    writeFileSync(path.join(root, 'clone/.git/HEAD'), 'ref: refs/heads/main\n');
    symlinkSync('passwd', path.join(root, 'link'));
    symlinkSync('work/home', path.join(root, 'into'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, file)), {recursive: true});
      writeFileSync(path.join(root, file), text);
    }
    const found = findHomes({
      named: named && path.join(root, named),
      passwdHome: path.join(root, 'passwd'),
      machineConfig: path.join(root, 'etc.toml'),
      cwd: path.join(root, 'work'),
    });
    assert.equal(found.own, path.join(root, own));
    assert.equal(found.refused, why?.replace('{root}', root));
    // Neither may be a workspace, and the secrets of both are denied.
    if (named) assert.ok(found.all.includes(path.join(root, named)));
    if (named && named !== 'link') assert.ok(found.all.includes(path.join(root, 'passwd')));
  });
}

test('HOME: a temp folder, where runs write', () => {
  const places = {passwdHome: '/home/u', machineConfig: '/nonexistent', cwd: '/srv/work'};
  for (const named of ['/tmp', '/tmp/home', '/dev/shm/home'])
    assert.equal(findHomes({...places, named}).own, '/home/u');
});

test('HOME: without a passwd entry', () => {
  const places = {passwdHome: undefined, machineConfig: '/nonexistent', cwd: '/srv/work'};
  assert.equal(findHomes({...places, named: '/srv/home'}).own, '/srv/home');
  assert.equal(findHomes({...places, named: '/srv/work/home'}).own, undefined);
  assert.throws(() => findHomes({...places, named: 'relative'}), {message: /is not an absolute path/});
});
