import assert from 'node:assert/strict';
import {execa} from 'execa';
import {chmodSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {addGrant, changeGrant, grantsName, readGrants} from '../../../src/config/grants-file.ts';
import {openGrants} from '../../../src/session/ask/grants.ts';
import {ruleStore} from '../../../src/session/ask/rule-stores.ts';
import {decide} from '../../../src/policy/decide.ts';
import {bash, sourced, stateWith} from '../policy/support.ts';
import {inScene, type Scene} from './scene.ts';

const push = {effect: 'allow', scope: 'command_prefix', match: 'git push'} as const;

// Runs as a child of the test of parallel changes. This file is one bundle, and starts itself again.
if (process.env['ION_TEST_ADD'] !== undefined) {
  const place = {home: process.env['ION_TEST_HOME']!, workspace: '/ws'};
  const store = ruleStore(place.home, place.workspace);
  for (let index = 0; index < 5; index++) {
    addGrant(place, 'sandbox.write_roots', `/w${process.env['ION_TEST_ADD']}-${index}`);
    store.add({...push, match: `c${process.env['ION_TEST_ADD']} ${index}`});
    for (const {id, match} of store.list()) if (match === 'git push') store.remove(id);
  }
  process.exit(0);
}

const fileIn = ({home, work}: Scene): string => `${home}/.ion/${grantsName(work)}`;
const placeIn = ({home, work}: Scene) => ({home, workspace: work});

test('one entry per line for each kind of setting, and the layer contains it', () =>
  inScene(async (scene) => {
    const place = placeIn(scene);
    addGrant(place, 'sandbox.write_roots', '/a');
    addGrant(place, 'permissions.rules', {...push, reason: 'a "quoted"\nline'});
    addGrant(place, 'sandbox.write_roots', '/b\u202e');
    addGrant(place, 'sandbox.write_roots', '/a');
    addGrant(place, 'sandbox.network', 'loopback');
    const file = fileIn(scene);
    assert.equal(
      readFileSync(file, 'utf8'),
      `# Granted to the workspace "${scene.work}".
# ion writes this file: you may edit the settings; comments are not kept.
sandbox.write_roots = [
  "/a",
  "/b\\u202e",
]
permissions.rules = [
  { effect = "allow", scope = "command_prefix", match = "git push", reason = "a \\"quoted\\"\\nline" },
]
sandbox.network = "loopback"
`,
    );
    const {settings} = await scene.resolve();
    assert.deepEqual(
      settings.writeRoots.map(({value, origin}) => [value, origin.line]),
      [
        ['/a', 4],
        ['/b\u202e', 5],
      ],
    );
    const [rule] = settings.rules;
    assert.deepEqual([rule?.source, rule?.trusted, rule?.origin.line], ['workspace', true, 8]);
    assert.equal(settings.network.value, 'loopback');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)], 'no lock or half file is left');
    changeGrant(place, 'sandbox.network', () => undefined);
    assert.equal((await scene.resolve()).settings.network.value, 'none');
  }));

test('entries that a person wrote are kept, in whatever form', () =>
  inScene(async (scene) => {
    scene.write(
      fileIn(scene),
      '[sandbox]\nread_roots = ["/r"] # mine\n[sandbox.limits]\nmemory = "1G"\n[frames]\n"a b" = "/f"\n[environment.set]\nX = "1"\n',
    );
    chmodSync(fileIn(scene), 0o600);
    const before = (await scene.resolve()).settings;
    addGrant(placeIn(scene), 'permissions.rules', push);
    const {settings} = await scene.resolve();
    assert.equal(settings.rules.length, 1);
    const values = ({readRoots, limits, frames, environment}: typeof settings) => [
      readRoots.map(({value}) => value),
      limits.memoryBytes?.value,
      frames['a b']?.value,
      environment.set['X']?.value,
    ];
    assert.deepEqual(values(settings), values(before));
    assert.deepEqual(values(settings), [['/r'], 2 ** 30, '/f', '1']);
  }));

