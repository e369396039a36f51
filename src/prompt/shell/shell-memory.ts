/** One variable as `declare -p` prints it. `source` is its value in bash's own quoting, checked to contain no expansion. */
export interface ShellVariable {
  readonly name: string;
  /** Letters of `declare`: `x` exported, `a` array, `r` readonly ... */
  readonly flags: string;
  /** Undefined: declared without a value. */
  readonly source: string | undefined;
}

export interface ShellFunction {
  readonly name: string;
  /** The definition as `declare -f` prints it: exactly one function of this name. */
  readonly text: string;
  readonly exported: boolean;
}

/**
 * The state that a command of the prompt passes to the next one, as a sandboxed bash reported it. Untrusted: ion parses it, shows
 * parts of it escaped, and gives it to the next sandboxed bash. Nothing outside a sandbox evaluates it.
 */
export interface ShellMemory {
  /** Bytes of the report that are not UTF-8 are kept as Latin-1. */
  readonly encoding: 'utf8' | 'latin1';
  /** Variables that differ from the environment that ion gives to a command. */
  readonly variables: readonly ShellVariable[];
  /** Names of variables that ion sets and that a command has removed. */
  readonly removed: readonly string[];
  readonly functions: readonly ShellFunction[];
  readonly aliases: ReadonlyMap<string, string>;
  /** Names of `set -o` that are on. Undefined before the first report. */
  readonly setOptions: readonly string[] | undefined;
  /** Names of `shopt` that are on. Undefined before the first report. */
  readonly shopts: readonly string[] | undefined;
  /** Octal. */
  readonly umask: string | undefined;
}

export const emptyMemory: ShellMemory = {
  encoding: 'utf8',
  variables: [],
  removed: [],
  functions: [],
  aliases: new Map(),
  setOptions: undefined,
  shopts: undefined,
  umask: undefined,
};
