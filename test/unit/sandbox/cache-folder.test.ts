import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {
  cacheFolder,
  workspaceKey,
  workspaceOf,
  type CachePlace,
} from '../../../src/sandbox/toolchains/cache-folder.ts';
import {fc} from '../../harness/property.ts';

const uid = process.getuid!();

/** A new home for one case. */
function inHome(use: (home: string, place: CachePlace) => void): void {
  const home = mkdtempSync(path.join(tmpdir(), 'ion-cache-'));
  try {
    use(home, {home, workspace: '/w', uid, writeRoots: ['/w'], create: true});
  } finally {
    rmSync(home, {recursive: true, force: true});
  }
}

test('cache folder: made for the owner only, and found again', () =>
  inHome((home, place) => {
    const want = {path: `${home}/.cache/ion/_w`};
    assert.deepEqual(cacheFolder(place), want);
    assert.equal(statSync(want.path).mode & 0o777, 0o700);
    assert.deepEqual(cacheFolder(place), want);
    assert.notDeepEqual(cacheFolder({...place, workspace: '/v'}), want);
  }));

test('cache folder: a lookup does not make it', () =>
  inHome((home, place) => {
    assert.deepEqual(cacheFolder({...place, create: false}), {path: `${home}/.cache/ion/_w`});
    assert.ok(!existsSync(`${home}/.cache`));
  }));

test('cache folder: permissions that a run added are removed', () =>
  inHome((_, place) => {
    const {path: folder} = cacheFolder(place);
    chmodSync(folder!, 0o777);
    cacheFolder(place);
    assert.equal(statSync(folder!).mode & 0o777, 0o700);
  }));

test('cache folder: a new one removes empty ones of deleted workspaces', () =>
  inHome((home, place) => {
    const top = `${home}/.cache/ion`;
    const [here, gone, full] = [`${home}/Here é`, `${home}/gone`, `${home}/full`].map(workspaceKey);
    mkdirSync(`${home}/Here é`);
    const others = [here!, gone!, 'other', '_.FF', '_.zz'];
    for (const name of [...others, `${full}/npm`]) mkdirSync(`${top}/${name}`, {recursive: true});
    symlinkSync(gone!, `${top}/_nowhere`);
    cacheFolder({...place, create: false});
    assert.ok(existsSync(`${top}/${gone}`));
    cacheFolder(place);
    const kept = [here!, full!, 'other', '_.FF', '_.zz', '_nowhere', '_w'];
    assert.deepEqual(readdirSync(top).sort(), kept.sort());
    mkdirSync(`${top}/${gone}`);
    cacheFolder(place);
    assert.ok(existsSync(`${top}/${gone}`), 'only where one is made');
  }));

test('cache folder: ~/.cache may be a symlink of the user', () =>
  inHome((home, place) => {
    mkdirSync(`${home}/disk`);
    symlinkSync('disk', `${home}/.cache`);
    assert.deepEqual(cacheFolder(place), {path: `${home}/disk/ion/_w`});
  }));

const refused: readonly {
  readonly name: string;
  readonly prepare: (home: string) => void;
  readonly place?: (home: string) => Partial<CachePlace>;
  readonly why: RegExp;
}[] = [
  {
    name: "a symlink in the place of ion's folder",
    prepare: (home) => {
      mkdirSync(`${home}/.cache`);
      mkdirSync(`${home}/elsewhere`);
      symlinkSync('../elsewhere', `${home}/.cache/ion`);
    },
    why: /\.cache\/ion is not a folder$/,
  },
  {
    name: "a symlink in the place of the workspace's folder",
    prepare: (home) => {
      mkdirSync(`${home}/.cache/ion/_v`, {recursive: true});
      symlinkSync('_v', `${home}/.cache/ion/_w`);
    },
    why: /_w is not a folder$/,
  },
  {
    name: 'a file',
    prepare: (home) => writeFileSync(`${home}/.cache`, ''),
    why: /\.cache is not a folder$|EEXIST|ENOTDIR/,
  },
  {
    name: 'a home that a run may write',
    prepare: () => undefined,
    place: (home) => ({writeRoots: [home]}),
    why: /is in a write root$/,
  },
  {
    name: 'a symlink into the temp folder, which every run may write',
    prepare: (home) => {
      mkdirSync(`${home}/tmp`);
      symlinkSync('tmp', `${home}/.cache`);
    },
    place: (home) => ({writeRoots: [`${home}/tmp`]}),
    why: /is in a write root$/,
  },
  {
    name: 'no home',
    prepare: (home) => rmSync(home, {recursive: true}),
    why: /ENOENT/,
  },
];
for (const {name, prepare, place: more, why} of refused) {
  test(`cache folder: refused: ${name}`, () =>
    inHome((home, place) => {
      prepare(home);
      const {path: folder, why: said} = cacheFolder({...place, ...more?.(home)});
      assert.equal(folder, undefined);
      assert.match(said!, why);
    }));
}

for (const part of ['', '.cache', '.cache/ion', '.cache/ion/_w']) {
  test(`cache folder: refused: ~/${part} of another user`, (t) => {
    if (uid !== 0) return t.skip('only root can give a folder away');
    inHome((home, place) => {
      mkdirSync(path.join(home, part), {recursive: true});
      chownSync(path.join(home, part), 1, 1);
      assert.match(cacheFolder(place).why!, /belongs to another user$/);
    });
  });
}

const keys: readonly [workspace: string, key: string][] = [
  ['/home/u/my-app', '_home_u_my-app'],
  ['/home/u/my/app', '_home_u_my_app'],
  ['/home/u/my_app', '_home_u_my.5Fapp'],
  ['/home/u/My app.v2', '_home_u_.4Dy.20app.2Ev2'],
  ['/ö', '_.C3.B6'],
  [`/${'a'.repeat(199)}`, `_${'a'.repeat(199)}`],
  [`/${'a'.repeat(200)}`, `_${'a'.repeat(199)}+/a`],
];
for (const [workspace, key] of keys) {
  test(`cache folder: the key of ${workspace.slice(0, 30)}`, () =>
    assert.equal(workspaceKey(workspace), key));
}

test("cache folder: no two workspaces share a folder, and none is inside another's", () => {
  const anyPath = fc
    .array(fc.string({minLength: 1, maxLength: 90, unit: 'grapheme'}), {minLength: 1, maxLength: 8})
    .map((parts) => `/${parts.map((part) => part.replaceAll(/[/\0]/g, '_')).join('/')}`);
  fc.assert(
    fc.property(anyPath, anyPath, (one, other) => {
      const [a, b] = [workspaceKey(one), workspaceKey(other)];
      for (const part of a.split('/')) assert.match(part, /^[a-z0-9._+-]{1,201}$/i);
      assert.ok(!a.split('/').includes('..'));
      assert.equal(workspaceOf(a), a.includes('/') ? undefined : one);
      if (one !== other) assert.ok(a !== b && !a.startsWith(`${b}/`) && !b.startsWith(`${a}/`));
    }),
  );
});
