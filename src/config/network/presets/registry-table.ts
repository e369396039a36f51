import type {PresetName} from '../preset-names.ts';
import {
  bundlerYaml,
  cargoToml,
  composerJson,
  goEnv,
  mavenXml,
  npmrc,
  pipConf,
  yarnrc,
  yarnrcYaml,
  type ReadRegistries,
} from './registry-files.ts';

/** The places where a package manager names its registry. No list of hosts: each comes from this machine's files. */
export interface RegistryPlaces {
  /** Variables of the command that name it, the strongest first. */
  readonly variables: readonly string[];
  /** Configuration files of the user, then of the system. `*` is any one name. */
  readonly files: readonly (readonly [string, ReadRegistries])[];
  /**
   * The tool's own source, and the text before the default in it. The first group is the registry; further groups are additional
   * registries.
   */
  readonly sources: readonly (readonly [string, RegExp])[];
}

/** The folders where npm installs global packages: beside Node, and those of distributions. `$node` is Node's own prefix. */
const globalPackages = [
  '$node/lib/node_modules',
  '/usr/local/lib/node_modules',
  '/usr/lib/node_modules',
  '/usr/share/nodejs',
  '~/.nvm/versions/node/*/lib/node_modules',
];
const inPackages = (file: string, pattern: RegExp) =>
  globalPackages.map((folder) => [`${folder}/${file}`, pattern] as const);

const ofNpm = [
  ['~/.npmrc', npmrc],
  ['$node/etc/npmrc', npmrc],
  ['/usr/local/etc/npmrc', npmrc],
  ['/usr/etc/npmrc', npmrc],
  ['/etc/npmrc', npmrc],
] as const;

const pythonPackages = [
  '~/.pyenv/versions/*/lib/*/site-packages',
  '/usr/local/lib/*/site-packages',
  '/usr/local/lib/*/dist-packages',
  '/usr/lib/*/dist-packages',
  '/usr/lib/*/site-packages',
];

export const registryTable: Readonly<Record<PresetName, RegistryPlaces>> = {
  npm: {
    variables: ['npm_config_registry', 'NPM_CONFIG_REGISTRY'],
    files: ofNpm,
    sources: inPackages(
      'npm/node_modules/@npmcli/config/lib/definitions/definitions.js',
      /new Definition\('registry', \{\s*default: '([^']+)'/,
    ),
  },
  pnpm: {
    variables: ['npm_config_registry', 'pnpm_config_registry'],
    files: [['~/.config/pnpm/rc', npmrc], ...ofNpm],
    sources: [
      ...inPackages('pnpm/dist/pnpm.cjs', /\bregistry: ?"(https:[^"]+)"/),
      ...inPackages('pnpm/dist/pnpm.mjs', /\bregistry: ?"(https:[^"]+)"/),
    ],
  },
  yarn: {
    variables: ['YARN_NPM_REGISTRY_SERVER', 'YARN_REGISTRY', 'npm_config_registry'],
    files: [['~/.yarnrc.yml', yarnrcYaml], ['~/.yarnrc', yarnrc], ...ofNpm],
    sources: [
      ...inPackages('yarn/lib/cli.js', /\bYARN_REGISTRY = '(https:[^']+)'/),
      ['~/.cache/node/corepack/v1/yarn/*/yarn.js', /npmRegistryServer:\{[^}]*?default:"(https:[^"]+)"/],
    ],
  },
  pip: {
    variables: ['PIP_INDEX_URL'],
    files: [
      ['~/.config/pip/pip.conf', pipConf],
      ['~/.pip/pip.conf', pipConf],
      ['/etc/pip.conf', pipConf],
      ['/etc/xdg/pip/pip.conf', pipConf],
    ],
    sources: pythonPackages.map((folder) => [
      `${folder}/pip/_internal/models/index.py`,
      /^PyPI = PackageIndex\(\s*"([^"]+)",\s*file_storage_domain="([^"]+)"/m,
    ]),
  },
  bundler: {
    variables: [],
    files: [
      ['~/.bundle/config', bundlerYaml],
      ['~/.gemrc', bundlerYaml],
      ['/etc/gemrc', bundlerYaml],
    ],
    sources: [
      '/usr/local/lib/ruby/*/rubygems/defaults.rb',
      '/usr/lib/ruby/*/rubygems/defaults.rb',
      '~/.rbenv/versions/*/lib/ruby/*/rubygems/defaults.rb',
    ].map((file) => [file, /def self\.default_sources\s+%w\[(\S+?)\]/]),
  },
  composer: {
    variables: [],
    files: [
      ['~/.config/composer/config.json', composerJson],
      ['~/.composer/config.json', composerJson],
    ],
    sources: ['/usr/share/php/Composer/Config.php', '/usr/local/bin/composer', '/usr/bin/composer'].map(
      (file) => [file, /'type' => 'composer',\s*'url' => '(https:[^']+)'/],
    ),
  },
  // These three have their default in a binary. Only a configuration file names a host.
  cargo: {
    variables: [],
    files: [
      ['~/.cargo/config.toml', cargoToml],
      ['~/.cargo/config', cargoToml],
    ],
    sources: [],
  },
  go: {
    variables: ['GOPROXY'],
    files: [
      ['~/.config/go/env', goEnv],
      ['/usr/local/go/go.env', goEnv],
      ['/usr/lib/*/go.env', goEnv],
      ['/usr/share/*/go.env', goEnv],
    ],
    sources: [],
  },
  maven: {
    variables: [],
    files: [
      ['~/.m2/settings.xml', mavenXml],
      ['/etc/maven/settings.xml', mavenXml],
      ['/usr/share/maven/conf/settings.xml', mavenXml],
    ],
    sources: [],
  },
};
