/**
 * `number` is the errno on Linux, which errors of the addon and the launcher carry. node:os has the same numbers, but costs
 * an import.
 */
interface SystemError {
  readonly code: string;
  readonly number: number;
  /** The meaning for a file that cannot be used. Without it the system's own message is shown. */
  readonly means?: string;
  /** For a resource of this process or of the machine that has run out: how to get more. */
  readonly help?: string;
}

const table: readonly SystemError[] = [
  {code: 'EPERM', number: 1},
  {code: 'EIO', number: 5, means: 'the device reports an error'},
  {
    code: 'EAGAIN',
    number: 11,
    help: 'allow more processes: ulimit -u; to limit processes of the command: sandbox.limits.processes',
  },
  {code: 'ENOMEM', number: 12, help: 'there is no memory left'},
  {code: 'EACCES', number: 13, means: 'no permission'},
  {code: 'ENOTDIR', number: 20, means: 'a file has the name of a folder'},
  {code: 'EISDIR', number: 21, means: 'a folder has its name'},
  {code: 'ENFILE', number: 23, help: 'the machine has reached its limit of open files (fs.file-max)'},
  {
    code: 'EMFILE',
    number: 24,
    help: 'allow more open files: ulimit -n 256; raise sandbox.limits.open_files if it is set',
  },
  {
    code: 'EFBIG',
    number: 27,
    means: 'the file would exceed the file size limit of this process',
    help: 'allow larger files: ulimit -f unlimited; to limit files of the command: sandbox.limits.file_size',
  },
  {code: 'ENOSPC', number: 28, means: 'the disk is full', help: 'the disk is full'},
  {code: 'EROFS', number: 30, means: 'the file system is read-only'},
  {code: 'ELOOP', number: 40, means: 'a symlink has its name'},
  {code: 'ETIMEDOUT', number: 110, means: 'another process holds its lock'},
  {code: 'EDQUOT', number: 122, means: 'the disk quota is used up'},
];

function rowOf(error: unknown): SystemError | undefined {
  const {code, errno} = (error ?? {}) as {code?: unknown; errno?: unknown};
  // Node's errno values are negative; those of the addon and the launcher are positive.
  return table.find(
    (row) => row.code === code || (typeof errno === 'number' && row.number === Math.abs(errno)),
  );
}

/** Advice for an error that means that a resource of this process or of the machine has run out. */
export function adviceFor(error: unknown): string | undefined {
  return rowOf(error)?.help;
}

/** Reports whether the disk or the user's quota is full. */
export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(rowOf(error)?.code ?? '');
}

/** The meaning of a system error in words. `here` replaces the words of codes that have another meaning for this caller. */
export function meaningOf(error: unknown, here: Readonly<Record<string, string>> = {}): string {
  const row = rowOf(error);
  const {code, message} = (error ?? {}) as {code?: string; message?: string};
  return here[row?.code ?? code ?? ''] ?? row?.means ?? message ?? String(error);
}
