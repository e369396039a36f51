import type {JSONRPCMessage, Transport} from '@modelcontextprotocol/server';
import type {Readable, Writable} from 'node:stream';
import {errorResponse, parseLine, renderMessage, type Message} from '../wire/message.ts';
import {readLines, type LineReader} from '../wire/read-lines.ts';
import {writeLines} from '../wire/write-lines.ts';

/** A host that reads slowly: whatever sends to it should be held. */
export interface SlowHost {
  readonly onSlow: () => void;
  readonly onCaughtUp: () => void;
}

/**
 * The SDK's transport over two streams, with strict messages: a line that is not acceptable is answered with an error, and
 * reading goes on. ion stops reading while the host does not read.
 */
export function lineTransport(
  input: Readable,
  output: Writable,
  slowHost?: SlowHost,
): {readonly transport: Transport; readonly closed: Promise<void>} {
  let reader: LineReader | undefined;
  let isClosed = false;
  let end: () => void;
  const closed = new Promise<void>((resolve) => (end = resolve));
  const writer = writeLines(output, {
    onDrain() {
      reader?.resume();
      slowHost?.onCaughtUp();
    },
    onGone: () => void transport.close(),
  });
  const put = (line: string): void => {
    if (writer.write(line)) return;
    reader?.pause();
    slowHost?.onSlow();
  };
  const write = (message: Message): void => put(renderMessage(message));
  const transport: Transport = {
    start() {
      reader = readLines(input, {
        onLine(line) {
          for (const one of parseLine(line)) {
            if (one.kind === 'malformed') write(errorResponse(one.id, one.code, one.why));
            else transport.onmessage?.(sdkMessage(one));
          }
        },
        onTooLong: () => write(errorResponse(null, -32700, 'the message is larger than 16 MB')),
        onEnd: () => void transport.close(),
      });
      return Promise.resolve();
    },
    send(message) {
      if (!isClosed) put(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await writer.flushed();
      transport.onclose?.();
      end();
    },
  };
  return {transport, closed};
}

function sdkMessage(message: Message): JSONRPCMessage {
  return JSON.parse(renderMessage(message)) as JSONRPCMessage;
}
