import assert from 'node:assert/strict';
import {chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {test} from 'node:test';
import {isIonError, renderMessage} from '../../../src/errors.ts';
import {presetNames, type PresetName} from '../../../src/config/network/preset-names.ts';
import {expandPresets} from '../../../src/config/network/presets/expand-presets.ts';
import {isTable} from '../../../src/config/network/network-table.ts';
import {parseLayer} from '../../../src/config/read/parse-layer.ts';
import {problemOf} from './network-support.ts';

interface Machine {
  /** Files by their paths; `~` is the home, `$node` the prefix of Node, `/work` the workspace. `-> FILE` is a symlink. */
  readonly files: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** Every user can write this file. */
  readonly open?: string;
  /** Another user owns this file. */
  readonly foreign?: string;
}

const otherUid = 12_345;

/** The entries of a preset on this machine, or its error. */
function expanded(preset: PresetName, {files, variables = {}, open, foreign}: Machine): string[] | string {
  const root = mkdtempSync(path.join(tmpdir(), 'ion-presets-'));
  const real = (name: string) => path.join(root, name.replace(/^~/, 'home').replace(/^\$node/, 'node'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(real(name)), {recursive: true});
      const target = /^-> (.*)/.exec(text)?.[1];
      if (target === undefined) writeFileSync(real(name), text);
      else symlinkSync(real(target), real(name));
    }
    if (open !== undefined) chmodSync(real(open), 0o646);
    const isRoot = process.getuid!() === 0;
    if (foreign !== undefined && isRoot) chownSync(real(foreign), otherUid, otherUid);
    // Only root can give a file away.
    const uid = foreign !== undefined && !isRoot ? otherUid : process.getuid!();
    const layer = parseLayer(`sandbox.network.allow = ["preset:${preset}"]`, {
      ...{kind: 'config-flag', file: 'c.toml', folder: '/w', home: '/h'},
    });
    const {values} = expandPresets(layer, {
      ...{home: real('~'), root, node: real('$node/bin/node'), writable: [real('/work')], uid},
      environment: variables,
    });
    const network = values['sandbox.network']!.value;
    assert.ok(isTable(network) && network.presets === undefined);
    return (network.allow ?? []).map(({value, from}) => `${value} (${from!.replaceAll(root, '')})`);
  } catch (error) {
    if (!isIonError(error)) throw error;
    return renderMessage({text: error.message, at: error.at, help: error.help}).replaceAll(root, '');
  } finally {
    rmSync(root, {recursive: true});
  }
}

const definitions = 'lib/node_modules/npm/node_modules/@npmcli/config/lib/definitions/definitions.js';
const ownNpm = {
  [`$node/${definitions}`]:
    "  registry: new Definition('registry', {\n    default: 'https://own.example/',\n",
};
const ownPip = {
  '/usr/lib/python3/dist-packages/pip/_internal/models/index.py':
    'PyPI = PackageIndex("https://own.example/", file_storage_domain="files.own.example")\nTestPyPI = PackageIndex(\n    "https://test.example/", file_storage_domain="f.example"\n)\n',
};

