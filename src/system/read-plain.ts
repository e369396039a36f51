import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';

/**
 * Reads a regular file of at most `maxBytes` without blocking. Another run may have replaced the file with a FIFO or with a
 * symlink to a device since ion looked at it, and ion must not wait for these. Refuses a symlink as the last name only.
 * Throws the file system's error, or an error without a code when it is not such a file.
 */
export function readPlain(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readOpen(descriptor, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** The same for an open file. */
export function readOpen(descriptor: number, maxBytes: number): Buffer {
  const info = fstatSync(descriptor);
  if (!info.isFile() || info.size > maxBytes) throw new Error('not a small regular file');
  const bytes = Buffer.alloc(info.size);
  const length = readSync(descriptor, bytes, 0, info.size, 0);
  return bytes.subarray(0, length);
}
