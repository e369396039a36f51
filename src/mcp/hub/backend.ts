import {quoted} from '../../errors.ts';
import {randomRunId} from '../../system/run-id.ts';
import {beginCall} from '../gateway/begin-call.ts';
import {attributed} from '../gateway/forgery.ts';
import {keepServer, type Greeting} from '../gateway/kept-server.ts';
import {listTools} from '../gateway/list-tools.ts';
import {without} from '../gateway/lookalikes.ts';
import {warnOnce} from '../gateway/warn-once.ts';
import type {WrappedServer} from '../gateway/wrapped-server.ts';
import type {Call} from '../server/tool-table.ts';
import {errorResponse, isTable, rpcCodes} from '../wire/message.ts';
import type {Malformed, Message, Notification, Params, Request} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';

/** The host, for requests of the servers behind ion: sampling, roots, elicitation. */
export interface HubHost {
  /** The kinds of these requests that it supports. */
  capabilities(): Params;
  /** Rejects if it does not answer with a result. */
  request(method: string, params: Params): Promise<Json>;
}

/** One of several servers. ion is its client. */
export interface Backend {
  readonly server: string;
  /** The tools that may be listed. Undefined if the server gives no list. */
  tools(canAsk: boolean): Promise<readonly Params[] | undefined>;
  /** Returns a result of `tools/call`. */
  call(name: string, input: Params, call: Call, canAsk: boolean): Promise<Params>;
  /** Stops and starts reading from it: the host reads slowly. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

interface BackendInput {
  readonly wrapped: WrappedServer;
  readonly host: HubHost;
  readonly version: string;
  readonly warn: (text: string) => void;
}

const protocolVersion = '2025-11-25';
const greetMs = 60_000;
/** With these members a result of 2026-07-28 asks the user. ion would ask in its own name. */
const asking = ['resultType', 'inputRequests', 'requestState'];
/** Requests of one server to the host that wait for an answer. */
const askedAtMost = 100;
/** Messages that ion keeps for a server that does not read. */
const unreadAtMost = 10_000;
/** Requests that a server may send to the host, and the capability that the host needs for it. */
const forwarded: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
  'elicitation/create': 'elicitation',
};

/** Starts the server. Throws if it is denied, or if its boundary cannot be set up. */
export async function openBackend({wrapped, host, version, warn}: BackendInput): Promise<Backend> {
  const {server, gate, denials} = wrapped;
  const reportOnce = warnOnce(warn);
  const progress = new Map<string, Call['progress']>();
  let greeted: Promise<void> | undefined;
  let listed: Promise<Json[] | undefined> | undefined;
  let [isGone, asked, unread] = [false, 0, 0];
  const kept = await keepServer({
    server,
    start: () => wrapped.start(),
    warn,
    onMessage: received,
    onEnd: () => (listed = undefined),
    async greet(way) {
      if (greeted) await (greeted = greet(way));
    },
    onUp: () => undefined,
    onGivenUp: () => (isGone = true),
    // Not held for it: a server that first writes and then reads would never go on.
    onSlow: () => unread++,
    onCaughtUp: () => (unread = 0),
  });

  async function greet(way: Greeting): Promise<void> {
    const params = {
      protocolVersion,
      capabilities: host.capabilities(),
      clientInfo: {name: 'ion', version},
    };
    await way.request('initialize', params, {timeoutMs: greetMs});
    way.send({kind: 'notification', method: 'notifications/initialized'});
  }

  /** Starts at the first use: earlier ion does not know what the host supports. */
  const ready = (): Promise<void> => (greeted ??= greet(kept));

  function received(message: Message | Malformed): void {
    if (message.kind === 'malformed')
      return reportOnce(`dropped a message of the server ${quoted(server)}: ${message.why}`);
    if (message.kind === 'notification') return notification(message);
    if (message.kind === 'request') return void request(message);
    reportOnce(`dropped an answer of the server ${quoted(server)} that no request waits for`);
  }

  function notification({method, params = {}}: Notification): void {
    if (method === 'notifications/tools/list_changed') listed = undefined;
    if (method !== 'notifications/progress') return;
    const {progressToken, progress: done, message} = params;
    const report = typeof progressToken === 'string' ? progress.get(progressToken) : undefined;
    if (typeof done === 'number') report?.(done, typeof message === 'string' ? message : '');
  }

  async function request(message: Request): Promise<void> {
    const {id, method, params = {}} = message;
    const refuse = (code: number, why: string): void => kept.send(errorResponse(id, code, why));
    if (unread >= unreadAtMost)
      return reportOnce(`dropped a request of the server ${quoted(server)}: it does not read the answers`);
    if (method === 'ping') return kept.send({kind: 'response', id, result: {}});
    const capability = Object.hasOwn(forwarded, method) ? forwarded[method]! : undefined;
    if (capability === undefined || !(capability in host.capabilities()))
      return refuse(rpcCodes.unknownMethod, 'the host does not know this method');
    if (asked >= askedAtMost) return refuse(rpcCodes.internal, 'too many requests at the same time');
    asked++;
    const shown = attributed(message, server) as Request;
    try {
      const result = await host.request(method, shown.params ?? params);
      kept.send({kind: 'response', id, result});
    } catch (error) {
      refuse(rpcCodes.internal, (error as Error).message);
    } finally {
      asked--;
    }
  }

  const list = async (canAsk: boolean): Promise<Json[] | undefined> => {
    await ready();
    listed ??= listTools(kept.request, gate, canAsk);
    const tools = await listed;
    if (!tools) listed = undefined;
    return tools;
  };

  const ended = (): Params => failedWith(`the server ${quoted(server)} has ended`);

  return {
    server,
    tools: async (canAsk) => (isGone ? undefined : ((await list(canAsk)) as readonly Params[] | undefined)),
    async call(name, input, call, canAsk) {
      if (isGone) return ended();
      if (unread >= unreadAtMost) return failedWith(`the server ${quoted(server)} does not read`);
      await ready();
      if (!gate.isOpen(name)) {
        listed = undefined;
        await list(canAsk);
      }
      const begun = await beginCall({gate, denials}, name, input);
      if ('refused' in begun) return begun.refused as Params;
      const progressToken = randomRunId();
      progress.set(progressToken, (done, message) => call.progress(done, message));
      const params = {name, arguments: input, _meta: {progressToken}};
      const response = await kept.request('tools/call', params, {signal: call.signal});
      progress.delete(progressToken);
      if (!response) {
        begun.drop();
        call.signal.throwIfAborted();
        return ended();
      }
      const {result, error} = await begun.finish(response);
      if (isTable(result)) return without(result, asking);
      const meta = isTable(error?.data) ? {_meta: error.data} : {};
      return {...failedWith(error?.message ?? 'the server has sent no result'), ...meta};
    },
    hold: () => kept.hold(),
    release: () => kept.release(),
    close: () => kept.close(),
  };
}

function failedWith(text: string): Params {
  return {content: [{type: 'text', text: `${text}\n`}], isError: true};
}
