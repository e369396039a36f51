/** The number of the process in the run's PID namespace, where there is one. */
export interface InsideNumber {
  readonly pidInside?: number;
}

/** One refusal of the boundary, reported by the supervisor. */
export interface Violation extends InsideNumber {
  /** Its number in the run. */
  readonly number: number;
  readonly operation: 'read' | 'write' | 'exec' | 'connect' | 'bind' | 'control';
  readonly syscall: string;
  readonly rule: ViolationRule;
  readonly pid: number;
  readonly program: string;
  /** The resolved path, the address, or the command line. */
  readonly target: string;
  /** The pattern that matched, for `denied-command`; the prefix, for `denied-rule`; the entry of denied_paths, for `denied-path`. */
  readonly detail: string;
  /** Who asked; absent where it is not recorded. */
  readonly asked?: AskedBy;
}

/** The chain of processes that ends in the one that asked, each by its first words: `["bash", "npm ci", "sh", "curl"]`. */
export interface AskedBy {
  readonly chain: readonly string[];
  /** True if it begins with the command itself. False if a process in between has ended. */
  readonly whole: boolean;
}

/** Refusals of a network table. `detail` is `NAME|ADDRESS|PORT`. */
export type NetworkRule =
  | 'network-name'
  | 'network-address'
  | 'network-port'
  | 'network-local'
  | 'network-server-name'
  | 'network-host'
  | 'network-ech'
  | 'network-no-name'
  | 'network-no-tls'
  | 'network-datagram'
  | 'network-many'
  | 'network-busy'
  /** The relay has ended: the network is closed. */
  | 'network-relay';

export type ViolationRule =
  | 'unreadable'
  | 'outside'
  | 'protected'
  /** The run tried to open a standard stream again in the other direction: one given for reading to write it, or the reverse. */
  | 'stream'
  | 'stream-read'
  /** The run tried to truncate a stream that was given for appending, or to write before its end. */
  | 'stream-appended'
  | 'denied-path'
  | 'denied-command'
  /**
   * Read mode: the program is not one that the command names, or the command changed a variable that keeps programs
   * read-only.
   */
  | 'read-mode'
  | 'denied-rule'
  | 'network'
  | NetworkRule
  /** The run tried to listen on a port. With `network = "loopback"` it could. */
  | 'loopback'
  /** The run tried to listen on a port at an address of the machine, or to reach a server of another process. */
  | 'beyond-loopback'
  | 'outside-server'
  | 'unix-socket'
  /** The kernel does not name the owner of the socket, so it may be one of the run's own. */
  | 'unknown-socket'
  | 'signal'
  | 'scheduling'
  /** A chmod with the setuid bit, or with the setgid bit on a file. */
  | 'set-id';
