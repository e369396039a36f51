import {writeSync} from 'node:fs';
import {IonError, renderMessage, type Message} from '../errors.ts';
import {messageTo, type Audience} from '../session/report/audience.ts';
import {meaningOf} from '../system/system-errors.ts';
import {painted, paperOf} from './paint.ts';
import type {CliResult} from './result.ts';

/** Writes one message to stderr, synchronously: it must be out before ion exits. */
export function say(message: Message, audience: Audience = 'person', id?: string): void {
  write(2, painted(renderMessage(messageTo(audience, message, id)), paperOf(2)));
}

/** Writes ion's own lines. A failure is ignored, because there is nowhere to report it. */
export function write(descriptor: number, text: string): void {
  tryWrite(descriptor, text);
}

/**
 * Writes the output of a command of ion's own to stdout. Throws on failure: incomplete output must not look complete.
 */
export function writeOut(text: string): void {
  const problem = tryWrite(1, text);
  if (!problem) return;
  throw new IonError(`cannot write to stdout: ${meaningOf(problem)}`, {
    help: 'the output is incomplete: free some space, or write it elsewhere',
    cause: problem,
  });
}

/**
 * Writes all of `text` without process.stdout, because using that would set O_NONBLOCK on a pipe that the command
 * shares. Waits while a pipe is full. A closed reader is not an error, as in `yes | head`. Returns any other error:
 * then the text was written in part or not at all.
 */
export function tryWrite(descriptor: number, text: string): NodeJS.ErrnoException | undefined {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(descriptor, bytes, offset);
    } catch (error) {
      const {code} = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return undefined;
      if (code !== 'EAGAIN') return error as NodeJS.ErrnoException;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return undefined;
}

/** Prints the output of a command of ion's own. Returns its exit code. */
export function print({exitCode, stdout, stderr}: CliResult): number {
  try {
    writeOut(painted(stdout, {colors: paperOf(1).colors, width: undefined}));
  } finally {
    write(2, painted(stderr, paperOf(2)));
  }
  return exitCode;
}
