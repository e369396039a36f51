import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {test} from 'node:test';
import {presets} from 'ion:presets';
import {isWithin} from '../../../src/system/is-within.ts';
import {findPresets} from '../../../src/sandbox/toolchains/find-presets.ts';
import type {Violation} from '../../../src/sandbox/violation.ts';
import {planToolchains, type ToolchainInput} from '../../../src/sandbox/toolchains/plan-toolchains.ts';
import {isExpected} from '../../../src/session/report/expected.ts';
import {toolchainsHere} from '../../../src/sandbox/toolchains/toolchains-here.ts';
import {IonError} from '../../../src/errors.ts';
import {defaults, inUserFile, sourced} from '../policy/support.ts';

const cache = '/home/u/.cache/ion/k';

interface Situation extends Partial<Omit<ToolchainInput, 'found' | 'exists'>> {
  readonly preset: string;
  readonly there?: readonly string[];
}

function planned({preset, there = [], ...more}: Situation): ReturnType<typeof planToolchains> {
  const found = presets.filter(({name}) => name === preset).map((one) => ({preset: one, because: 'here'}));
  return planToolchains({
    found,
    cache: {path: cache},
    home: '/home/u',
    tops: ['/home/u/ws'],
    environment: {},
    network: 'full',
    writeRoots: ['/home/u/ws', '/tmp'],
    exists: (path) => there.includes(path),
    ...more,
  });
}

function variables(situation: Situation): Record<string, string> {
  const all = planned(situation).presets.flatMap((preset) => preset.variables);
  return Object.fromEntries(
    all.map(({name, value, behind}) => [name, behind + value.replaceAll(cache, '{cache}')]),
  );
}

/** The condition for each preset, and the variables that it sets for a run with an open network. */
const table: Readonly<
  Record<string, {readonly markers: readonly string[]; readonly sets: Record<string, string>}>
> = {
  bun: {
    markers: ['bun.lock'],
    sets: {BUN_INSTALL_CACHE_DIR: '{cache}/bun', BUN_RUNTIME_TRANSPILER_CACHE_PATH: '{cache}/bun-transpiled'},
  },
  c: {markers: ['CMakeLists.txt'], sets: {CCACHE_DIR: '{cache}/ccache'}},
  deno: {markers: ['deno.json'], sets: {DENO_DIR: '{cache}/deno', DENO_NO_UPDATE_CHECK: '1'}},
  dotnet: {
    markers: ['global.json'],
    sets: {
      NUGET_PACKAGES: '{cache}/nuget',
      NUGET_HTTP_CACHE_PATH: '{cache}/nuget-http',
      DOTNET_CLI_TELEMETRY_OPTOUT: '1',
      DOTNET_NOLOGO: '1',
    },
  },
  go: {markers: ['go.mod'], sets: {GOCACHE: '{cache}/go-build', GOMODCACHE: '{cache}/go-mod'}},
  home: {markers: [], sets: {}},
  java: {
    markers: ['pom.xml', 'build.gradle'],
    sets: {
      MAVEN_OPTS:
        '-Duser.home={cache}/maven-home -Dmaven.repo.local={cache}/maven -Dmaven.repo.local.tail=/home/u/.m2/repository',
      GRADLE_USER_HOME: '{cache}/gradle',
    },
  },
  node: {
    markers: ['package.json'],
    sets: {
      npm_config_cache: '{cache}/npm',
      npm_package_config_node_gyp_devdir: '{cache}/node-gyp',
      PNPM_HOME: '{cache}/pnpm',
      pnpm_config_store_dir: '{cache}/pnpm/store',
      pnpm_config_cache_dir: '{cache}/pnpm/cache',
      pnpm_config_state_dir: '{cache}/pnpm/state',
      YARN_CACHE_FOLDER: '{cache}/yarn',
      YARN_GLOBAL_FOLDER: '{cache}/yarn-berry',
      COREPACK_HOME: '{cache}/corepack',
      npm_config_update_notifier: 'false',
      NO_UPDATE_NOTIFIER: '1',
    },
  },
  php: {
    markers: ['composer.json'],
    sets: {COMPOSER_CACHE_DIR: '{cache}/composer', COMPOSER_HOME: '{cache}/composer-home'},
  },
  python: {
    markers: ['pyproject.toml', 'requirements.txt'],
    sets: {
      PIP_CACHE_DIR: '{cache}/pip',
      UV_CACHE_DIR: '{cache}/uv',
      POETRY_CACHE_DIR: '{cache}/poetry',
      VIRTUALENV_OVERRIDE_APP_DATA: '{cache}/virtualenv',
      PIPENV_CACHE_DIR: '{cache}/pipenv',
      CONDA_PKGS_DIRS: '{cache}/conda',
      UV_LINK_MODE: 'copy',
    },
  },
  ruby: {
    markers: ['Gemfile'],
    sets: {BUNDLE_USER_HOME: '{cache}/bundle', GEM_SPEC_CACHE: '{cache}/gem-specs'},
  },
  rust: {markers: ['Cargo.toml'], sets: {CARGO_HOME: '{cache}/cargo'}},
};

