import {writeSync} from 'node:fs';
import {IonError, renderMessage, type Message} from '../errors.ts';
import {messageTo, type Audience} from '../session/report/audience.ts';
import {meaningOf} from '../system/system-errors.ts';
import {painted, paperOf} from './paint.ts';
import type {CliResult} from './result.ts';

/** One message on stderr, written at once: it must be out before ion exits. */
export function say(message: Message, audience: Audience = 'person', id?: string): void {
  write(2, painted(renderMessage(messageTo(audience, message, id)), paperOf(2)));
}

/** Ion's own lines on stderr: where they cannot be written, there is nowhere to say so. */
export function write(descriptor: number, text: string): void {
  tryWrite(descriptor, text);
}

/** On stdout, by a command of ion's own: who asked for it must not take half of it for all. */
export function writeOut(text: string): void {
  const problem = tryWrite(1, text);
  if (!problem) return;
  throw new IonError(`cannot write to stdout: ${meaningOf(problem)}`, {
    help: 'the output is incomplete: free some space, or write it elsewhere',
    cause: problem,
  });
}

/**
 * Write all of `text` without process.stdout: touching that would set O_NONBLOCK on a pipe that the command shares.
 * A pipe that is full is waited for; a reader that is gone is no error of ours, as it is none of `yes | head`'s. Any
 * other error is returned: the text is out in part, or not at all.
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

/** Print what a command of ion's own answers. Returns its exit code. */
export function print({exitCode, stdout, stderr}: CliResult): number {
  try {
    writeOut(painted(stdout, {colors: paperOf(1).colors, width: undefined}));
  } finally {
    write(2, painted(stderr, paperOf(2)));
  }
  return exitCode;
}
