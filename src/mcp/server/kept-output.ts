import type {Readable} from 'node:stream';

/** The most bytes of one stream that a result shows. */
const shownBytes = 48 * 1024;
/** The most bytes of one stream that are kept for the resource that a result links to. */
const keptBytes = 8 * 1024 * 1024;
const keptInAll = 64 * 1024 * 1024;

/** The output of one stream of a command. */
export interface Output {
  /** The output, or its beginning and its end. */
  shown(): string;
  bytes(): number;
  /** Whether `shown` leaves something out. */
  isCut(): boolean;
  /** The part that is kept: the first 8 MB. */
  kept(): Buffer;
}

/** Reads a stream to its end. The command never has to wait, however much it writes. */
export function collectOutput(stream: Readable | null, onData: (chunk: Buffer) => void): Output {
  const parts: Buffer[] = [];
  let [kept, total] = [0, 0];
  let tail = Buffer.alloc(0);
  stream?.on('data', (chunk: Buffer) => {
    total += chunk.length;
    const part = chunk.subarray(0, keptBytes - kept);
    if (part.length > 0) parts.push(part);
    kept += part.length;
    if (total > shownBytes) tail = Buffer.concat([tail, chunk]).subarray(-shownBytes / 2);
    onData(chunk);
  });
  stream?.on('error', () => undefined);
  const all = (): Buffer => Buffer.concat(parts);
  return {
    shown() {
      if (total <= shownBytes) return all().toString('utf8');
      const head = all()
        .subarray(0, shownBytes / 2)
        .toString('utf8');
      return `${head}\n[ion: ${total - shownBytes} bytes left out here]\n${tail.toString('utf8')}`;
    },
    bytes: () => total,
    isCut: () => total > shownBytes,
    kept: all,
  };
}

/** Outputs that results link to, by their address. The oldest are dropped when they take more than 64 MB. */
export interface OutputStore {
  add(uri: string, content: Buffer): void;
  get(uri: string): Buffer | undefined;
}

export function openOutputStore(): OutputStore {
  const contents = new Map<string, Buffer>();
  let size = 0;
  return {
    add(uri, content) {
      contents.set(uri, content);
      size += content.length;
      for (const [oldest, {length}] of contents) {
        if (size <= keptInAll) break;
        contents.delete(oldest);
        size -= length;
      }
    },
    get: (uri) => contents.get(uri),
  };
}