test('rules of a workspace: adding twice adds once, ids differ, removing reports whether there was one', () =>
  inScene((scene) => {
    const store = ruleStore(scene.home, scene.work);
    assert.equal(store.remove('000000000000'), false);
    assert.equal(readdirSync(scene.home).length, 0, 'nothing is written to look');
    const {id} = store.add(push);
    assert.equal(store.add({...push, reason: 'again'}).id, id);
    const deny = store.add({...push, effect: 'deny'});
    assert.notEqual(deny.id, id);
    assert.deepEqual(
      store.list().map((rule) => rule.effect),
      ['allow', 'deny'],
    );
    assert.equal(store.remove(id), true);
    assert.equal(store.remove(id), false);
    assert.deepEqual(store.list(), [deny]);
    assert.deepEqual(ruleStore(scene.home, '/another').list(), []);
  }));

const bad: {name: string; put: (file: string) => void; want: RegExp}[] = [
  {name: 'invalid TOML', put: (file) => writeFileSync(file, 'a = ['), want: /bad TOML/},
  {name: 'an unknown key', put: (file) => writeFileSync(file, 'sandbox.wrote = 1'), want: /unknown key/},
  {name: 'a folder', put: (file) => mkdirSync(file), want: /a folder/},
  {name: 'a symlink', put: (file) => symlinkSync('/etc/hostname', file), want: /a symlink/},
  {
    name: 'writable by others',
    put: (file) => {
      writeFileSync(file, '');
      chmodSync(file, 0o622);
    },
    want: /written by other users/,
  },
  {
    name: 'read-only',
    put: (file) => {
      writeFileSync(file, '');
      chmodSync(file, 0o400);
    },
    want: /is read-only/,
  },
];
for (const {name, put, want} of bad) {
  test(`an invalid grants file: ${name}: an error, and no file is left beside it`, () =>
    inScene((scene) => {
      const file = fileIn(scene);
      mkdirSync(path.dirname(file), {recursive: true});
      put(file);
      chmodSync(path.dirname(file), 0o700);
      assert.throws(() => addGrant(placeIn(scene), 'permissions.rules', push), {
        name: 'IonError',
        message: want,
      });
      assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)]);
    }));
}

test('a value that could not be read back is not written', () =>
  inScene((scene) => {
    assert.throws(() => addGrant(placeIn(scene), 'sandbox.write_roots', '/a/*'), {message: /must be a path/});
    assert.deepEqual(readGrants(placeIn(scene)).document, {});
  }));

test('a grants folder that is a symlink is not written', () =>
  inScene((scene) => {
    mkdirSync(`${scene.home}/.ion`);
    mkdirSync(`${scene.work}/elsewhere`);
    symlinkSync(`${scene.work}/elsewhere`, `${scene.home}/.ion/grants`);
    assert.throws(
      () => addGrant(placeIn(scene), 'permissions.rules', push),
      /"~\/\.ion\/grants" is a symlink/,
    );
    assert.deepEqual(readdirSync(`${scene.work}/elsewhere`), []);
  }));

test('parallel changes all take effect', () =>
  inScene(async ({home}) => {
    const store = ruleStore(home, '/ws');
    store.add(push);
    const children = Array.from({length: 4}, (_, child) =>
      execa(process.execPath, [process.argv[1]!], {
        env: {ION_TEST_ADD: `${child}`, ION_TEST_HOME: home, NODE_TEST_CONTEXT: ''},
      }),
    );
    await Promise.all(children);
    // Each process adds five rules and five roots, and removes the initial rule.
    assert.equal(store.list().length, 20);
    assert.equal(readGrants({home, workspace: '/ws'}).values['sandbox.write_roots']?.length, 20);
  }));

test('an answer for the workspace is stored as a rule there, and its id removes it', () =>
  inScene(async (scene) => {
    const grants = openGrants(scene.home, scene.work);
    const action = bash('npm test');
    const asked = decide(action, stateWith({approval: sourced('ask')}, {interactive: true}));
    const remembered = await grants.remember('workspace', asked, action);
    assert.deepEqual(
      [remembered.persisted, remembered.rule?.shown],
      [true, `~/.ion/${grantsName(scene.work)}`],
    );
    const {rules} = (await scene.resolve()).settings;
    const state = stateWith({approval: sourced('ask'), rules});
    assert.equal(decide(bash('npm test'), state).reason, 'rule_allow');
    assert.equal(decide(bash('npm test && curl x'), state).effect, 'deny');
    assert.equal(ruleStore(scene.home, scene.work).remove(remembered.rule!.id), true);
    assert.deepEqual((await scene.resolve()).settings.rules, []);
  }));
