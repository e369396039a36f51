import {closeSync} from 'node:fs';
import {Socket} from 'node:net';
import {PassThrough, type Readable, type Writable} from 'node:stream';
import type {Running, Stdio} from '../sandbox/launch.ts';
import type {Addon} from '../sandbox/linux/native.ts';

/** The standard streams of a command that is not started yet. */
export interface Streams {
  readonly ours: readonly [Writable | null, Readable | null, Readable | null];
  /** What the command is given. */
  readonly theirs: readonly [Stdio, Stdio, Stdio];
  /** The command has started, or will not: this process lets go of the command's ends. */
  release(running?: Running): void;
}

/**
 * Streams that exist before the command does. With the addon each pipe is a pair of sockets, as Node's own are; elsewhere
 * it is a stream that is connected to the command's later.
 */
export function openStreams(stdio: readonly [Stdio, Stdio, Stdio], addon: Addon | undefined): Streams {
  return addon ? pairs(stdio, addon) : connectedLater(stdio);
}

function pairs(stdio: readonly [Stdio, Stdio, Stdio], addon: Addon): Streams {
  const given: number[] = [];
  const open = (index: number): [Socket | null, Stdio] => {
    const form = stdio[index]!;
    if (form !== 'pipe') return [null, form];
    const [mine, other] = addon.channel();
    given.push(other);
    // Half open, as Node's are: the command may close its end and go on.
    const isInput = index === 0;
    return [new Socket({fd: mine, readable: !isInput, writable: isInput, allowHalfOpen: true}), other];
  };
  const [[stdin, theirIn], [stdout, theirOut], [stderr, theirErr]] = [open(0), open(1), open(2)];
  return {
    ours: [stdin, stdout, stderr],
    theirs: [theirIn, theirOut, theirErr],
    release() {
      for (const descriptor of given.splice(0)) closeSync(descriptor);
    },
  };
}

function connectedLater(stdio: readonly [Stdio, Stdio, Stdio]): Streams {
  const ours = stdio.map((form) => (form === 'pipe' ? new PassThrough() : null));
  const [stdin = null, stdout = null, stderr = null] = ours;
  return {
    ours: [stdin, stdout, stderr],
    theirs: stdio,
    release(running) {
      const [theirIn, theirOut, theirErr] = running?.stdio ?? [null, null, null];
      // A command that reads no input closes it.
      theirIn?.on('error', () => undefined);
      if (stdin && theirIn) stdin.pipe(theirIn);
      for (const [mine, other] of [
        [stdout, theirOut],
        [stderr, theirErr],
      ] as const) {
        if (mine && other) other.pipe(mine);
        else mine?.end();
      }
    },
  };
}