test('presets: the table has a row for each', () => {
  assert.deepEqual(
    presets.map(({name}) => name),
    Object.keys(table),
  );
});

for (const [name, {markers, sets}] of Object.entries(table)) {
  const preset = presets.find((one) => one.name === name)!;
  test(`presets: ${name}: when it applies`, () => assert.deepEqual(preset.markers, markers));
  test(`presets: ${name}: what it sets`, () => assert.deepEqual(variables({preset: name}), sets));
  test(`presets: ${name}: no path that it opens contains one that it closes`, () => {
    const opened = [
      ...preset.read.map(({path}) => path),
      ...preset.install.flatMap(({read}) => read),
      ...preset.cache.flatMap(({default: base, offline = []}) =>
        offline.map((part) => (part === '' ? base : `${base}/${part}`)),
      ),
    ];
    for (const {path} of preset.closed) {
      assert.deepEqual(
        opened.filter((folder) => isWithin(path, folder) || isWithin(folder, path)),
        [],
        path,
      );
    }
  });
  test(`presets: ${name}: only in the workspace's cache`, () => {
    const {roots} = planned({preset: name});
    const written = roots.filter(({grant}) => grant !== 'read').map(({path, grant}) => `${grant} ${path}`);
    const uses = Object.values(sets).some((value) => value.includes('{cache}'));
    assert.deepEqual(written, uses ? [`write ${cache}`] : []);
  });
}

test('presets: every cache has a folder of its own', () => {
  const folders = presets.flatMap(({cache: rows}) => rows).map(({folder}) => folder);
  const shared = folders.filter((folder, index) => folders.indexOf(folder) !== index);
  assert.deepEqual(shared, ['pnpm/store', 'pnpm/cache']);
});

