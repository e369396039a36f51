import {constants, fstatSync, openSync} from 'node:fs';
import {IonError, quoted} from '../errors.ts';
import type {Stream} from '../session/recorder.ts';
import {write} from './output.ts';

/** The stream that `--events` names: a file, which is appended to, or an open descriptor `fd:N`. */
export function openEvents(target: string | undefined): Stream | undefined {
  if (target === undefined) return undefined;
  const descriptor = target.startsWith('fd:') ? inherited(target) : openFile(target);
  return (line) => write(descriptor, line);
}

function inherited(target: string): number {
  const number = /^fd:(\d{1,6})$/.exec(target)?.[1];
  const descriptor = Number(number);
  try {
    if (number === undefined) throw new Error('not a number');
    fstatSync(descriptor);
  } catch (cause) {
    throw new IonError(`--events ${target}: no such open descriptor`, {
      help: 'use a file, or fd:N with a descriptor that ion inherits',
      cause,
    });
  }
  return descriptor;
}

function openFile(file: string): number {
  try {
    // Close-on-exec is Node's default: the command does not get it. NONBLOCK: a FIFO without a reader must not hang.
    // NOFOLLOW: a command that ran before may have put a link there.
    const {O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK, O_NOFOLLOW} = constants;
    return openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW, 0o600);
  } catch (cause) {
    throw new IonError(`cannot write events to ${quoted(file)}: ${(cause as Error).message}`, {cause});
  }
}
