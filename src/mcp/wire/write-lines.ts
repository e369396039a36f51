import type {Writable} from 'node:stream';

export interface LineWriter {
  /** Returns false if the receiver is slow: the caller should stop reading until `onDrain`. */
  write(line: string): boolean;
  /** Resolves when all lines were written, or the stream is closed. */
  flushed(): Promise<void>;
}

export interface WriteEvents {
  /** A slow receiver has caught up. */
  readonly onDrain: () => void;
  /** The receiver has gone (EPIPE). While it is slow its messages are not read, so their end is not seen. */
  readonly onGone: () => void;
}

/** Writes whole lines. */
export function writeLines(stream: Writable, {onDrain, onGone}: WriteEvents): LineWriter {
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    onGone();
  };
  stream.on('error', close);
  stream.on('close', close);
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
