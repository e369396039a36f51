import {trustedSearchPath, type RunFolders} from '../../sandbox/plan/run-folders.ts';
import {scrubEnvironment} from '../../sandbox/plan/scrub-environment.ts';
import {safeEnvironment} from '../../shell/read-mode/read-environment.ts';
import {plainPath} from '../command-environment.ts';

/**
 * Variables that make a program load code, run another program or read its settings from elsewhere. A hook belongs to the user.
 * Variables that ion's caller has set (npm, make, an agent, a project's `.envrc`) must not change its behaviour.
 */
const dropped: readonly string[] = [
  ...safeEnvironment.drop,
  'NODE_*',
  'PERL5*',
  'BASH_*',
  'ZDOTDIR',
  'FPATH',
  'GEM_*',
  'BUNDLE_*',
  'BUNDLER_*',
  'PHPRC',
  'PHP_*',
  'TCLLIBPATH',
  'GROOVY_*',
  'DENO_*',
  'BUN_*',
  'NPM_CONFIG_*',
  'XDG_CONFIG_*',
  'XDG_DATA_*',
  'CURL_HOME',
  'WGETRC',
  'OPENSSL_*',
  'SSL_CERT_*',
  'GNUPGHOME',
  'AWKPATH',
  'AWKLIBPATH',
  'INPUTRC',
  'VIMINIT',
  'EXINIT',
  'TMUX*',
  'MAKE*',
  'ION_*',
];

export interface HookFolders {
  readonly folders: RunFolders;
  /** ion's own home, from which programs read their settings. */
  readonly home: string | undefined;
  readonly temp: string;
}

/** The environment of a hook. It keeps Python 3.11 and later from loading modules of the workspace. */
export function hookVariables(
  variables: Readonly<Record<string, string | undefined>>,
  {folders, home, temp}: HookFolders,
): Record<string, string> {
  const scrubbed = scrubEnvironment(variables, {exclude: dropped, keep: [], set: {}}).variables;
  const searchPath = trustedSearchPath(scrubbed['PATH'] ?? '', folders).join(':');
  return {
    ...scrubbed,
    PATH: searchPath || plainPath,
    ...(home === undefined ? {} : {HOME: home}),
    TMPDIR: temp,
    PYTHONSAFEPATH: '1',
  };
}
