/**
 * Landlock's access rights, each with the ABI that added it. Constants of our own, because distribution headers are
 * years behind. Source: include/uapi/linux/landlock.h and Documentation/userspace-api/landlock.rst, Linux 7.2 (ABI 10).
 */

export interface Right {
  readonly name: string;
  readonly bit: number;
  readonly abi: number;
}

export const fileRights = [
  {name: 'EXECUTE', bit: 1 << 0, abi: 1},
  {name: 'WRITE_FILE', bit: 1 << 1, abi: 1},
  {name: 'READ_FILE', bit: 1 << 2, abi: 1},
  {name: 'READ_DIR', bit: 1 << 3, abi: 1},
  {name: 'REMOVE_DIR', bit: 1 << 4, abi: 1},
  {name: 'REMOVE_FILE', bit: 1 << 5, abi: 1},
  {name: 'MAKE_CHAR', bit: 1 << 6, abi: 1},
  {name: 'MAKE_DIR', bit: 1 << 7, abi: 1},
  {name: 'MAKE_REG', bit: 1 << 8, abi: 1},
  {name: 'MAKE_SOCK', bit: 1 << 9, abi: 1},
  {name: 'MAKE_FIFO', bit: 1 << 10, abi: 1},
  {name: 'MAKE_BLOCK', bit: 1 << 11, abi: 1},
  {name: 'MAKE_SYM', bit: 1 << 12, abi: 1},
  {name: 'REFER', bit: 1 << 13, abi: 2},
  {name: 'TRUNCATE', bit: 1 << 14, abi: 3},
  {name: 'IOCTL_DEV', bit: 1 << 15, abi: 5},
  {name: 'RESOLVE_UNIX', bit: 1 << 16, abi: 9},
] as const satisfies readonly Right[];

export const netRights = [
  {name: 'BIND_TCP', bit: 1 << 0, abi: 4},
  {name: 'CONNECT_TCP', bit: 1 << 1, abi: 4},
  {name: 'BIND_UDP', bit: 1 << 2, abi: 10},
  {name: 'CONNECT_SEND_UDP', bit: 1 << 3, abi: 10},
] as const satisfies readonly Right[];

export const scopes = [
  {name: 'ABSTRACT_UNIX_SOCKET', bit: 1 << 0, abi: 6},
  {name: 'SIGNAL', bit: 1 << 1, abi: 6},
] as const satisfies readonly Right[];

export type FileRight = (typeof fileRights)[number]['name'];

/** All access rights of a table that a kernel with this ABI knows. */
export function bitsOf(table: readonly Right[], abi: number): number {
  return table.reduce((bits, right) => (right.abi <= abi ? bits | right.bit : bits), 0);
}

function file(...names: FileRight[]): number {
  return fileRights.reduce((bits, right) => (names.includes(right.name) ? bits | right.bit : bits), 0);
}

/** The rights for a folder that may be changed, except executing files in it. */
const changes = [
  'WRITE_FILE',
  'READ_FILE',
  'READ_DIR',
  'REMOVE_DIR',
  'REMOVE_FILE',
  'MAKE_DIR',
  'MAKE_REG',
  'MAKE_SOCK',
  'MAKE_FIFO',
  'MAKE_SYM',
  'REFER',
  'TRUNCATE',
] as const;

/**
 * The access rights of each kind of root. No kind has MAKE_CHAR and MAKE_BLOCK: a device node bypasses every other
 * rule. Only devices whose programs need it have IOCTL_DEV. REFER is needed for a rename or a link between folders.
 * Landlock denies it by default from ABI 2 on, even when it is not handled.
 */
export const grants = {
  read: file('EXECUTE', 'READ_FILE', 'READ_DIR'),
  /** Contents that are not executable. */
  view: file('READ_FILE', 'READ_DIR'),
  /** Names below a folder, not contents. Landlock has no right for one folder without the folders below it. */
  list: file('READ_DIR'),
  write: file('EXECUTE', ...changes),
  /** Like write, but files in it are not executable. */
  scratch: file(...changes),
  device: file('READ_FILE', 'WRITE_FILE', 'READ_DIR', 'TRUNCATE', 'IOCTL_DEV'),
  /** A file that ion received as standard output: `tee /dev/stdout` opens it again by its path. */
  append: file('WRITE_FILE', 'TRUNCATE'),
  /** A socket of another process. Sockets that the run itself binds need no grant. */
  socket: file('RESOLVE_UNIX'),
} as const;

export type GrantKind = keyof typeof grants;
