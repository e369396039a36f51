import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';
import {setOptionFor} from '../../../../src/config/set-option.ts';
import {parseSet} from '../../../../src/config/read/set-layer.ts';
import {inScene, messageOf, type Scene} from '../scene.ts';

const place = {folder: '/w', home: '/home/u'};

const values: readonly (readonly [argument: string, document: unknown])[] = [
  ['sandbox.network=full', {sandbox: {network: 'full'}}],
  ['sandbox.network="full"', {sandbox: {network: 'full'}}],
  [" sandbox.network = 'full' ", {sandbox: {network: 'full'}}],
  ['sandbox.write_roots+=~/x', {sandbox: {write_roots: ['~/x']}}],
  ['sandbox.write_roots+=["/a", "b"]', {sandbox: {write_roots: ['/a', 'b']}}],
  ['sandbox.write_roots=[]', {sandbox: {write_roots: []}}],
  ['permissions.deny_commands+=git push #x', {permissions: {deny_commands: ['git push #x']}}],
  ['permissions.sandbox=false', {permissions: {sandbox: false}}],
  ['sandbox.limits.open_files=64', {sandbox: {limits: {open_files: 64}}}],
  ['sandbox.limits.memory=4G', {sandbox: {limits: {memory: '4G'}}}],
  ['environment.set.A=b=c', {environment: {set: {A: 'b=c'}}}],
  // Text that TOML reads as a number, for a key that takes text.
  ['environment.set.DEBUG=1', {environment: {set: {DEBUG: '1'}}}],
  ['environment.keep+=1979-05-27', {environment: {keep: ['1979-05-27']}}],
  ['frames."a b"=/x', {frames: {'a b': '/x'}}],
  ['mcp.x.network=full', {mcp: {x: {network: 'full'}}}],
  ['mcp.x.read_roots+=/a', {mcp: {x: {read_roots: ['/a']}}}],
  ['mcp.x.environment.set.A=b', {mcp: {x: {environment: {set: {A: 'b'}}}}}],
  ['mcp.x.pass_unknown=true', {mcp: {x: {pass_unknown: true}}}],
  [
    'permissions.rules+={effect="deny", scope="tool", match="fetch"}',
    {permissions: {rules: [{effect: 'deny', scope: 'tool', match: 'fetch'}]}},
  ],
];
for (const [argument, document] of values) {
  test(`--set ${argument}`, () =>
    assert.equal(JSON.stringify(parseSet(argument, place).document), JSON.stringify(document)));
}

const wrong: readonly (readonly [argument: string, message: string])[] = [
  [
    'network=full',
    'ion: unknown key "network"\n --> --set network=full\nhelp: write: --set sandbox.network=full\n',
  ],
  [
    'sandbox.netwrk=full',
    'ion: unknown key "sandbox.netwrk"\n --> --set sandbox.netwrk=full\nhelp: write: --set sandbox.network=full\n',
  ],
  ['xyzzy=1', 'ion: unknown key "xyzzy"\n --> --set xyzzy=1\nhelp: "ion config --all" shows every key\n'],
  [
    'sandbox.network=on',
    'ion: sandbox.network must be "none", "loopback" or "full", not "on"\n --> --set sandbox.network=on\n',
  ],
  [
    'full',
    'ion: --set "full" is not key=value\nhelp: for example: --set sandbox.network=full, --set sandbox.write_roots+=/srv/data\n',
  ],
  [
    'sandbox.write_roots=/x y',
    "ion: sandbox.write_roots is a list: = takes all of it\n --> --set sandbox.write_roots=/x y\nhelp: to add to it: --set 'sandbox.write_roots+=/x y'\n",
  ],
  [
    'sandbox.limits={timeout="3s",processes=5}',
    'ion: "sandbox.limits" is a section: --set takes one key\n --> --set sandbox.limits={timeout="3s",processes=5}\nhelp: write: --set \'sandbox.limits.timeout="3s"\' --set sandbox.limits.processes=5\n',
  ],
  [
    'sandbox={network="full"}',
    'ion: "sandbox" is a section: --set takes one key\n --> --set sandbox={network="full"}\nhelp: write: --set sandbox.network=full\n',
  ],
  [
    'sandbox={require=["writes"]}',
    'ion: unknown key "sandbox"\n --> --set sandbox={require=["writes"]}\nhelp: write: --set \'permissions.sandbox={require=["writes"]}\'\n',
  ],
  [
    'sandbox.network+=full',
    'ion: sandbox.network is not a list: += adds to lists only\n --> --set sandbox.network+=full\nhelp: --set sandbox.network=full\n',
  ],
  [
    'sandbox.write_roots+=["/x"',
    'ion: bad TOML: expected comma or end of structure\n --> --set sandbox.write_roots+=["/x"\nhelp: in a shell, single quotes keep brackets and "quotes"\n',
  ],
  [
    'sandbox.network="full"\n[[hooks]]',
    'ion: --set takes one key\n --> --set sandbox.network="full"\\n[[hooks]]\nhelp: repeat --set for each\n',
  ],
  // Messages are recorded, and the value may be a secret.
  [
    'environment.set.A B=secret',
    'ion: --set "environment.set.A B=…" is not key=value\nhelp: for example: --set sandbox.network=full, --set sandbox.write_roots+=/srv/data\n',
  ],
];
for (const [argument, message] of wrong) {
  test(`--set ${argument}: the error, and the form that works`, async () =>
    assert.equal(await messageOf(Promise.resolve().then(() => parseSet(argument, place))), message));
}

