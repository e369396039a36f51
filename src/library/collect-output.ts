import type {Readable} from 'node:stream';

/** What a stream has brought so far. */
export interface Output {
  readonly bytes: () => Buffer;
}

/** Collects at most `limit` bytes, and says once that there was more. */
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
