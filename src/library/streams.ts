import {closeSync} from 'node:fs';
import {Socket} from 'node:net';
import {PassThrough, type Readable, type Writable} from 'node:stream';
import type {Running, Stdio} from '../sandbox/launch.ts';
import type {Addon} from '../sandbox/linux/native.ts';

/** The standard streams of a command that has not started yet. */
export interface Streams {
  readonly ours: readonly [Writable | null, Readable | null, Readable | null];
  /** The command's ends. */
  readonly theirs: readonly [Stdio, Stdio, Stdio];
  /** Closes this process's copies of the command's ends. Called when the command has started, or will not start. */
  release(running?: Running): void;
}

/**
 * Opens streams before the command exists. With the addon each pipe is a pair of sockets, as in Node. Without it, each is a
 * stream that is connected to the command's stream later.
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
    // Half open, as in Node: the command may close its end and continue to run.
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
      // A command that does not read its input may close it. The error of the write then means nothing.
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
