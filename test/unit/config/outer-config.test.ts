import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isOfOuterRun, outerConfig, outerRun} from '../../../src/config/outer-config.ts';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import {resolveConfig} from '../../../src/config/read/resolve.ts';
import type {Origin} from '../../../src/config/settings.ts';

const layered = (sets: readonly string[]) =>
  resolveConfig({cwd: '/', home: '/nonexistent', env: {}, uid: 1, flags: {}, sets});

test('the settings that a run hands over are a config file of the same values', async () => {
  const {settings} = await layered([
    'sandbox.write_roots=["/srv/a \\"b\\"", {path = "/srv/c", create = true}]',
    'permissions.deny_commands=["git push *"]',
    'permissions.rules=[{effect = "ask", scope = "command_prefix", match = "npm publish", reason = "by CI"}, {effect = "allow", scope = "tool", match = "read"}]',
    'sandbox.network.allow=["example.org"]',
    'environment.set.TOKEN="secret"',
    'sandbox.limits.timeout="1s"',
    'permissions.sandbox="require"',
  ]);
  const text = outerConfig(settings, undefined);
  const {values} = parseLayer(text, {kind: 'user', file: 'f', folder: undefined, home: '/nonexistent'});
  assert.deepEqual(
    values['sandbox.write_roots']?.map(({value, missing}) => [value, missing]),
    [
      ['/srv/a "b"', 'skip'],
      ['/srv/c', 'skip'],
    ],
  );
  assert.deepEqual(
    values['permissions.rules']?.map(({effect, match}) => [effect, match]),
    [['deny', 'npm publish']],
  );
  assert.equal(values['sandbox.network']?.value, 'full');
  assert.equal(values['permissions.locked'], undefined);
  assert.doesNotMatch(text, /secret|limits|require/);
});

test('a lock of the user is handed over', async () => {
  const {settings} = await layered([]);
  assert.match(
    outerConfig(settings, {by: 'user', origin: {layer: 'user', file: 'f'}}),
    /^permissions.locked = true$/m,
  );
});

const origins: readonly (readonly [Origin, boolean])[] = [
  [{layer: 'user', file: outerRun}, true],
  [{layer: 'user', file: '~/.ion/config.toml'}, false],
  [{layer: 'config-flag', file: outerRun}, false],
];
for (const [origin, expected] of origins) {
  test(`of the outer run: ${origin.layer} ${origin.file}`, () =>
    assert.equal(isOfOuterRun(origin), expected));
}
