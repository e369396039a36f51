import {setTimeout as wait} from 'node:timers/promises';
import {quoted} from '../../errors.ts';
import type {Malformed, Message} from '../wire/message.ts';
import {withoutForgery} from './forgery.ts';
import {openOwnRequests, type SendRequest} from './own-requests.ts';
import {openPeer, type Peer} from './peer.ts';
import type {ServerProcess} from './server-process.ts';

/** Sends at once to a server that was started again. All other messages wait until it is greeted. */
export interface Greeting {
  send(message: Message): void;
  readonly request: SendRequest;
}

interface KeptServerInput {
  readonly server: string;
  readonly start: () => Promise<ServerProcess>;
  readonly warn: (text: string) => void;
  /** The messages of the server itself, without the answers to ion's own requests. */
  readonly onMessage: (message: Message | Malformed) => void;
  /** It has ended: no request of the client gets an answer any more. */
  readonly onEnd: (how: string) => void;
  /** It was started again. Brings the new process to the state of the ended one. */
  readonly greet: (way: Greeting) => Promise<void>;
  readonly onUp: () => void;
  /** It is not started again. */
  readonly onGivenUp: () => void;
  /** It reads slowly: its sender should be held. */
  readonly onSlow: () => void;
  readonly onCaughtUp: () => void;
}

/** A server that is started again when it ends, at most three times a minute. */
export interface KeptServer {
  /** Sends now, or when a restart that is under way has ended. */
  send(message: Message): void;
  /** A request of ion itself. */
  readonly request: SendRequest;
  /** Stops and starts reading from it: the receiver of its messages is slow. */
  readonly hold: () => void;
  readonly release: () => void;
  close(): Promise<void>;
}

const restartsPerMinute = 3;
/** A host gives ion four seconds in all, with the same steps. */
const endMs = 1500;

/** Throws if the server is denied, or if its boundary cannot be set up. Later that is a warning, and the server is given up. */
export async function keepServer(input: KeptServerInput): Promise<KeptServer> {
  const {server, warn} = input;
  const name = quoted(server);
  const restarts: number[] = [];
  /** The messages that are sent during a restart. */
  let queue: Message[] | undefined;
  let [isClosing, isGivenUp] = [false, false];
  let process = await input.start();
  const direct = (message: Message): void => connection.send(message);
  const send = (message: Message): void => (queue ? void queue.push(message) : direct(message));
  const own = openOwnRequests(send);
  const greeting = openOwnRequests(direct);
  const connect = (): Peer =>
    openPeer(process.output, process.input, {
      onMessage(received) {
        const message = withoutForgery(received);
        if (message.kind === 'response' && (own.take(message) || greeting.take(message))) return;
        input.onMessage(message);
      },
      onEnd: () => undefined,
      onGone: () => undefined,
      onSlow: input.onSlow,
      onCaughtUp: input.onCaughtUp,
    });
  let connection = connect();
  // Wait a turn: the caller must have the returned server before it is informed of the server's end.
  setImmediate(() => void watch());

  function mayRestart(): boolean {
    const now = Date.now();
    const recent = restarts.filter((at) => now - at < 60_000);
    restarts.splice(0, restarts.length, ...recent, now);
    return recent.length < restartsPerMinute;
  }

  /** Returns false if it is given up. */
  async function restart(how: string): Promise<boolean> {
    if (!mayRestart()) {
      warn(`the server ${name} has ended (${how}), after ${restartsPerMinute} restarts in a minute`);
      return false;
    }
    warn(`the server ${name} has ended (${how}): starting it again`);
    try {
      process = await input.start();
    } catch (error) {
      warn(`the server ${name} could not be started again: ${(error as Error).message}`);
      return false;
    }
    connection = connect();
    return true;
  }

  async function watch(): Promise<void> {
    for (;;) {
      const how = await process.ended;
      connection.close();
      if (isClosing) return;
      // If a server ends before it is ready, its waiting messages are dropped, and their senders get an error too.
      const waiting: Message[] = [];
      queue = waiting;
      own.cancel();
      greeting.cancel();
      input.onEnd(how);
      if (!(await restart(how))) break;
      const greeted = input.greet({send: direct, request: greeting.send}).then(() => true);
      if (!(await Promise.race([greeted, process.ended.then(() => false)]))) continue;
      queue = undefined;
      for (const message of waiting) direct(message);
      input.onUp();
    }
    isGivenUp = true;
    own.cancel();
    input.onGivenUp();
  }

  return {
    send,
    request: (...request) => (isGivenUp ? Promise.resolve(undefined) : own.send(...request)),
    hold: () => connection.hold('client'),
    release: () => connection.release('client'),
    async close() {
      isClosing = true;
      own.cancel();
      greeting.cancel();
      if (!isGivenUp) await endServer(process);
    },
  };
}

/** Ends it in the order of the protocol: closes its input, then sends SIGTERM, then SIGKILL. */
async function endServer(process: ServerProcess): Promise<void> {
  process.input.end();
  if (await hasEnded(process, endMs)) return;
  process.kill('SIGTERM');
  if (await hasEnded(process, endMs)) return;
  process.kill('SIGKILL');
  await process.ended;
}

async function hasEnded(process: ServerProcess, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = wait(ms, false, {signal: timer.signal}).catch(() => false);
  const result = await Promise.race([process.ended.then(() => true), late]);
  timer.abort();
  return result;
}
