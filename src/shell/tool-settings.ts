import {matchGlob} from './match/glob.ts';

/**
 * Names or prefixes, in upper case, of variables that configure tools and shells and are not secrets. Removing one would
 * lose a setting of the user (`npm_config_ignore_scripts`, `GIT_CONFIG_*`, a proxy) or replace it by a wider default: bash
 * without PATH searches the current folder for programs.
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
 * Reports whether a glob over names targets settings: it equals one, matches one, or begins like one. `*_DSN` does not
 * count, although a setting may match it: an untrusted glob does not remove that setting.
 */
export function namesToolSettings(glob: string): boolean {
  const upper = glob.toUpperCase();
  return settings.some(
    (setting) => matchGlob(setting, upper) || matchGlob(upper, setting.replace(/\*$/, 'X')),
  );
}
