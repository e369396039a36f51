import {matchGlob} from './match/glob.ts';

/**
 * Variables that tools and shells take settings from, rather than secrets: names in upper case, or how they begin. Without
 * one the user's own word is lost (`npm_config_ignore_scripts`, `GIT_CONFIG_*`, a proxy), or a default takes its place
 * that is wider: bash without PATH looks for programs in the current folder.
 */
const settings = [
  ...['PATH', 'HOME', 'SHELL', 'USER', 'LOGNAME', 'HOSTNAME', 'PWD', 'OLDPWD', 'SHLVL', 'UMASK'],
  ...[
    'TERM',
    'TERM_*',
    'COLORTERM',
    'COLUMNS',
    'LINES',
    'NO_COLOR',
    'FORCE_COLOR',
    'LANG',
    'LANGUAGE',
    'LC_*',
    'TZ',
  ],
  ...[
    'TMPDIR',
    'TMP',
    'TEMP',
    'XDG_*',
    'CI',
    'EDITOR',
    'VISUAL',
    'PAGER',
    'BROWSER',
    'DISPLAY',
    'DO_NOT_TRACK',
  ],
  ...[
    'BASH_*',
    'LD_*',
    'DYLD_*',
    'GIT_*',
    'HUSKY',
    'HUSKY_*',
    'LEFTHOOK',
    'LEFTHOOK_*',
    'PRE_COMMIT_*',
    'SKIP',
  ],
  ...['NPM_CONFIG_*', 'YARN_*', 'PNPM_*', 'BUN_*', 'COREPACK_*', 'NODE_*', 'DENO_*', 'TURBO_*', 'NX_*'],
  ...['PYTHON*', 'PIP_*', 'UV_*', 'POETRY_*', 'PDM_*', 'VIRTUAL_ENV', 'CONDA_*', 'CARGO_*', 'RUST*'],
  ...[
    'GO111MODULE',
    'GOENV',
    'GOFLAGS',
    'GOINSECURE',
    'GONOPROXY',
    'GONOSUMDB',
    'GOPATH',
    'GOPRIVATE',
    'GOPROXY',
  ],
  ...['GOROOT', 'GOSUMDB', 'GOTOOLCHAIN', 'GOVCS', 'GOMODCACHE', 'GOCACHE', 'CGO_*'],
  ...['JAVA_*', '_JAVA_OPTIONS', 'JDK_*', 'MAVEN_*', 'MVN_*', 'GRADLE_*', 'DOTNET_*', 'NUGET_*', 'PERL*'],
  ...[
    'RUBY*',
    'GEM_*',
    'BUNDLE_*',
    'COMPOSER_*',
    'MAKEFLAGS',
    'MAKELEVEL',
    'CC',
    'CXX',
    'CFLAGS',
    'CXXFLAGS',
    'LDFLAGS',
  ],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'FTP_PROXY',
    'NO_PROXY',
    'SSL_*',
    'CURL_*',
    'REQUESTS_CA_BUNDLE',
  ],
  ...['DOCKER_*', 'HOMEBREW_*', 'ELECTRON_*', 'PUPPETEER_*', 'PLAYWRIGHT_*', 'CYPRESS_*', 'ION_*'],
];

export function isToolSetting(name: string): boolean {
  const upper = name.toUpperCase();
  return settings.some((setting) => matchGlob(setting, upper));
}

/**
 * Whether a glob over names is meant for settings: it is one, takes one of them in, or begins as they do. Not `*_DSN`, which
 * a setting may match as well: that one stays where nobody trusted the glob.
 */
export function namesToolSettings(glob: string): boolean {
  const upper = glob.toUpperCase();
  return settings.some(
    (setting) => matchGlob(setting, upper) || matchGlob(upper, setting.replace(/\*$/, 'X')),
  );
}
