/** A server that is to run in the sandbox. */
export interface ServerSpec {
  /** Its name in rules and in `[mcp.<name>]`. */
  readonly server: string;
  readonly words: readonly string[];
  /** Added to the variables of the host. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file that names it. Absent: the caller of ion has given the words. */
  readonly file?: string;
}
