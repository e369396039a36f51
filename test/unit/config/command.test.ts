import {test} from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';
import {runConfig} from '../../../src/cli/commands/config-command.ts';
import type {Key, ResolvedValues} from '../../../src/config/keys.ts';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import type {ResolvedConfig} from '../../../src/config/settings.ts';
import {inScene, uid, type Scene} from './scene.ts';

const everything = `
[permissions]
mode = "read"
sandbox = "require"
deny_commands = ["sudo *", "a\\"b\\\\\\u001b\\u202e"]
approval = "safe"
denied_paths = ["~/x", "/a/{b,c}/*", "/\\\\(y\\\\)"]
trusted_paths = ["~/t/*"]
allowed_tools = ["bash"]
auto_approve_patterns = ["ls *"]
frame = "web"
[[permissions.rules]]
effect = "deny"
scope = "path"
match = "/p"
tool = "write"
reason = "because"
[sandbox]
read_roots = ["/r"]
write_roots = ["~/w"]
protect = ["a"]
unprotect = [".vscode"]
tmp = "private"
network = "loopback"
unix_sockets = ["/run/s"]
toolchains = ["node"]
report = "all"
[sandbox.limits]
timeout = "1.5s"
memory = "4G"
processes = 5
open_files = 6
file_size = "1M"
cpu = "2s"
disk = "10G"
[environment]
exclude = ["HIDDEN"]
keep = ["A_KEY"]
set = {PLAIN = "1\\n2", HIDDEN = "hush", MY_token = "hush"}
[audit]
mode = "required"
[[hooks]]
event = "Stop"
match = "a|b"
command = "x '{file}'"
timeout = "5s"
sandbox = false
[frames]
web = "~/web"
"a b" = "/c"
`;

async function config(
  scene: Scene,
  json: boolean,
  shown: {key?: string; all?: boolean} = {all: true},
): Promise<string> {
  const request = {cwd: scene.work, home: scene.home, env: {}, uid, flags: {}};
  const {exitCode, stdout, stderr} = await runConfig(request, {json, ...shown});
  assert.deepEqual([exitCode, stderr], [0, '']);
  return stdout;
}

/** The values without their origins. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  if ('value' in value) return value.value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'origin')
      .map(([name, item]) => [name, bare(item)]),
  );
}

test('ion config: prints TOML that parses to the same values', () =>
  inScene(async (scene) => {
    scene.write(`${scene.home}/.ion/config.toml`, everything);
    const {values} = await scene.resolve();
    const source = {kind: 'user' as const, file: 'x', folder: undefined, home: undefined};
    const again = parseLayer(await config(scene, false), source).values as ResolvedValues;
    for (const key of Object.keys(values) as Key[]) {
      if (key === 'environment.set') continue;
      assert.deepEqual(bare(again[key]), bare(values[key]), key);
    }
    assert.deepEqual(bare(again['environment.set']), {
      PLAIN: '1\n2',
      HIDDEN: '(not shown)',
      MY_token: '(not shown)',
    });
  }));

test('ion config: names the layer of each value, and what was ignored', () =>
  inScene(async (scene) => {
    scene.write('.ion/config.toml', '[permissions]\nsandbox = false\ndeny_commands = ["x"]');
    const lines = (await config(scene, false)).split('\n');
    assert.deepEqual(lines.slice(0, 6), [
      `# workspace "${scene.work}": untrusted`,
      '# layers, highest first:',
      '#   .ion/config.local.toml: absent',
      '#   .ion/config.toml: read; it may only tighten',
      '#   ~/.ion/config.toml: absent',
      '# ignored: permissions.sandbox = false (this workspace is not trusted; .ion/config.toml:2)',
    ]);
    assert.ok(lines.includes('  "x",  # .ion/config.toml:3'));
    assert.ok(lines.includes('mode = "write"  # default'));
  }));

test('ion config --json: values with origins, by the names of the config file', () =>
  inScene(async (scene) => {
    scene.write(`${scene.home}/.ion/config.toml`, everything);
    const state = JSON.parse(await config(scene, true)) as ResolvedConfig & {
      schema: number;
      values: ResolvedValues;
    };
    assert.equal(state.schema, 1);
    assert.equal(state.workspace, scene.work);
    assert.deepEqual(state.values['sandbox.limits.timeout'], {
      value: 1500,
      origin: {layer: 'user', file: '~/.ion/config.toml', line: 29},
    });
    assert.equal(state.values['environment.set']['HIDDEN']!.value, '(not shown)');
  }));

test('ion config: a folder with a hostile name forges no line', () =>
  inScene(async (scene) => {
    const cwd = path.join(scene.work, 'a\nmode = "write"\u001b[2J');
    scene.write(path.join(cwd, '.ion/config.toml'), 'permissions.deny_commands = ["x"]');
    const {stdout} = await runConfig(
      {cwd: path.join(cwd, '.ion'), home: scene.home, env: {}, uid, flags: {}, repositoryTop: scene.work},
      {json: false},
    );
    assert.ok(!/[^\P{Cc}\n]/u.test(stdout));
    assert.ok(!stdout.includes('\nmode = "write"\\e'));
  }));

test('ion config: shows what differs from the defaults', () =>
  inScene(async (scene) => {
    assert.match(
      await config(scene, false, {}),
      /\n# every value is the default: "ion config --all" shows them\n$/,
    );
    scene.write('.ion/config.toml', '[permissions]\ndenied_paths = ["keys"]\nmode = "read"');
    const shown = await config(scene, false, {});
    const body = shown.slice(shown.indexOf('\n\n') + 2);
    assert.equal(
      body,
      [
        '[permissions]',
        'mode = "read"  # .ion/config.toml:3',
        'denied_paths = [',
        `  "${scene.work}/**/keys",  # .ion/config.toml:2`,
        '  # and 15 by default',
        ']',
        '',
        '# every other value is the default: "ion config --all" shows them',
        '',
      ].join('\n'),
    );
  }));

test('ion config KEY: one key, a table of keys, or an error that names the nearest key', () =>
  inScene(async (scene) => {
    scene.write(`${scene.home}/.ion/config.toml`, everything);
    assert.equal(
      await config(scene, false, {key: 'permissions.mode'}),
      '[permissions]\nmode = "read"  # ~/.ion/config.toml:3\n',
    );
    assert.match(
      await config(scene, false, {key: 'sandbox.limits'}),
      /^\[sandbox\.limits\]\n(\w+ = .*\n){7}$/,
    );
    assert.deepEqual(Object.keys(JSON.parse(await config(scene, true, {key: 'audit'})) as object), [
      'audit.mode',
    ]);
    await assert.rejects(config(scene, false, {key: 'sandbox.netwrk'}), {
      message: 'there is no key "sandbox.netwrk"',
      help: 'did you mean: ion config sandbox.network',
    });
    await assert.rejects(config(scene, false, {key: 'write_roots'}), {
      help: 'did you mean: ion config sandbox.write_roots',
    });
  }));
