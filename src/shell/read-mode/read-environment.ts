/**
 * Read mode's environment. These variables make a program that only reads run another program, load code, or read options
 * from a file. Read mode removes them, whatever the user's own environment contains.
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
  // names and options of other programs
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

/** A path that cannot be executed. Not `false`, which is looked up on PATH. */
const noProgram = '/dev/null';

/**
 * Git settings that override every configuration file (git 2.31 and later). The drivers that the config itself names are
 * overridden too (git-drivers.ts).
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
  // git diff writes the index even with GIT_OPTIONAL_LOCKS=0.
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
  // Git versions before GIT_NO_LAZY_FETCH fetch the objects that a partial clone lacks, and a repository's
  // `protocol.ext.allow` overrides protocol.allow.
  GIT_ALLOW_PROTOCOL: 'none',
  // On a terminal, the user of less could run commands and write files.
  LESSSECURE: '1',
  LESSHISTFILE: '-',
  // npm creates its cache and a log before it lists anything. These variables override a project's .npmrc.
  npm_config_cache: '/dev/null',
  npm_config_logs_max: '0',
  npm_config_timing: 'false',
  npm_config_update_notifier: 'false',
  PYTHONNOUSERSITE: '1',
  // A top-level bash whose stdin is a socket believes that rshd started it, and reads ~/.bashrc.
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
 * Globs of variables that decide what a program runs or loads. At each execution in read mode they must be as ion set them. The
 * supervisor refuses an execution with another value, an added one or a missing one.
 */
export const heldVariables: readonly string[] = [
  ...Object.keys(setVariables).filter((name) => name !== 'SHLVL' && !name.startsWith('GIT_CONFIG_')),
  'GIT_CONFIG*',
  // GIT_EXEC_PATH is not here, because git sets it itself. A program in that folder must still be one of the allowed
  // programs.
  'GIT_EXTERNAL_DIFF',
  // Another home, or another folder of attributes, may contain drivers that were not checked.
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
