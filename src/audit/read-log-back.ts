import {closeSync, fstatSync, readSync} from 'node:fs';
import path from 'node:path';
import type {Event} from './events.ts';
import {parseRecord} from './log-record.ts';
import {chunkBytes, eventOf, logFiles, maxLineCharacters, openLogFile} from './read-log.ts';

/**
 * The events of a log, the latest first. Parses only lines that contain every one of `texts`, as canonical JSON writes them:
 * a log may have 256 MB, and parsing takes ten times as long as reading. Opens an older file only if the reader goes on.
 */
export function* eventsFromEnd(folder: string, texts: readonly string[]): Generator<Event> {
  const wanted = texts.map((text) => Buffer.from(text).toString('latin1'));
  for (const file of logFiles(folder).toReversed()) {
    for (const line of linesFromEnd(path.join(folder, file))) {
      if (!wanted.every((text) => line.includes(text))) continue;
      const record = parseRecord(Buffer.from(line, 'latin1').toString());
      const event = record && eventOf(record);
      if (event) yield event;
    }
  }
}

/** Each line as Latin-1, one character for each byte: a chunk may begin inside a character. */
function* linesFromEnd(file: string): Generator<string> {
  const descriptor = openLogFile(file);
  try {
    const buffer = Buffer.alloc(chunkBytes);
    // The parts of the line whose beginning was not yet read.
    let rest: string[] = [];
    for (let at = fstatSync(descriptor).size; at > 0;) {
      const length = Math.min(chunkBytes, at);
      at -= length;
      const count = readSync(descriptor, buffer, 0, length, at);
      const [first = '', ...others] = buffer.toString('latin1', 0, count).split('\n');
      const last = others.pop();
      if (last !== undefined) {
        yield [last, ...rest].join('');
        yield* others.toReversed();
        rest = [];
      }
      rest.unshift(first);
      // Not a record: the append refuses longer lines.
      if (rest.length * chunkBytes > maxLineCharacters) rest = [''];
    }
    yield rest.join('');
  } finally {
    closeSync(descriptor);
  }
}