const rows: readonly (Machine & {
  readonly name: string;
  readonly preset: PresetName;
  readonly want: readonly string[];
})[] = [
  {
    name: "the tool's own default",
    preset: 'npm',
    files: ownNpm,
    want: [`own.example (preset:npm, /node/${definitions})`],
  },
  {
    name: "the user's file before the system's and the default, and scopes from both",
    preset: 'npm',
    files: {
      ...ownNpm,
      '~/.npmrc': '; x\nregistry = "https://r.example:8443/npm/"\n@a:registry=https://a.example\n',
      '/etc/npmrc': 'registry=https://system.example\n@b:registry=https://b.example\n',
    },
    want: [
      'r.example:8443 (preset:npm, ~/.npmrc)',
      'a.example (preset:npm, ~/.npmrc)',
      'b.example (preset:npm, /etc/npmrc)',
    ],
  },
  {
    name: 'a variable of a trusted layer',
    preset: 'npm',
    files: {...ownNpm, '~/.npmrc': 'registry=https://r.example'},
    variables: {npm_config_registry: 'https://v.example/'},
    want: ['v.example (preset:npm, npm_config_registry)'],
  },
  {
    name: 'pnpm',
    preset: 'pnpm',
    files: {'~/.config/pnpm/rc': 'registry=https://p.example'},
    want: ['p.example (preset:pnpm, ~/.config/pnpm/rc)'],
  },
  {
    name: "pnpm's own default",
    preset: 'pnpm',
    files: {'/usr/lib/node_modules/pnpm/dist/pnpm.cjs': 'x={registry: "https://own.example/",a:1}'},
    want: ['own.example (preset:pnpm, /usr/lib/node_modules/pnpm/dist/pnpm.cjs)'],
  },
  {
    name: 'yarn 1',
    preset: 'yarn',
    files: {'~/.yarnrc': '# x\nregistry "https://y.example/"\n'},
    want: ['y.example (preset:yarn, ~/.yarnrc)'],
  },
  {
    name: 'yarn 4, with a scope',
    preset: 'yarn',
    files: {
      '~/.yarnrc.yml':
        'npmRegistryServer: "https://y.example"\nnpmScopes:\n  a:\n    npmRegistryServer: "https://a.example"\n',
    },
    want: ['y.example (preset:yarn, ~/.yarnrc.yml)', 'a.example (preset:yarn, ~/.yarnrc.yml)'],
  },
  {
    name: "pip's own index, and the host of its files",
    preset: 'pip',
    files: ownPip,
    want: ['own.example', 'files.own.example'].map(
      (host) => `${host} (preset:pip, /usr/lib/python3/dist-packages/pip/_internal/models/index.py)`,
    ),
  },
  {
    name: 'pip.conf, with a second index and one of files',
    preset: 'pip',
    files: {
      ...ownPip,
      '~/.config/pip/pip.conf':
        '[global]\nindex-url = https://i.example/simple\nextra-index-url =\n  https://e.example/simple\n  file:///opt/index\n',
    },
    want: [
      'i.example (preset:pip, ~/.config/pip/pip.conf)',
      'e.example (preset:pip, ~/.config/pip/pip.conf)',
    ],
  },
  {
    name: 'a second index beside the own one',
    preset: 'pip',
    files: {...ownPip, '/etc/pip.conf': '[global]\nextra-index-url: https://e.example\n'},
    want: [
      ...['own.example', 'files.own.example'].map(
        (host) => `${host} (preset:pip, /usr/lib/python3/dist-packages/pip/_internal/models/index.py)`,
      ),
      'e.example (preset:pip, /etc/pip.conf)',
    ],
  },
  {
    name: "bundler: a mirror and gem's sources",
    preset: 'bundler',
    files: {
      '~/.bundle/config':
        '---\nBUNDLE_MIRROR__HTTPS://GEMS__EXAMPLE/: "https://m.example/"\nBUNDLE_PATH: "x"\n',
    },
    want: ['m.example (preset:bundler, ~/.bundle/config)'],
  },
  {
    name: "bundler: gem's sources",
    preset: 'bundler',
    files: {'~/.gemrc': '---\n:sources:\n- https://g.example/\n:update_sources: true\n'},
    want: ['g.example (preset:bundler, ~/.gemrc)'],
  },
  {
    name: 'bundler: the own default',
    preset: 'bundler',
    files: {
      '/usr/lib/ruby/3.1.0/rubygems/defaults.rb':
        '  def self.default_sources\n    %w[https://own.example/]\n  end\n',
    },
    want: ['own.example (preset:bundler, /usr/lib/ruby/3.1.0/rubygems/defaults.rb)'],
  },
  {
    name: 'composer',
    preset: 'composer',
    files: {
      '~/.config/composer/config.json':
        '{"repositories": [{"type": "composer", "url": "https://c.example"}, {"packagist": false}, {"type": "path", "url": "/x"}]}',
    },
    want: ['c.example (preset:composer, ~/.config/composer/config.json)'],
  },
  {
    name: 'cargo: a replaced source and a registry',
    preset: 'cargo',
    files: {
      '~/.cargo/config.toml':
        '[source.crates-io]\nreplace-with = "m"\n[source.m]\nregistry = "sparse+https://c.example/index/"\n[registries.own]\nindex = "https://o.example/git"\n',
    },
    want: [
      'c.example (preset:cargo, ~/.cargo/config.toml)',
      'o.example (preset:cargo, ~/.cargo/config.toml)',
    ],
  },
  {
    name: 'go: proxies and the checksum database',
    preset: 'go',
    files: {'/usr/lib/go-1.22/go.env': '# x\nGOPROXY=https://p.example,direct\nGOSUMDB=sum.example\n'},
    want: [
      'p.example (preset:go, /usr/lib/go-1.22/go.env)',
      'sum.example (preset:go, /usr/lib/go-1.22/go.env)',
    ],
  },
  {
    name: 'maven: a mirror, not the blocked one',
    preset: 'maven',
    files: {
      '~/.m2/settings.xml':
        '<settings><mirrors><!-- <mirror><url>https://no.example</url></mirror> --><mirror><id>b</id><url>http://0.0.0.0/</url><blocked>true</blocked></mirror><mirror><mirrorOf>*</mirrorOf><url>https://m.example/maven2</url></mirror></mirrors></settings>',
    },
    want: ['m.example (preset:maven, ~/.m2/settings.xml)'],
  },
  {
    name: 'a file that the command can write does not count',
    preset: 'npm',
    files: {...ownNpm, '/work/.npmrc': 'registry=https://evil.example', '~/.npmrc': '-> /work/.npmrc'},
    want: [`own.example (preset:npm, /node/${definitions})`],
  },
  {
    name: 'a configuration file that every user can write does not count',
    preset: 'npm',
    files: {...ownNpm, '~/.npmrc': 'registry=https://evil.example'},
    open: '~/.npmrc',
    want: [`own.example (preset:npm, /node/${definitions})`],
  },
  {
    name: 'a configuration file of another user does not count',
    preset: 'npm',
    files: {...ownNpm, '~/.npmrc': 'registry=https://evil.example'},
    foreign: '~/.npmrc',
    want: [`own.example (preset:npm, /node/${definitions})`],
  },
];
for (const {name, preset, want, ...machine} of rows)
  test(`network preset ${preset}: ${name}`, () => assert.deepEqual(expanded(preset, machine), want));

