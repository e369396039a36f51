import assert from 'node:assert/strict';
import {chmodSync, symlinkSync} from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {grantsName} from '../../../../src/config/grants-file.ts';
import {inScene, messageOf, type Scene} from '../scene.ts';

const roots = (...names: string[]) =>
  `sandbox.write_roots = [${names.map((name) => `"/${name}"`).join(', ')}]\n`;

/** The write roots of the resolved state, and the ignored settings. */
async function resolved(scene: Scene, changes: Parameters<Scene['resolve']>[0] = {}) {
  const {settings, ignored} = await scene.resolve(changes);
  return {
    roots: settings.writeRoots.map(({value, origin}) => `${value} ${origin.layer}`),
    ignored: ignored.map(({key, why}) => `${key}: ${why}`),
  };
}

test("grants: a person's grants to this workspace add to lower layers, and do not apply to other workspaces", () =>
  inScene(async (scene) => {
    const {home, work, write} = scene;
    write(`${home}/.ion/config.toml`, roots('user'));
    write(`${home}/.ion/${grantsName(work)}`, `${roots('granted')}sandbox.network = "loopback"\n`);
    write(`${home}/.ion/${grantsName('/another')}`, roots('other'));
    assert.deepEqual((await resolved(scene)).roots, ['/granted grants', '/user user']);
    // Grants are above the project and below --config.
    write('.ion/config.toml', 'sandbox.network = "none"');
    write(`${home}/ci.toml`, 'sandbox.network = "full"');
    assert.equal((await scene.resolve()).settings.network.value, 'loopback');
    assert.equal((await scene.resolve({configFile: `${home}/ci.toml`})).settings.network.value, 'full');
  }));

test('grants: a lock disables them', () =>
  inScene(async (scene) => {
    scene.write(`${scene.home}/.ion/config.toml`, '[permissions]\nlocked = true\n');
    scene.write(`${scene.home}/.ion/${grantsName(scene.work)}`, roots('granted'));
    assert.deepEqual(await resolved(scene), {
      roots: [],
      ignored: ['sandbox.write_roots: locked by ~/.ion/config.toml:2'],
    });
  }));

const why = 'a file that ION_CONFIG names may only tighten';

test('ION_CONFIG: only tightens, unless the user lists the file', () =>
  inScene(async (scene) => {
    const file = `${scene.home}/.ion/ci.toml`;
    const env = {ION_CONFIG: file};
    scene.write(file, `permissions.mode = "read"\n${roots('ci')}`);
    assert.deepEqual(await resolved(scene, {env}), {roots: [], ignored: [`sandbox.write_roots: ${why}`]});
    assert.equal((await scene.resolve({env})).settings.mode.value, 'read');
    scene.write(`${scene.home}/.ion/config.toml`, 'permissions.trusted_environment = ["~/.ion/ci.toml"]\n');
    assert.deepEqual(await resolved(scene, {env}), {roots: ['/ci environment'], ignored: []});
    // The list names the file, not its name: the same file by another name works, another file by the listed name does not.
    symlinkSync('ci.toml', `${scene.home}/.ion/link.toml`);
    assert.deepEqual((await resolved(scene, {env: {ION_CONFIG: `${scene.home}/.ion/link.toml`}})).roots, [
      '/ci environment',
    ]);
  }));

for (const from of ['.ion/config.toml', 'ci.toml', 'HOME/.ion/env.toml'] as const) {
  test(`permissions.trusted_environment and locked in ${from} are ignored, with a warning`, () =>
    inScene(async (scene) => {
      const {home} = scene;
      const file = from.replace('HOME', home);
      const text = `[permissions]\nlocked = true\ntrusted_environment = ["~/.ion/env.toml"]\n${roots('ci').replace('sandbox.', '[sandbox]\n')}`;
      scene.write(`${home}/.ion/env.toml`, roots('env'));
      scene.write(file, text);
      const env = {ION_CONFIG: `${home}/.ion/env.toml`};
      const {settings, ignored, lock} = await scene.resolve(
        from === 'ci.toml' ? {env, configFile: file} : {env},
      );
      assert.equal(lock, undefined);
      assert.ok(settings.writeRoots.every(({origin}) => origin.layer !== 'environment'));
      const only = 'only ~/.ion/config.toml and /etc/ion/config.toml may set it';
      for (const key of ['permissions.locked', 'permissions.trusted_environment'])
        assert.ok(
          ignored.some((one) => one.key === key && one.why === only),
          key,
        );
    }));
}

const refusals: readonly {name: string; env: (scene: Scene) => Record<string, string>; want: RegExp}[] = [
  {
    name: 'a relative path',
    env: () => ({ION_CONFIG: 'ci.toml'}),
    want: /ION_CONFIG is not an absolute path: "ci.toml"/,
  },
  {
    name: 'a missing file',
    env: ({home}) => ({ION_CONFIG: `${home}/.ion/nothing.toml`}),
    want: /nothing\.toml" does not exist\nhelp: an ION_CONFIG/,
  },
  {
    name: 'in the workspace',
    env: ({work}) => ({ION_CONFIG: `${work}/ci.toml`}),
    want: /is in the workspace/,
  },
  {
    name: 'in the workspace through a symlink',
    env({home, work}) {
      symlinkSync(`${work}/ci.toml`, `${home}/.ion/link.toml`);
      return {ION_CONFIG: `${home}/.ion/link.toml`};
    },
    want: /is in the workspace/,
  },
  {
    name: 'left behind by a run',
    env({home, write}) {
      write(`${home}/.ion/quarantine/1/ci.toml`, '');
      return {ION_CONFIG: `${home}/.ion/quarantine/1/ci.toml`};
    },
    want: /is in a folder where runs leave files/,
  },
  {
    name: 'in a temp folder',
    env: ({home}) => ({ION_CONFIG: `${home}/ci.toml`}),
    want: /is in a temp folder/,
  },
  {
    name: 'writable by everyone',
    env({home}) {
      chmodSync(`${home}/.ion/ci.toml`, 0o666);
      return {ION_CONFIG: `${home}/.ion/ci.toml`};
    },
    want: /can be written by every user/,
  },
  {
    name: 'ION_PROFILE',
    env: () => ({ION_PROFILE: 'ci'}),
    want: /^ion: ION_PROFILE="ci": this version has no profiles\nhelp: unset/,
  },
];
for (const {name, env, want} of refusals) {
  test(`ION_CONFIG: ${name} is an error`, () =>
    inScene(async (scene) => {
      for (const folder of [scene.work, scene.home, path.join(scene.home, '.ion')])
        scene.write(`${folder}/ci.toml`, roots('ci'));
      assert.match(await messageOf(scene.resolve({env: env(scene)})), want);
    }));
}

test("the machine's config: the lowest layer, which binds the user's", () =>
  inScene(async (scene) => {
    const machineConfig = path.join(scene.home, 'etc.toml');
    scene.write(machineConfig, roots('machine'));
    scene.write(`${scene.home}/.ion/config.toml`, roots('user'));
    const bound = await scene.resolve({machineConfig});
    assert.equal(bound.lock?.by, 'machine');
    assert.ok(bound.settings.writeRoots.every(({origin}) => origin.layer !== 'user'));
  }));
