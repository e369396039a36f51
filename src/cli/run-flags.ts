/** The arguments of `ion run`. */
export interface RunArguments {
  readonly words: readonly string[];
  /**
   * False: one string is a bash command. True: several words, or words after `--`, are a program and its arguments.
   */
  readonly argv: boolean;
  readonly options: RunFlags;
}

export interface RunFlags {
  readonly read?: true;
  /** Commander's form of --no-sandbox: false when it is given. */
  readonly sandbox: boolean;
  readonly timeout?: string;
  readonly config?: string;
  readonly set?: readonly string[];
  /** The folder to start in. */
  readonly C?: string;
  readonly events?: string;
  readonly json?: true;
  readonly explain?: true;
  readonly color?: string;
  /** Only for `ion check`. */
  readonly tool?: string;
}
