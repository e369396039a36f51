/**
 * Read mode's environment. The variables here make a program that only reads run another one, load code, or read its
 * options from a file: they are not passed on, whatever the user's own environment says.
 */
export const droppedVariables: readonly string[] = [
  // bash itself
  'BASH_ENV',
  'ENV',
  'BASH_FUNC_*',
  'BASHOPTS',
  'SHELLOPTS',
  'BASH_LOADABLES_PATH',
  'BASH_XTRACEFD',
  'BASH_COMPAT',
  'PROMPT_COMMAND',
  'PS0',
  'PS1',
  'PS2',
  'PS4',
  'CDPATH',
  'GLOBIGNORE',
  'IFS',
  'POSIXLY_CORRECT',
  // loaders
  'LD_*',
  'DYLD_*',
  'GCONV_PATH',
  'GETCONF_DIR',
  'HOSTALIASES',
  'LOCALDOMAIN',
  'LOCPATH',
  'MALLOC_TRACE',
  'NLSPATH',
  'RESOLV_HOST_CONF',
  'RES_OPTIONS',
  'TZDIR',
  'GLIBC_TUNABLES',
  // pagers and editors
  '*PAGER',
  '*EDITOR',
  'VISUAL',
  'BROWSER',
  'LESS',
  'LESS*',
  'MORE',
  'LV',
  'BAT_*',
  // git
  'GIT_*',
  // options from the environment
  'GREP_OPTIONS',
  'GREP_COLOR',
  'RIPGREP_CONFIG_PATH',
  'FD_*',
  'FZF_*',
  'TREE_*',
  'TAR_OPTIONS',
  'UNZIP*',
  'ZIPOPT',
  'MAGIC',
  'JQ_*',
  'XXD_*',
  'DIFF_OPTIONS',
  'TMPDIR_*',
  // programs that others start, and options for them
  'GREP',
  'GZIP',
  'BZIP*',
  'XZ_*',
  'ZSTD_*',
  'TAPE',
  'DPKG_*',
  'LSOF*',
  // interpreters
  'PYTHON*',
  'PERL*',
  'RUBY*',
  'NODE_*',
  'NPM_CONFIG_*',
  'OPENSSL_*',
  'MAKEFLAGS',
  'GNUMAKEFLAGS',
  'MAKEFILES',
  'GCC_*',
  'COMPILER_PATH',
  'AWK*',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'JDK_JAVA_OPTIONS',
  'LUA_*',
];

/** Not `false`, which is looked for on PATH: nothing can be run by this name. */
const noProgram = '/dev/null';

/**
 * git settings that are put above every configuration file (git 2.31 and later). Those of drivers, which are named by
 * the config itself, come on top (git-drivers.ts).
 */
export const gitSettings: readonly (readonly [string, string])[] = [
  ['core.pager', 'cat'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', noProgram],
  ['core.askPass', noProgram],
  ['core.editor', noProgram],
  ['core.alternateRefsCommand', noProgram],
  ['credential.helper', ''],
  ['gpg.program', noProgram],
  ['gpg.ssh.program', noProgram],
  ['gpg.x509.program', noProgram],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['status.submoduleSummary', 'false'],
  ['diff.submodule', 'short'],
  // git diff writes the index, whatever GIT_OPTIONAL_LOCKS says.
  ['diff.autoRefreshIndex', 'false'],
  ['core.attributesFile', '/dev/null'],
];

/** Variables that read mode sets. */
export const setVariables: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: noProgram,
  GIT_ASKPASS: noProgram,
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Older than that variable, git fetches what a partial clone lacks; and `protocol.ext.allow` of a repository stands above protocol.allow.
  GIT_ALLOW_PROTOCOL: 'none',
  // On a terminal less would run commands and write files for whoever types.
  LESSSECURE: '1',
  LESSHISTFILE: '-',
  // npm makes its cache and a log before it lists anything; a project's .npmrc stands below these.
  npm_config_cache: '/dev/null',
  npm_config_logs_max: '0',
  npm_config_timing: 'false',
  npm_config_update_notifier: 'false',
  PYTHONNOUSERSITE: '1',
  // A first bash whose stdin is a socket takes itself for one of rshd's, and reads ~/.bashrc.
  SHLVL: '2',
  ...gitConfigVariables(gitSettings),
};

/** `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_n`, `GIT_CONFIG_VALUE_n`: see git-config(1), ENVIRONMENT. */
export function gitConfigVariables(settings: typeof gitSettings): Record<string, string> {
  const variables: Record<string, string> = {GIT_CONFIG_COUNT: String(settings.length)};
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

/**
 * Globs of variables that decide what a program runs or loads. Wherever read mode executes a program, these are as ion gave
 * them: the supervisor refuses another value, one more and one that is gone.
 */
export const heldVariables: readonly string[] = [
  ...Object.keys(setVariables).filter((name) => name !== 'SHLVL' && !name.startsWith('GIT_CONFIG_')),
  'GIT_CONFIG*',
  // Not GIT_EXEC_PATH, which git sets itself: what stands there has to be one of the programs all the same.
  'GIT_EXTERNAL_DIFF',
  // Another home, or another folder of attributes, has drivers that were not looked at.
  'HOME',
  'XDG_CONFIG_HOME',
  'GIT_ATTR*',
  'GIT_PROXY_COMMAND',
  'GIT_SEQUENCE_EDITOR',
  'GIT_SSH*',
  'GIT_TEMPLATE_DIR',
  'BASH_ENV',
  'BASH_FUNC_*',
  'ENV',
  'LD_*',
  'GCONV_PATH',
  'EDITOR',
  'VISUAL',
  'BROWSER',
  'LESSOPEN',
  'LESSCLOSE',
  'LESSKEY*',
  'SSH_ASKPASS',
  'RIPGREP_CONFIG_PATH',
  'TAR_OPTIONS',
  'PYTHON*',
  'PERL*',
  'RUBY*',
  'NODE_OPTIONS',
  'NODE_PATH',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'JDK_JAVA_OPTIONS',
];

export const safeEnvironment = {drop: droppedVariables, set: setVariables};
