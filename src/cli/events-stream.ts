import {constants, existsSync, fstatSync, openSync, readFileSync, readdirSync, readlinkSync} from 'node:fs';
import {IonError, quoted} from '../errors.ts';
import type {Stream} from '../session/recorder.ts';
import {eventsTarget} from './events-file.ts';
import {meaningOf} from '../system/system-errors.ts';
import {say, tryWrite} from './output.ts';

/** Opens the stream that `--events` names: a file, which is appended to, or an open descriptor `fd:N`. */
export function openEvents(given: string | undefined): Stream | undefined {
  const target = eventsTarget(given);
  if (target === undefined) return undefined;
  if (target === '-') {
    throw new IonError('--events -: stdout belongs to the command', {
      help: 'use a file (./- for a file named "-"), or fd:3 with your own descriptor: 3>&1',
    });
  }
  const descriptor = target.startsWith('fd:') ? inherited(target) : openFile(target);
  return streamTo(descriptor, target);
}

/**
 * Best effort, like the audit log: a failure is reported once, and the run continues. Nothing is written after it,
 * because the next line would join the incomplete one.
 */
function streamTo(descriptor: number, target: string): Stream {
  let isBroken = false;
  return (line) => {
    if (isBroken) return;
    const problem = tryWrite(descriptor, line());
    if (!problem) return;
    isBroken = true;
    say({
      text: `cannot write events to ${quoted(target)}: ${meaningOf(problem)}`,
      help: 'the run continues without events; the last line may be incomplete',
    });
  };
}

function inherited(target: string): number {
  const number = /^fd:(\d{1,6})$/.exec(target)?.[1];
  const descriptor = Number(number);
  try {
    if (number === undefined) throw new Error('not a number');
    fstatSync(descriptor);
    if (isOfNode(number)) throw new Error('Node uses it itself');
  } catch (cause) {
    throw new IonError(`--events ${target}: no such open descriptor`, {
      help: 'use a file, or fd:N with a descriptor that ion inherits',
      cause,
    });
  }
  return descriptor;
}

const own = '/proc/self/fd';

/**
 * Reports whether Node itself opened this descriptor. At this point Node has opened event queues, and pipes to itself. A write to
 * one is lost or ends the process. Close-on-exec does not tell them apart, because Node sets it on inherited descriptors too. So
 * this looks at what each one is (proc_pid_fd(5)).
 */
function isOfNode(number: string): boolean {
  if (!existsSync(own)) return false;
  const link = readlinkSync(`${own}/${number}`);
  if (link.startsWith('anon_inode:') || !mayWrite(number)) return true;
  return (
    link.startsWith('pipe:') && readdirSync(own).some((other) => isLink(other, link) && !mayWrite(other))
  );
}

/** The access mode is in the lowest two bits of the octal flags. 0 is O_RDONLY (proc_pid_fdinfo(5)). */
function mayWrite(number: string): boolean {
  return /^flags:\s+\d*[1-3567]$/m.test(readFileSync(`/proc/self/fdinfo/${number}`, 'latin1'));
}

/** The descriptor that readdir used is in the list too, but closed by now. */
function isLink(number: string, link: string): boolean {
  try {
    return readlinkSync(`${own}/${number}`) === link;
  } catch {
    return false;
  }
}

function openFile(file: string): number {
  try {
    // Node opens with close-on-exec, so the command does not get it. NONBLOCK: a FIFO without a reader must not
    // block. NOFOLLOW: an earlier command may have put a symlink there.
    const {O_WRONLY, O_CREAT, O_APPEND, O_NONBLOCK, O_NOFOLLOW} = constants;
    return openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW, 0o600);
  } catch (cause) {
    throw new IonError(`cannot write events to ${quoted(file)}: ${meaningOf(cause, whenOpened)}`, {
      help: 'use a file in a writable folder, or fd:N with your own descriptor',
      cause,
    });
  }
}

const whenOpened = {ENOENT: 'its folder does not exist', ENXIO: 'no process reads it'};