const cases: readonly {
  readonly name: string;
  readonly situation: Situation;
  readonly variable: string;
  readonly want: string | undefined;
  readonly reads?: readonly string[];
}[] = [
  {
    name: "a user's value outside the write roots is replaced",
    situation: {preset: 'go', environment: {GOCACHE: '/home/u/gocache'}},
    variable: 'GOCACHE',
    want: '{cache}/go-build',
  },
  {
    name: "a user's value in a write root stays",
    situation: {preset: 'go', environment: {GOCACHE: '/tmp/gocache'}},
    variable: 'GOCACHE',
    want: undefined,
  },
  {
    name: "a user's value beside a write root is replaced",
    situation: {preset: 'go', environment: {GOCACHE: '/tmp-evil'}},
    variable: 'GOCACHE',
    want: '{cache}/go-build',
  },
  {
    name: 'an empty value counts as unset',
    situation: {preset: 'go', environment: {GOCACHE: ''}},
    variable: 'GOCACHE',
    want: '{cache}/go-build',
  },
  {
    name: 'npm accepts other spellings: in a write root the value stays',
    situation: {preset: 'node', environment: {NPM_CONFIG_CACHE: '/tmp/npm'}},
    variable: 'npm_config_cache',
    want: undefined,
  },
  {
    name: "a neutral setting keeps the user's value",
    situation: {preset: 'node', environment: {npm_config_update_notifier: 'true'}},
    variable: 'npm_config_update_notifier',
    want: undefined,
  },
  {
    name: 'with a closed network tools do not retry',
    situation: {preset: 'node', network: 'none'},
    variable: 'npm_config_fetch_retries',
    want: '0',
  },
  {
    name: 'with a closed network npm does not ask for an audit',
    situation: {preset: 'node', network: 'none'},
    variable: 'npm_config_audit',
    want: 'false',
  },
  {
    name: 'with a network it does',
    situation: {preset: 'node', network: 'full'},
    variable: 'npm_config_audit',
    want: undefined,
  },
  {
    name: 'with network = "loopback" there may be a registry',
    situation: {preset: 'node', network: 'loopback'},
    variable: 'npm_config_fetch_retries',
    want: undefined,
  },
  {
    name: "options are appended to the user's",
    situation: {preset: 'java', environment: {MAVEN_OPTS: '-Xmx1g'}},
    variable: 'MAVEN_OPTS',
    want: '-Xmx1g -Duser.home={cache}/maven-home -Dmaven.repo.local={cache}/maven -Dmaven.repo.local.tail=/home/u/.m2/repository',
  },
  {
    name: 'options cannot contain a path with a space',
    situation: {preset: 'java', home: '/home/a b'},
    variable: 'MAVEN_OPTS',
    want: undefined,
  },
  {
    name: 'no network, and an existing cache: it is readable',
    situation: {preset: 'rust', network: 'none', there: ['/home/u/.cargo/registry']},
    variable: 'CARGO_HOME',
    want: undefined,
    reads: ['/home/u/.cargo/registry'],
  },
  {
    name: 'no network, and no cache',
    situation: {preset: 'rust', network: 'none'},
    variable: 'CARGO_HOME',
    want: '{cache}/cargo',
    reads: [],
  },
  {
    name: 'no network, and the workspace has its own',
    situation: {preset: 'rust', network: 'none', there: ['/home/u/.cargo/registry', `${cache}/cargo`]},
    variable: 'CARGO_HOME',
    want: '{cache}/cargo',
    reads: [],
  },
  {
    name: "an open network: the user's own cache is not readable",
    situation: {preset: 'rust', network: 'full', there: ['/home/u/.cargo/registry']},
    variable: 'CARGO_HOME',
    want: '{cache}/cargo',
    reads: [],
  },
  {
    name: "no network: the user's own location of the cache",
    situation: {
      preset: 'rust',
      network: 'none',
      environment: {CARGO_HOME: '/srv/cargo'},
      there: ['/srv/cargo/registry', '/home/u/.cargo/registry'],
    },
    variable: 'CARGO_HOME',
    want: undefined,
    reads: ['/srv/cargo/registry'],
  },
  {
    name: 'no network: Maven reads the own repository and no settings',
    situation: {preset: 'java', network: 'none', there: ['/home/u/.m2/repository']},
    variable: 'MAVEN_OPTS',
    want: '-Duser.home={cache}/maven-home -Dmaven.repo.local=/home/u/.m2/repository',
  },
  {
    name: 'no place for a cache: nothing changes',
    situation: {preset: 'node', cache: {why: 'no home'}},
    variable: 'npm_config_cache',
    want: undefined,
  },
  {
    name: "Yarn 2 keeps the workspace's own cache",
    situation: {preset: 'node', there: ['/home/u/ws/.yarnrc.yml']},
    variable: 'YARN_CACHE_FOLDER',
    want: undefined,
  },
  {
    name: 'pnpm where it is installed',
    situation: {preset: 'node', there: ['/home/u/ws/pnpm-lock.yaml']},
    variable: 'npm_config_store_dir',
    want: '{cache}/pnpm/store',
  },
];
for (const {name, situation, variable, want, reads} of cases) {
  test(`presets: ${name}`, () => {
    assert.equal(variables(situation)[variable], want);
    if (!reads) return;
    const opened = planned(situation)
      .roots.filter(({grant}) => grant === 'read')
      .map(({path}) => path);
    assert.deepEqual(
      opened.filter((path) => !/\/(?:config|config\.toml|\.rustup)$/.test(path)),
      reads,
    );
  });
}

test('presets: a replaced value is reported, and other spellings are removed', () => {
  const environment = {NPM_CONFIG_CACHE: '/opt/npm', Npm_Config_Cache: '/opt/other'};
  const [variable] = planned({preset: 'node', environment}).presets[0]!.variables;
  assert.equal(variable!.instead, '/opt/other');
  assert.deepEqual(variable!.spellings, ['NPM_CONFIG_CACHE', 'Npm_Config_Cache']);
});

test('presets: an unchanged value has a reason', () => {
  const {presets: of} = planned({preset: 'go', environment: {GOCACHE: '/tmp/x'}, cache: {why: 'it rains'}});
  assert.deepEqual(of[0]!.notes, [
    'GOCACHE stays /tmp/x: it is in a write root',
    'GOMODCACHE is unchanged: it rains',
  ]);
});

const exist = (paths: readonly string[]): boolean[] => paths.map((file) => existsSync(file));

test('presets: found by a program on PATH, a marker, or their name', () => {
  const found = (wanted: 'auto' | string[], tops: string[], searchPath: string): string[] =>
    findPresets({wanted, presets, tops, searchPath, exist}).map(
      ({preset, because}) => `${preset.name}: ${because}`,
    );
  assert.deepEqual(found('auto', ['/nowhere'], '/nowhere:relative::/usr/sbin'), []);
  assert.deepEqual(found([], [process.cwd()], process.env['PATH']!), []);
  assert.deepEqual(found('auto', ['/nowhere', process.cwd()], ''), ['node: package.json is here']);
  assert.deepEqual(found(['go', 'rust'], [], ''), [
    'go: named in sandbox.toolchains',
    'rust: named in sandbox.toolchains',
  ]);
});

