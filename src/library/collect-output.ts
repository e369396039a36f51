import type {Readable} from 'node:stream';

/** The output that a stream has delivered so far. */
export interface Output {
  readonly bytes: () => Buffer;
}

/** Collects at most `limit` bytes. Calls `onMore` once if there are more. */
export function collectOutput(stream: Readable, limit: number, onMore: () => void): Output {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer | string) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, stream.readableEncoding ?? 'utf8') : chunk;
    const room = limit - size;
    if (room > 0) chunks.push(bytes.subarray(0, room));
    if (bytes.length > room && room >= 0) {
      size = Infinity;
      onMore();
    }
    size += bytes.length;
  });
  return {bytes: () => Buffer.concat(chunks)};
}
