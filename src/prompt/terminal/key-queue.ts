import {decodeKeys, flushKeys, noPending, type Key} from '../line/decode-keys.ts';
import type {RawInput} from './raw-input.ts';

/** The typed keys, one after the other. It ends when the terminal hangs up. */
export interface KeyQueue extends AsyncIterable<Key> {
  /** Reports whether keys are waiting in the queue. */
  isWaiting(): boolean;
  /** Takes all of them. */
  rest(): readonly Key[];
  close(): void;
}

/** How long the rest of an escape sequence or a paste may take. After that, Escape was the key, and the paste is complete. */
const escapeMs = 50;

/** `begun`: keys that were read before. `ended` ends the queue like a terminal that hangs up. */
export function openKeyQueue(input: RawInput, begun: readonly Key[], ended: AbortSignal): KeyQueue {
  const waiting = [...begun];
  let rest = noPending;
  let isOver = false;
  let wake: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const add = (decoded: ReturnType<typeof decodeKeys>): void => {
    waiting.push(...decoded.keys);
    rest = decoded.rest;
    wake();
  };
  const end = (): void => {
    isOver = true;
    wake();
  };
  ended.addEventListener('abort', end);
  if (ended.aborted) end();
  input.onPiece((text) => {
    clearTimeout(timer);
    if (text === undefined) return end();
    add(decodeKeys(rest, text));
    waitForRest();
  });
  const waitForRest = (): void => {
    if (rest.pending === '') return;
    timer = setTimeout(() => {
      const before = rest.pending;
      add(flushKeys(rest));
      if (rest.pending !== before) waitForRest();
    }, escapeMs);
  };
  return {
    isWaiting: () => waiting.length > 0,
    rest: () => waiting.splice(0),
    close: () => ended.removeEventListener('abort', end),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const key = waiting.shift();
        if (key) yield key;
        else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
