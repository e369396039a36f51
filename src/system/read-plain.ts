import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';

/**
 * A regular file's bytes, up to `maxBytes`, at once: another run may have put a FIFO there since it was looked at, or a link to a
 * device, and ion must not wait for these. Only a link in the place of the last name is refused. Throws what the file system says,
 * and an error without a code for what is no such file.
 */
export function readPlain(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readOpen(descriptor, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

/** The same of a file that is open. */
export function readOpen(descriptor: number, maxBytes: number): Buffer {
  const info = fstatSync(descriptor);
  if (!info.isFile() || info.size > maxBytes) throw new Error('not a small regular file');
  const bytes = Buffer.alloc(info.size);
  const length = readSync(descriptor, bytes, 0, info.size, 0);
  return bytes.subarray(0, length);
}
