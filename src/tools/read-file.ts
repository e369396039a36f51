import {closeSync, constants, readSync} from 'node:fs';
import {openJudged, regularFile} from './open-judged.ts';
import {ToolError} from './tool-error.ts';

export interface ReadRequest {
  readonly path: string;
  /** The first line, from 1. */
  readonly offset?: number;
  /** The number of lines. */
  readonly limit?: number;
}

export type ReadResult =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly from_line: number;
      readonly to_line: number;
      /** Null if the file was not read to its end. */
      readonly total_lines: number | null;
      readonly truncated: boolean;
      readonly bytes: number;
    }
  | {readonly kind: 'image'; readonly mime: string; readonly data: string; readonly bytes: number}
  | {readonly kind: 'binary'; readonly head: string; readonly bytes: number};

const maxTextBytes = 256 * 1024;
const maxLines = 2000;
const maxImageBytes = 5 * 1024 * 1024;
/** The most bytes that are read to reach a line. */
const maxScannedBytes = 256 * 1024 * 1024;
const chunkBytes = 256 * 1024;

export function readFile({path, offset = 1, limit = maxLines}: ReadRequest): ReadResult {
  const file = openJudged(path, constants.O_RDONLY);
  try {
    const bytes = regularFile(file).size;
    const head = Buffer.alloc(8192);
    const start = head.subarray(0, readSync(file, head, 0, head.length, 0));
    const mime = imageType(start);
    if (mime !== undefined) {
      if (bytes > maxImageBytes)
        throw new ToolError('TOO_LARGE', `the image has ${bytes} bytes, more than ${maxImageBytes}`);
      return {kind: 'image', mime, data: readWhole(file, bytes).toString('base64'), bytes};
    }
    if (start.includes(0)) return {kind: 'binary', head: start.subarray(0, 64).toString('hex'), bytes};
    return {...readLineRange(file, offset, Math.min(limit, maxLines)), bytes};
  } finally {
    closeSync(file);
  }
}

export function readWhole(file: number, size: number): Buffer {
  const whole = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const got = readSync(file, whole, length, size - length, length);
    if (got === 0) break;
    length += got;
  }
  return whole.subarray(0, length);
}

function readLineRange(file: number, offset: number, limit: number) {
  const parts: Buffer[] = [];
  let [line, kept, position, cut] = [1, 0, 0, false];
  let hasEnded = false;
  let lastByte = 10;
  const chunk = Buffer.alloc(chunkBytes);
  while (!hasEnded && position < maxScannedBytes) {
    const got = readSync(file, chunk, 0, chunk.length, position);
    if (got === 0) {
      hasEnded = true;
      break;
    }
    lastByte = chunk[got - 1]!;
    position += got;
    let from = 0;
    while (from < got) {
      const found = chunk.indexOf(10, from);
      const end = found === -1 || found >= got ? got : found + 1;
      if (line >= offset && line < offset + limit && !cut) {
        const part = Buffer.from(chunk.subarray(from, Math.min(end, from + maxTextBytes - kept)));
        parts.push(part);
        kept += part.length;
        cut = part.length < end - from;
      }
      if (found !== -1 && found < got) line++;
      from = end;
    }
    // The lines after it are only counted, and only if that is quick.
    if ((cut || line >= offset + limit) && position > 16 * chunkBytes) break;
  }
  const totalLines = hasEnded ? line - (lastByte === 10 ? 1 : 0) : null;
  const text = Buffer.concat(parts).toString('utf8');
  const lines = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const toLine = offset + lines - 1;
  return {
    kind: 'text' as const,
    text,
    from_line: offset,
    to_line: toLine,
    total_lines: totalLines,
    truncated: cut || totalLines === null || toLine < totalLines,
  };
}

const signatures: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

function imageType(start: Buffer): string | undefined {
  const hex = start.subarray(0, 12).toString('hex');
  const known = signatures.find(([signature]) => hex.startsWith(signature))?.[1];
  if (known !== undefined) return known;
  return hex.startsWith('52494646') && start.toString('latin1', 8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
