import type {Readable} from 'node:stream';

/** The largest message that ion reads: 16 MB, without its line break. */
export const maxLineBytes = 16 * 1024 * 1024;

export interface LineReader {
  /** Stops reading until `resume`: the receiver of the messages is slow. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface LineEvents {
  readonly onLine: (line: Buffer) => void;
  /** A line was longer than `maxLineBytes`. It is dropped, and reading goes on after it. */
  readonly onTooLong: () => void;
  /** The stream has ended. A last line without a line break was delivered before. */
  readonly onEnd: () => void;
}

/** Splits a stream into lines. It keeps at most one line, of at most `maxLineBytes`, in memory. */
export function readLines(stream: Readable, events: LineEvents, maxBytes = maxLineBytes): LineReader {
  let parts: Buffer[] = [];
  let length = 0;
  let isSkipping = false;
  let isOver = false;
  let isPaused = false;
  const waiting: Buffer[] = [];
  const keep = (part: Buffer): void => {
    if (isSkipping || part.length === 0) return;
    length += part.length;
    parts.push(part);
    if (length <= maxBytes) return;
    [parts, length, isSkipping] = [[], 0, true];
    events.onTooLong();
  };
  const finishLine = (): void => {
    const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const wasSkipped = isSkipping;
    [parts, length, isSkipping] = [[], 0, false];
    if (!wasSkipped && line.length > 0) events.onLine(line);
  };
  /** Returns what is left of the chunk if the receiver paused in the middle of it. */
  const take = (chunk: Buffer): Buffer | undefined => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, at));
      from = at + 1;
      finishLine();
      if (isPaused) return chunk.subarray(from);
    }
    keep(chunk.subarray(from));
    return undefined;
  };
  const end = (): void => {
    if (isOver || isPaused) return;
    isOver = true;
    finishLine();
    events.onEnd();
  };
  let hasEnded = false;
  const drain = (): void => {
    while (!isPaused && waiting.length > 0) {
      const rest = take(waiting.shift()!);
      if (rest && rest.length > 0) waiting.unshift(rest);
    }
    if (!isPaused && hasEnded) end();
  };
  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    drain();
  });
  const over = (): void => {
    hasEnded = true;
    drain();
  };
  stream.once('end', over);
  stream.once('close', over);
  stream.on('error', over);
  return {
    pause() {
      isPaused = true;
      stream.pause();
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      drain();
      if (!isPaused) stream.resume();
    },
    close() {
      isOver = true;
      stream.removeAllListeners('data');
      stream.on('error', () => undefined);
      stream.destroy();
    },
  };
}
