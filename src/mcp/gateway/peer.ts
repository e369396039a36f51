import type {Readable, Writable} from 'node:stream';
import {renderMessage, parseLine, type Malformed, type Message} from '../wire/message.ts';
import {readLines} from '../wire/read-lines.ts';
import {writeLines} from '../wire/write-lines.ts';

/** One side of the gateway: a client, or a server. */
export interface Peer {
  send(message: Message): void;
  /** Stops and starts reading from it. Each reason counts on its own. */
  hold(reason: string): void;
  release(reason: string): void;
  flushed(): Promise<void>;
  close(): void;
}

interface PeerEvents {
  readonly onMessage: (message: Message | Malformed) => void;
  readonly onEnd: () => void;
  /** It reads no more, and never will. */
  readonly onGone: () => void;
  /** It reads slowly: the other side should be held. */
  readonly onSlow: () => void;
  readonly onCaughtUp: () => void;
}

export function openPeer(input: Readable, output: Writable, events: PeerEvents): Peer {
  const reasons = new Set<string>();
  const writer = writeLines(output, {onDrain: events.onCaughtUp, onGone: events.onGone});
  const reader = readLines(input, {
    onLine: (line) => parseLine(line).forEach(events.onMessage),
    onTooLong: () =>
      events.onMessage({kind: 'malformed', code: -32700, why: 'the message is larger than 16 MB', id: null}),
    onEnd: events.onEnd,
  });
  return {
    send(message) {
      if (!writer.write(renderMessage(message))) events.onSlow();
    },
    hold(reason) {
      reasons.add(reason);
      reader.pause();
    },
    release(reason) {
      reasons.delete(reason);
      if (reasons.size === 0) reader.resume();
    },
    flushed: () => writer.flushed(),
    close: () => reader.close(),
  };
}
