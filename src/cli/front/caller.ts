import {closeSync, readFileSync} from 'node:fs';
import {IonError} from '../../errors.ts';

/** The data that the starter of ion-sh and ion-exec passes to ion (native/starter/caller.c). */
export interface Caller {
  /** The file that was started: `ion-sh` or `ion-exec`. */
  readonly program: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The two descriptors of make's jobserver. */
  readonly jobserver: readonly [reads: number, writes: number] | undefined;
}

/** Reads the file in memory, and closes it. */
export function readCaller(descriptor: number): Caller {
  const bytes = readFileSync(descriptor);
  closeSync(descriptor);
  return parseCaller(bytes);
}

/**
 * Parses NUL-terminated strings: `ion-caller=1`, the program, `R,W`, `argv=N` and N words, `environment=N` and N entries, `end`.
 * Throws an IonError for words that are not UTF-8: bash would get others.
 */
export function parseCaller(bytes: Buffer): Caller {
  const texts = bytes.toString('utf8').split('\0');
  let at = 0;
  const next = (): string => {
    const text = texts[at++];
    if (text === undefined) throw new Error('the starter handed over a cut list');
    return text;
  };
  const list = (name: string): string[] => {
    const [key, count] = next().split('=');
    if (key !== name) throw new Error(`the starter handed over ${key} instead of ${name}`);
    return Array.from({length: Number(count)}, next);
  };
  if (next() !== 'ion-caller=1') throw new Error('the starter is from another version: install ion again');
  const program = next();
  const [reads = -1, writes = -1] = next().split(',').map(Number);
  const argv = list('argv');
  if (argv.some((word) => word.includes('\ufffd')) && !isUtf8(bytes)) {
    throw new IonError('the command is not valid UTF-8', {help: 'put it into a file and run "bash <file>"'});
  }
  const environment = list('environment').flatMap((entry): [string, string][] => {
    const split = entry.indexOf('=', 1);
    return split === -1 ? [] : [[entry.slice(0, split), entry.slice(split + 1)]];
  });
  if (next() !== 'end') throw new Error('the starter handed over a cut list');
  return {
    program,
    argv,
    // The first entry of a name counts, as for getenv(3).
    environment: Object.fromEntries(environment.toReversed()),
    jobserver: reads < 0 ? undefined : [reads, writes],
  };
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', {fatal: true}).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