test('presets: an unknown preset is an error', () => {
  const toolchains = sourced(['node', 'nodejs'], inUserFile(7));
  const place = {
    config: {settings: {...defaults, toolchains}, workspace: '/nowhere'},
    inputs: {cwd: '/nowhere', repositoryTop: undefined, home: undefined},
    environment: {},
    uid: 0,
    writeRoots: [],
    exist,
    create: false,
  };
  assert.throws(
    () => toolchainsHere(place),
    (error) =>
      error instanceof IonError &&
      error.message === 'sandbox.toolchains names an unknown toolchain: "nodejs"' &&
      error.at?.line === 7,
  );
});

test('presets: none in read mode', () => {
  const settings = {...defaults, mode: sourced('read' as const)};
  const plan = toolchainsHere({
    config: {settings, workspace: '/nowhere'},
    inputs: {cwd: process.cwd(), repositoryTop: undefined, home: '/nowhere'},
    environment: process.env,
    uid: 0,
    writeRoots: [],
    exist,
    create: true,
  });
  assert.deepEqual([plan.presets, plan.roots], [[], []]);
});

const refusals: readonly {
  readonly name: string;
  readonly violation: Partial<Violation>;
  readonly want: boolean;
}[] = [
  {name: 'the path itself', violation: {target: '/home/u/.cargo/.package-cache'}, want: true},
  {name: 'below it', violation: {target: '/home/u/.cargo/.package-cache/x'}, want: true},
  {name: 'beside it', violation: {target: '/home/u/.cargo/.package-cache-x'}, want: false},
  {name: 'of its own process', violation: {target: '/proc/7/coredump_filter'}, want: true},
  {name: 'of another process', violation: {target: '/proc/8/coredump_filter'}, want: false},
  {name: 'a read', violation: {target: '/home/u/.cargo/.package-cache', operation: 'read'}, want: false},
  ...[
    {program: '/usr/bin/gdb', syscall: 'mkdir', target: '/usr/share/gdb/python/gdb/__pycache__', want: true},
    {program: '/usr/bin/python3.11', syscall: 'mkdir', target: '/srv/lib/__pycache__', want: true},
    {
      program: '/usr/bin/python3.11',
      syscall: 'openat',
      target: '/srv/__pycache__/x.cpython-311.pyc.140',
      want: true,
    },
    {program: '/usr/bin/mkdir', syscall: 'mkdir', target: '/srv/lib/__pycache__', want: false},
    {program: '/usr/bin/python3.11', syscall: 'openat', target: '/srv/__pycache__/x', want: false},
    {program: '/usr/bin/python3.11', syscall: 'unlink', target: '/srv/lib/__pycache__', want: false},
    {program: '/usr/bin/node', syscall: 'link', target: `/srv/_tmp_7_${'0a'.repeat(16)}`, want: true},
    {program: '/usr/bin/node', syscall: 'mkdir', target: `/srv/_tmp_7_${'0a'.repeat(16)}`, want: true},
    {program: '/usr/bin/node', syscall: 'link', target: `/srv/_tmp_7_${'0a'.repeat(16)}/x`, want: false},
    {program: '/usr/bin/ln', syscall: 'link', target: `/srv/_tmp_7_${'0a'.repeat(16)}`, want: false},
  ].map(({want, ...violation}) => ({
    name: `a probe: ${violation.program} ${violation.syscall} ${violation.target}`,
    violation,
    want,
  })),
  {
    name: 'a protected file',
    violation: {target: '/home/u/.cargo/.package-cache', rule: 'protected'},
    want: false,
  },
];
for (const {name, violation, want} of refusals) {
  test(`presets: an expected refusal: ${name}: ${want}`, () => {
    const base = {
      operation: 'write',
      rule: 'outside',
      pid: 7,
      number: 1,
      syscall: 'openat',
      program: 'x',
    } as const;
    const expected = ['/home/u/.cargo/.package-cache', '/proc/self/coredump_filter'];
    assert.equal(isExpected({...base, target: '', detail: '', ...violation}, expected), want);
  });
}

const followed: readonly {name: string; environment: Record<string, string>; want: string}[] = [
  {name: 'not set', environment: {}, want: '/home/u/.rustup'},
  {name: 'elsewhere', environment: {RUSTUP_HOME: '/srv/rust/../rustup/'}, want: '/srv/rustup'},
  {name: 'home', environment: {RUSTUP_HOME: '/home/u/'}, want: '/home/u/.rustup'},
  {
    name: 'a folder that contains home',
    environment: {RUSTUP_HOME: '/home/u/x/../..'},
    want: '/home/u/.rustup',
  },
  {name: 'not absolute', environment: {RUSTUP_HOME: 'rustup'}, want: '/home/u/.rustup'},
];
for (const {name, environment, want} of followed) {
  test(`presets: RUSTUP_HOME is used: ${name}`, () => {
    const opened = planned({preset: 'rust', environment}).roots.map(({path}) => path);
    assert.deepEqual(
      opened.filter((path) => /rustup|^\/home\/u$|^\/home$/.test(path)),
      [want],
    );
  });
}
