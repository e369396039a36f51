import {writeSync} from 'node:fs';
import {renderMessage, type Message} from '../errors.ts';
import type {CliResult} from './result.ts';

/** One message on stderr, written at once: it must be out before ion exits. */
export function say(message: Message): void {
  write(2, renderMessage(message));
}

/**
 * Write all of `text` without process.stdout: touching that would set O_NONBLOCK on a pipe that the command shares.
 * A pipe that is full is waited for; a reader that is gone is no error of ours.
 */
export function write(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(descriptor, bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Print what a command of ion's own answers. Returns its exit code. */
export function print({exitCode, stdout, stderr}: CliResult): number {
  write(1, stdout);
  write(2, stderr);
  return exitCode;
}
