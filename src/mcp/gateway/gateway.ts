import type {Readable, Writable} from 'node:stream';
import {quoted} from '../../errors.ts';
import type {Approvals} from '../server/approvals.ts';
import {errorResponse, isTable, rpcCodes, type Malformed, type Message} from '../wire/message.ts';
import type {Id, Notification, Params, Request, Response} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import {askBy, beginCall, type BegunCall} from './begin-call.ts';
import type {DenialRecords} from './call-denials.ts';
import {attributed} from './forgery.ts';
import {keepServer, type Greeting} from './kept-server.ts';
import {knownMethods, servedMethods} from './known-methods.ts';
import {listTools} from './list-tools.ts';
import {withoutLookalikes} from './lookalikes.ts';
import {openOwnRequests} from './own-requests.ts';
import {openPeer} from './peer.ts';
import type {ServerProcess} from './server-process.ts';
import type {ToolGate} from './tool-gate.ts';
import {warnOnce} from './warn-once.ts';

export interface GatewayInput {
  readonly server: string;
  readonly gate: ToolGate;
  readonly denials: DenialRecords;
  readonly approvals: Approvals;
  readonly start: () => Promise<ServerProcess>;
  readonly client: {readonly input: Readable; readonly output: Writable};
  readonly passUnknown: boolean;
  readonly warn: (text: string) => void;
  /** Aborted when a signal ends ion. */
  readonly ended: AbortSignal;
}

/** A request of the client that the server has not answered. */
interface OpenRequest {
  readonly method: string;
  readonly id: Id;
  readonly call?: BegunCall;
  /** A page of a list, not its beginning. */
  readonly isPage?: boolean;
}

const openAtMost = 10_000;
const greetMs = 15_000;

/**
 * Passes messages between a client and a server in the sandbox. ion judges each message in the form in which it passes it on.
 * Resolves to the exit code when the client has gone, or the server cannot be kept running.
 */
