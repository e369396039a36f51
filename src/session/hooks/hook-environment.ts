import {trustedSearchPath, type RunFolders} from '../../sandbox/plan/run-folders.ts';
import {scrubEnvironment} from '../../sandbox/plan/scrub-environment.ts';
import {safeEnvironment} from '../../shell/read-mode/read-environment.ts';
import {plainPath} from '../command-environment.ts';

/**
 * What makes a program load code, run another program or read its settings from elsewhere. A hook is the user's own: what the
 * caller of ion has set (npm, make, an agent, a project's `.envrc`) must not change what it does.
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
  /** ion's own home: settings of programs are read from there. */
  readonly home: string | undefined;
  readonly temp: string;
}

/** The environment of a hook. Python 3.11 and later does not look for modules in the workspace. */
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
