/** A refusal or failure of a file tool, in words for the model that called it. */
export class ToolError extends Error {
  /** A code of the system (`EACCES`), or one of the tool's own (`NO_MATCH`). */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'the sandbox or its permissions do not allow it',
  EPERM: 'the sandbox or its permissions do not allow it',
  EROFS: 'the sandbox keeps it read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder, or a part of its path is not one',
  ELOOP: 'a link took its place',
  EEXIST: 'it exists',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the limit',
  ENXIO: 'it is not a regular file',
};

export function toolErrorOf(error: unknown): {readonly code: string; readonly message: string} {
  if (error instanceof ToolError) return {code: error.code, message: error.message};
  const {code, message} = error as {code?: unknown; message?: unknown};
  if (typeof code === 'string') return {code, message: meanings[code] ?? code};
  return {code: 'FAILED', message: String(message ?? error)};
}