export async function runGateway(input: GatewayInput): Promise<number> {
  const {server, gate, denials, approvals, passUnknown, ended} = input;
  const warn = warnOnce(input.warn);
  const open = new Map<string, OpenRequest>();
  /** Calls that wait for a decision. True: cancelled meanwhile. */
  const deciding = new Map<string, boolean>();
  const askedByServer = new Set<string>();
  let [initialize, isInitialized, canAsk]: [Params | undefined, boolean, boolean] = [undefined, false, false];
  let finish: (code: number) => void;
  const code = new Promise<number>((resolve) => (finish = resolve));

  const kept = await keepServer({
    server,
    start: input.start,
    warn: input.warn,
    onMessage: (message) => fromServer(message),
    onEnd: endOpen,
    greet,
    onUp: () => client.release('restart'),
    onGivenUp: () => finish(1),
    onSlow: () => client.hold('server'),
    onCaughtUp: () => client.release('server'),
  });
  const client = openPeer(input.client.input, input.client.output, {
    onMessage: (message) => fromClient(message),
    onEnd: () => finish(0),
    onGone: () => finish(0),
    // A client that does not read its answers may not ask for more.
    onSlow() {
      kept.hold();
      client.hold('client');
    },
    onCaughtUp() {
      kept.release();
      client.release('client');
    },
  });
  const toClient = openOwnRequests((message) => client.send(message));
  const ask = askBy(toClient.send);
  const isDenied = await gate.deniesServer();

  function fromClient(message: Message | Malformed): void {
    switch (message.kind) {
      case 'malformed':
        return client.send(errorResponse(message.id, message.code, message.why));
      case 'request':
        return void request(message).catch((error: unknown) => {
          deciding.delete(keyOf(message.id));
          client.send(errorResponse(message.id, rpcCodes.internal, `ion: ${(error as Error).message}`));
        });
      case 'notification':
        return notification(message);
      case 'response':
        if (toClient.take(message)) return;
        if (message.id === null || !askedByServer.delete(keyOf(message.id)))
          return warn('dropped an answer of the client that no request waits for');
        return kept.send(message);
    }
  }

  /** A server that does not look at ids would carry out a request that comes as a notification, and nothing judged it. */
  const isNotification = (method: string): boolean => passUnknown || method.startsWith('notifications/');

  async function request(message: Request): Promise<void> {
    const {id, method, params} = message;
    const key = keyOf(id);
    const refuse = (number: number, why: string): void => client.send(errorResponse(id, number, why));
    if (open.has(key) || deciding.has(key)) return refuse(rpcCodes.invalidRequest, 'this id is in use');
    if (open.size + deciding.size >= openAtMost)
      return refuse(rpcCodes.internal, 'too many requests at the same time');
    if (!knownMethods.has(method) && !passUnknown) {
      warn(`refused a request of the client: ion does not know the method ${quoted(method)}`);
      return refuse(rpcCodes.unknownMethod, 'ion does not know this method');
    }
    if (isDenied && servedMethods.has(method))
      return refuse(rpcCodes.denied, `denied: a rule denies the server ${quoted(server)}`);
    if (method === 'tools/call') return toolCall(message);
    if (method === 'initialize') {
      initialize = params ?? {};
      canAsk = isTable(initialize['capabilities']) && 'elicitation' in initialize['capabilities'];
    }
    open.set(key, {method, id, isPage: params?.['cursor'] !== undefined});
    kept.send(message);
  }

  async function toolCall(message: Request): Promise<void> {
    const {id, method} = message;
    const params = withoutLookalikes(message.params ?? {}, ['name', 'arguments']);
    const {name, arguments: given = {}, _meta: meta} = params;
    if (typeof name !== 'string' || !isTable(given)) {
      const why = 'a call needs the name of a tool, and its arguments as an object';
      return client.send(errorResponse(id, rpcCodes.invalidParams, why));
    }
    const key = keyOf(id);
    deciding.set(key, false);
    // A client may call a tool that it knows from before. The definition is compared first.
    if (!gate.isOpen(name)) await listTools(kept.request, gate, canAsk, envelopeOf(meta));
    const call = await approvals.during(canAsk ? ask : undefined, () =>
      beginCall({gate, denials}, name, given),
    );
    const isCancelled = deciding.get(key);
    deciding.delete(key);
    if ('refused' in call) return client.send({kind: 'response', id, result: call.refused});
    if (isCancelled) return call.drop();
    open.set(key, {method, id, call});
    kept.send({...message, params});
  }

  function notification(message: Notification): void {
    const {method, params = {}} = message;
    if (!isNotification(method))
      return warn(`dropped a notification of the client: ${quoted(method)} is not one`);
    if (method === 'notifications/initialized') isInitialized = true;
    if (method === 'notifications/cancelled') {
      const key = keyOf(params['requestId'] as Id);
      if (deciding.has(key)) return void deciding.set(key, true);
      // A cancelled request gets no answer.
      open.get(key)?.call?.drop();
      open.delete(key);
    }
    kept.send(message);
  }

  function fromServer(message: Message | Malformed): void {
    switch (message.kind) {
      case 'malformed':
        return warn(`dropped a message of the server ${quoted(server)}: ${message.why}`);
      case 'notification':
        if (!isNotification(message.method))
          return warn(
            `dropped a notification of the server ${quoted(server)}: ${quoted(message.method)} is not one`,
          );
        if (message.method === 'notifications/cancelled')
          askedByServer.delete(keyOf(message.params?.['requestId'] as Id));
        return client.send(message);
      case 'request':
        if (askedByServer.size >= openAtMost)
          return warn(`dropped a request of the server ${quoted(server)}: too many wait for an answer`);
        askedByServer.add(keyOf(message.id));
        return client.send(attributed(message, server));
      case 'response':
        return void response(message).catch((error: unknown) => {
          client.send(errorResponse(message.id, rpcCodes.internal, `ion: ${(error as Error).message}`));
        });
    }
  }

  async function response(message: Response): Promise<void> {
    const key = keyOf(message.id);
    const asked = open.get(key);
    if (!asked) return warn(`dropped an answer of the server ${quoted(server)} that no request waits for`);
    open.delete(key);
    const {method, call, isPage = false} = asked;
    const shown =
      method === 'tools/list' ? await filtered(message, isPage) : call ? await call.finish(message) : message;
    client.send(attributed(shown, server));
  }

  async function filtered(message: Response, isPage: boolean): Promise<Response> {
    if (message.error) return message;
    const result = isTable(message.result) ? withoutLookalikes(message.result, ['tools']) : {};
    if (!Array.isArray(result['tools']))
      return errorResponse(
        message.id,
        rpcCodes.internal,
        `the server ${quoted(server)} gives no list of tools`,
      );
    const isWhole = !isPage && result['nextCursor'] === undefined;
    const tools = await gate.listed(result['tools'] as readonly Json[], canAsk, isWhole);
    return {...message, result: {...result, tools}};
  }

  function endOpen(how: string): void {
    client.hold('restart');
    for (const {id, call} of open.values()) {
      call?.drop();
      client.send(errorResponse(id, rpcCodes.internal, `the server ${quoted(server)} has ended (${how})`));
    }
    open.clear();
    askedByServer.clear();
  }

  async function greet(way: Greeting): Promise<void> {
    if (!initialize) return;
    await way.request('initialize', initialize, {timeoutMs: greetMs});
    if (isInitialized) way.send({kind: 'notification', method: 'notifications/initialized'});
  }

  const exit = await Promise.race([
    code,
    new Promise<number>((resolve) => ended.addEventListener('abort', () => resolve(0), {once: true})),
  ]);
  approvals.asker.cancel();
  toClient.cancel();
  await kept.close();
  for (const {call} of open.values()) call?.drop();
  await client.flushed();
  return exit;
}

function keyOf(id: Id | null): string {
  return JSON.stringify(id) ?? '';
}

/** The facts about its client in a request of 2026-07-28. */
function envelopeOf(meta: Json | undefined): Params | undefined {
  if (!isTable(meta)) return undefined;
  return Object.fromEntries(
    Object.entries(meta).filter(([name]) => name.startsWith('io.modelcontextprotocol/')),
  );
}
