import type {Event, Events} from './types.ts';

const waitingAtMost = 10_000;

/** The readers of a session's events. */
export interface EventQueue {
  readonly hasReaders: () => boolean;
  add(event: Event): void;
  open(): Events;
  close(): void;
}

export function openEventQueue(): EventQueue {
  const readers = new Set<Reader>();
  let closed = false;
  return {
    hasReaders: () => readers.size > 0,
    add(event) {
      for (const reader of readers) reader.add(event);
    },
    open() {
      const reader = openReader(() => readers.delete(reader));
      if (closed) reader.end();
      else readers.add(reader);
      return reader.events;
    },
    close() {
      closed = true;
      for (const reader of readers) reader.end();
      readers.clear();
    },
  };
}

interface Reader {
  readonly events: Events;
  add(event: Event): void;
  end(): void;
}

function openReader(leave: () => void): Reader {
  const waiting: Event[] = [];
  const asked: ((result: IteratorResult<Event, undefined>) => void)[] = [];
  let [ended, dropped] = [false, 0];
  const end = (): void => {
    ended = true;
    for (const answer of asked.splice(0)) answer({done: true, value: undefined});
  };
  const events: Events = {
    get dropped() {
      return dropped;
    },
    next() {
      const event = waiting.shift();
      if (event) return Promise.resolve({done: false, value: event});
      if (ended) return Promise.resolve({done: true, value: undefined});
      return new Promise((resolve) => asked.push(resolve));
    },
    return() {
      leave();
      waiting.length = 0;
      end();
      return Promise.resolve({done: true, value: undefined});
    },
    [Symbol.asyncIterator]: () => events,
  };
  return {
    events,
    add(event) {
      const answer = asked.shift();
      if (answer) answer({done: false, value: event});
      else if (waiting.length < waitingAtMost) waiting.push(event);
      else dropped++;
    },
    end,
  };
}