test('--set: the advice for any value parses to that value', () => {
  for (const value of [
    'full',
    'true',
    '1',
    'a b',
    "it's",
    [],
    ['/x'],
    ['true'],
    ['/a', '/b'],
    ['1979-05-27'],
    ['-x'],
  ]) {
    const option = setOptionFor(Array.isArray(value) ? 'environment.keep' : 'permissions.frame', value);
    const argument = execFileSync('bash', ['-c', `printf %s ${option.slice('--set '.length)}`], {
      encoding: 'utf8',
    });
    const {values} = parseSet(argument, place);
    const read = values['environment.keep']?.map((one) => one.value) ?? values['permissions.frame']?.value;
    assert.deepEqual(read, value, option);
  }
});

async function joined(scene: Scene, ...sets: readonly string[]) {
  const {settings, ignored} = await scene.resolve({sets});
  return {
    network: settings.network.value,
    roots: settings.writeRoots.map(({value}) => value),
    denies: settings.denyCommands.map(({value}) => value),
    rules: settings.rules.map(({effect, match}) => `${effect} ${match}`),
    ignored: ignored.map(({key, why}) => `${key}: ${why}`),
  };
}

const user = `
sandbox.network = "loopback"
sandbox.write_roots = ["/user"]
permissions.deny_commands = ["sudo *"]
permissions.rules = [
  {effect = "deny", scope = "command_prefix", match = "git push"},
  {effect = "allow", scope = "command_prefix", match = "make"},
]
`;

test('--set: the last one wins; = replaces a list, += adds to it, and denials only grow', () =>
  inScene(async (scene) => {
    scene.write(`${scene.home}/.ion/config.toml`, user);
    const both = ['deny git push', 'allow make'];
    const base = {network: 'loopback', roots: ['/user'], denies: ['sudo *'], rules: both, ignored: []};
    assert.deepEqual(await joined(scene), base);
    assert.deepEqual(await joined(scene, 'sandbox.network=none', 'sandbox.network=full'), {
      ...base,
      network: 'full',
    });
    assert.deepEqual(await joined(scene, 'sandbox.write_roots+=/a', 'sandbox.write_roots+=/b'), {
      ...base,
      roots: ['/b', '/a', '/user'],
    });
    assert.deepEqual(await joined(scene, 'sandbox.write_roots+=/a', 'sandbox.write_roots=["b"]'), {
      ...base,
      roots: [`${scene.work}/b`],
    });
    assert.deepEqual(await joined(scene, 'permissions.deny_commands=[]', 'permissions.rules=[]'), {
      ...base,
      rules: ['deny git push'],
    });
  }));

test("--set: under a lock it can only tighten, and only the user's own config may set locked", () =>
  inScene(async (scene) => {
    const {home, write} = scene;
    const why = 'only ~/.ion/config.toml and /etc/ion/config.toml may set it';
    assert.deepEqual((await joined(scene, 'permissions.locked=true')).ignored, [
      `permissions.locked: ${why}`,
    ]);
    write(`${home}/.ion/config.toml`, `${user}permissions.locked = true\n`);
    const locked = 'locked by ~/.ion/config.toml:9';
    assert.deepEqual(
      await joined(
        scene,
        'sandbox.network=full',
        'sandbox.write_roots=["/a"]',
        'permissions.rules=[]',
        'permissions.deny_commands+=make *',
      ),
      {
        network: 'loopback',
        roots: ['/user'],
        denies: ['make *', 'sudo *'],
        rules: ['deny git push', 'allow make'],
        ignored: [`sandbox.write_roots: ${locked}`, `sandbox.network: ${locked}`],
      },
    );
    assert.equal((await joined(scene, 'sandbox.network=none')).network, 'none');
  }));

test('--set: chooses trust as --config does, and no project can override that', () =>
  inScene(async (scene) => {
    const {work, write} = scene;
    write('.ion/config.toml', 'sandbox.network = "full"\npermissions.trusted_paths = ["/"]\n');
    assert.equal((await joined(scene)).network, 'none');
    const trusting = `permissions.trusted_paths+=${work}`;
    assert.equal((await joined(scene, trusting)).network, 'full');
    assert.equal((await joined(scene, trusting, 'permissions.trusted_paths=[]')).network, 'none');
  }));