const errors: readonly (Machine & {
  readonly name: string;
  readonly preset: PresetName;
  readonly want: string;
})[] = [
  ...presetNames.map((preset) => ({
    ...{name: `${preset}, without a file`, preset, files: {}},
    want: `ion: "preset:${preset}" finds no registry in the files of this machine\n --> c.toml:1\nhelp: run it once with --set 'sandbox.network.allow=["*"]': the closing lines list the names that it reaches\n`,
  })),
  ...[
    {url: 'http://10.0.0.3:4873/', named: 'http://10.0.0.3:4873', instead: 'tcp://10.0.0.3:4873'},
    {url: 'http://localhost:4873/', named: 'http://localhost:4873', instead: 'localhost:4873'},
    {url: 'http://u:secret@r.example/x', named: 'http://r.example', instead: 'r.example:80'},
    {url: 'https://registry/', named: 'https://registry', instead: 'tcp://registry:443'},
    {url: 'https://[fd00::1]/', named: 'https://[fd00::1]', instead: 'tcp://[fd00::1]:443'},
  ].map(({url, named, instead}) => ({
    ...{name: url, preset: 'npm' as const, files: {'~/.npmrc': `registry=${url}`}},
    want: `ion: "preset:npm" leads to "${named}" (~/.npmrc), which is not a public https host\n --> c.toml:1\nhelp: write: "${instead}"\n`,
  })),
];
for (const {name, preset, want, ...machine} of errors)
  test(`network preset: the error for ${name}`, () => assert.equal(expanded(preset, machine), want));

test('network preset: an unknown name, and one with flags', () => {
  assert.equal(
    problemOf('sandbox.network.allow = ["preset:nmp"]'),
    'ion: sandbox.network.allow[0] must name a preset: "preset:nmp"\n --> c.toml:1\nhelp: write: "preset:npm"\n',
  );
  assert.match(
    problemOf('sandbox.network.allow = [{name = "preset:npm", ports = [443]}]'),
    /must end with a port number/,
  );
});
