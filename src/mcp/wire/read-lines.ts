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
  let line = growingBuffer();
  let isSkipping = false;
  let isOver = false;
  let isPaused = false;
  const waiting: Buffer[] = [];
  const keep = (part: Buffer): void => {
    if (isSkipping || part.length === 0) return;
    line.add(part);
    if (line.length() <= maxBytes) return;
    [line, isSkipping] = [growingBuffer(), true];
    events.onTooLong();
  };
  const finishLine = (): void => {
    const whole = line.take();
    const wasSkipped = isSkipping;
    isSkipping = false;
    if (!wasSkipped && whole.length > 0) events.onLine(whole);
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

interface GrowingBuffer {
  add(part: Buffer): void;
  length(): number;
  /** Returns what was added, and starts anew. */
  take(): Buffer;
}

/** Copies its parts: a sender that writes byte by byte would otherwise cost a hundred times the memory of its line. */
function growingBuffer(): GrowingBuffer {
  let [first, bytes, length]: [Buffer | undefined, Buffer, number] = [undefined, Buffer.alloc(0), 0];
  const append = (part: Buffer): void => {
    if (length + part.length > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(4096, 2 * (length + part.length)));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    part.copy(bytes, length);
    length += part.length;
  };
  return {
    // Most lines are one part: it is passed on as it is.
    add(part) {
      if (length === 0 && first === undefined) return void (first = part);
      if (first !== undefined) append(first);
      first = undefined;
      append(part);
    },
    length: () => first?.length ?? length,
    take() {
      const whole = first ?? bytes.subarray(0, length);
      [first, bytes, length] = [undefined, Buffer.alloc(0), 0];
      return whole;
    },
  };
}
