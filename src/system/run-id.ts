import {closeSync, openSync, readSync} from 'node:fs';

/** 128 random bits as hex, read from the kernel directly: loading node:crypto costs 2 ms per start. */
export function randomRunId(): string {
  const bytes = Buffer.alloc(16);
  const random = openSync('/dev/urandom', 'r');
  try {
    readSync(random, bytes);
  } finally {
    closeSync(random);
  }
  return bytes.toString('hex');
}
