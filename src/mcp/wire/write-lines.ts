import type {Writable} from 'node:stream';

export interface LineWriter {
  /** Returns false if the receiver is slow: the caller should stop reading until `onDrain`. */
  write(line: string): boolean;
  /** Resolves when all lines were written, or the stream is closed. */
  flushed(): Promise<void>;
}

/** Writes whole lines. `onDrain` is called when a slow receiver has caught up. */
export function writeLines(stream: Writable, onDrain: () => void): LineWriter {
  let isClosed = false;
  // EPIPE: the receiver has gone. Its end is seen where its messages are read.
  stream.on('error', () => (isClosed = true));
  stream.on('close', () => (isClosed = true));
  stream.on('drain', onDrain);
  return {
    write: (line) => isClosed || stream.write(line),
    flushed: () =>
      new Promise((resolve) => {
        if (isClosed || stream.writableLength === 0) return resolve();
        stream
          .once('drain', resolve)
          .once('close', resolve)
          .once('error', () => resolve());
      }),
  };
}
