import type {Readable, Writable} from 'node:stream';
import {setTimeout as wait} from 'node:timers/promises';
import {quoted} from '../../errors.ts';
import type {Answer, Denial} from '../../library/types.ts';
import {answerOf, elicitationOf, type AskHost, type Approvals} from '../server/approvals.ts';
import {
  errorResponse,
  isTable,
  rpcCodes,
  type Id,
  type Malformed,
  type Message,
  type Notification,
  type Params,
  type Request,
  type Response,
} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import {hasFailed, withDenials, withoutMeta, type DenialRecords} from './call-denials.ts';
import {knownMethods, servedMethods} from './known-methods.ts';
import {openOwnRequests} from './own-requests.ts';
import {openPeer, type Peer} from './peer.ts';
import type {ServerProcess} from './server-process.ts';
import type {AllowedCall, ToolGate} from './tool-gate.ts';

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
interface Open {
  readonly method: string;
  readonly id: Id;
  readonly since: number;
  readonly input?: string;
  readonly call?: AllowedCall;
}

const openAtMost = 10_000;
const restartsPerMinute = 3;
const askMs = 120_000;
const listMs = 15_000;
const listedPages = 100;
/** A refusal is reported on another way than the server's answer, and may arrive a little later. */
const denialMs = 25;
/** The same, for an answer that looks like a refusal. */
const likelyDenialMs = 1000;
const refusalWords =
  /EACCES|EPERM|EROFS|EXDEV|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|permission|not permitted|read-only|unreachable/i;

/**
 * Passes messages between a client and a server in the sandbox. Each is judged in the form in which it is sent on. Resolves
 * to the exit code when the client has gone, or the server cannot be kept running.
 */
export async function runGateway(input: GatewayInput): Promise<number> {
  const {server, gate, denials, approvals, warn, passUnknown, ended} = input;
  const open = new Map<string, Open>();
  /** Requests that wait for a decision. True: cancelled meanwhile. */
  const deciding = new Map<string, boolean>();
  const askedByServer = new Set<string>();
  const restarts: number[] = [];
  let [initialize, isInitialized, canAsk, isClosing]: [Params | undefined, boolean, boolean, boolean] = [
    undefined,
    false,
    false,
    false,
  ];
  let process = await input.start();
  let finish: (code: number) => void;
  const code = new Promise<number>((resolve) => (finish = resolve));
  const reported = new Set<string>();
  const warnOnce = (text: string): void => {
    if (!reported.has(text) && reported.size < 100) warn(text);
    reported.add(text);
  };

  let connection: Peer;
  const client = openPeer(input.client.input, input.client.output, {
    onMessage: (message) => fromClient(message),
    onEnd: () => finish(0),
    onSlow: () => connection.hold('client'),
    onCaughtUp: () => connection.release('client'),
  });
  const connect = (): Peer =>
    openPeer(process.output, process.input, {
      onMessage: (message) => fromServer(message),
      onEnd: () => undefined,
      onSlow: () => client.hold('server'),
      onCaughtUp: () => client.release('server'),
    });
  connection = connect();
  const toServer = openOwnRequests((request) => connection.send(request));
  const toClient = openOwnRequests((request) => client.send(request));
  const isDenied = await gate.deniesServer();
  void watch();

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
          return warnOnce('dropped an answer of the client that no request waits for');
        return connection.send(message);
    }
  }

  async function request(message: Request): Promise<void> {
    const {id, method, params} = message;
    const key = keyOf(id);
    const refuse = (code: number, why: string): void => client.send(errorResponse(id, code, why));
    if (open.has(key) || deciding.has(key)) return refuse(rpcCodes.invalidRequest, 'this id is in use');
    if (open.size + deciding.size >= openAtMost)
      return refuse(rpcCodes.internal, 'too many requests at the same time');
    if (!knownMethods.has(method) && !passUnknown) {
      warnOnce(`refused a request of the client: ion does not know the method ${quoted(method)}`);
      return refuse(rpcCodes.unknownMethod, 'ion does not know this method');
    }
    if (isDenied && servedMethods.has(method))
      return refuse(rpcCodes.denied, `denied: a rule denies the server ${quoted(server)}`);
    if (method === 'tools/call') return toolCall(message);
    if (method === 'initialize') {
      initialize = params ?? {};
      canAsk = isTable(initialize['capabilities']) && 'elicitation' in initialize['capabilities'];
    }
    open.set(key, {method, id, since: denials.mark()});
    connection.send(message);
  }

  async function toolCall(message: Request): Promise<void> {
    const {id, method, params = {}} = message;
    const name = params['name'];
    const key = keyOf(id);
    if (typeof name !== 'string')
      return client.send(errorResponse(id, rpcCodes.invalidParams, 'a call needs the name of a tool'));
    deciding.set(key, false);
    if (!gate.knows(name)) await listTools(params);
    const ask: AskHost = async (question) => {
      const answer = await toClient.send(
        'elicitation/create',
        elicitationOf(question) as unknown as Params,
        askMs,
      );
      return answerOf(answer?.result) satisfies Answer;
    };
    const argumentsOf = isTable(params['arguments']) ? params['arguments'] : {};
    const decided = await approvals.during(canAsk ? ask : undefined, () => gate.call(name, argumentsOf));
    const isCancelled = deciding.get(key);
    deciding.delete(key);
    if (!('end' in decided)) {
      const {text, reason, denialId} = decided;
      const result = {
        content: [{type: 'text', text}],
        isError: true,
        _meta: {'ion-sandbox/decision': {decision: 'deny', reason, denial_id: denialId}},
      };
      return client.send({kind: 'response', id, result});
    }
    if (isCancelled) return decided.end(true, []);
    open.set(key, {method, id, since: denials.mark(), input: JSON.stringify(argumentsOf), call: decided});
    connection.send(message);
  }

  /** A client may call a tool that it knows from before. The definition is compared first. */
  async function listTools({_meta: meta}: Params): Promise<void> {
    let cursor: Json | undefined;
    for (let page = 0; page < listedPages; page++) {
      const params = {
        ...(cursor === undefined ? {} : {cursor}),
        ...(isTable(meta) ? {_meta: envelopeOf(meta)} : {}),
      };
      const answer = await toServer.send('tools/list', params, listMs);
      if (!isTable(answer?.result) || !Array.isArray(answer.result['tools'])) return;
      await gate.listed(answer.result['tools'] as readonly Json[], canAsk);
      cursor = answer.result['nextCursor'];
      if (typeof cursor !== 'string') return;
    }
  }

  function notification(message: Notification): void {
    const {method, params = {}} = message;
    if (method === 'notifications/initialized') isInitialized = true;
    if (method === 'notifications/cancelled') {
      const id = params['requestId'];
      const key = keyOf(id as Id);
      if (deciding.has(key)) return void deciding.set(key, true);
    }
    connection.send(message);
  }

  function fromServer(message: Message | Malformed): void {
    switch (message.kind) {
      case 'malformed':
        return warnOnce(`dropped a message of the server ${quoted(server)}: ${message.why}`);
      case 'notification':
        return client.send(message);
      case 'request':
        if (askedByServer.size >= openAtMost) return;
        askedByServer.add(keyOf(message.id));
        return client.send(message);
      case 'response':
        return void response(message);
    }
  }

  async function response(message: Response): Promise<void> {
    if (toServer.take(message)) return;
    const key = message.id === null ? undefined : keyOf(message.id);
    const asked = key === undefined ? undefined : open.get(key);
    if (!asked)
      return warnOnce(`dropped an answer of the server ${quoted(server)} that no request waits for`);
    open.delete(key!);
    const clean = message.result === undefined ? message : {...message, result: withoutMeta(message.result)!};
    if (asked.method === 'tools/list') return client.send(await filtered(clean));
    if (!asked.call) return client.send(clean);
    const failed = hasFailed(clean);
    const found = failed ? await denialsOf(asked, JSON.stringify(clean.result ?? clean.error)) : [];
    asked.call.end(failed, found);
    client.send(withDenials(clean, found));
  }

  async function denialsOf({since, input: given}: Open, answer: string): Promise<readonly Denial[]> {
    const until = Date.now() + (refusalWords.test(answer) ? likelyDenialMs : denialMs);
    for (;;) {
      const found = denials.of(since, [given!, answer]);
      if (found.length > 0 || Date.now() >= until) return found;
      await wait(10);
    }
  }

  async function filtered(message: Response): Promise<Response> {
    const {result} = message;
    if (!isTable(result) || !Array.isArray(result['tools'])) return message;
    return {
      ...message,
      result: {...result, tools: await gate.listed(result['tools'] as readonly Json[], canAsk)},
    };
  }

  /** Reports the end of the server, and starts it again: at most three times a minute. */
  async function watch(): Promise<void> {
    for (;;) {
      const how = await process.ended;
      connection.close();
      if (isClosing) return;
      toServer.cancel();
      for (const {id, call} of open.values()) {
        call?.end(true, []);
        client.send(errorResponse(id, rpcCodes.internal, `the server ${quoted(server)} has ended (${how})`));
      }
      open.clear();
      askedByServer.clear();
      const now = Date.now();
      const recent = restarts.filter((at) => now - at < 60_000);
      if (recent.length >= restartsPerMinute) {
        warn(
          `the server ${quoted(server)} has ended (${how}), after ${restartsPerMinute} restarts in a minute`,
        );
        return finish(1);
      }
      restarts.push(now);
      warn(`the server ${quoted(server)} has ended (${how}): starting it again`);
      client.hold('restart');
      try {
        process = await input.start();
      } catch (error) {
        warn(`the server ${quoted(server)} could not be started again: ${(error as Error).message}`);
        return finish(1);
      }
      connection = connect();
      if (initialize) {
        await toServer.send('initialize', initialize, listMs);
        if (isInitialized) connection.send({kind: 'notification', method: 'notifications/initialized'});
      }
      client.release('restart');
    }
  }

  const exit = await Promise.race([
    code,
    new Promise<number>((resolve) => ended.addEventListener('abort', () => resolve(0), {once: true})),
  ]);
  isClosing = true;
  approvals.asker.cancel();
  toClient.cancel();
  toServer.cancel();
  await endServer(process);
  for (const {call} of open.values()) call?.end(true, []);
  await client.flushed();
  return exit;
}

function keyOf(id: Id): string {
  return JSON.stringify(id) ?? '';
}

/** What a request of 2026-07-28 says about its client. */
function envelopeOf(meta: Params): Params {
  return Object.fromEntries(
    Object.entries(meta).filter(([name]) => name.startsWith('io.modelcontextprotocol/')),
  );
}

/** As the protocol says: closes its input, then asks, then kills. */
async function endServer(process: ServerProcess): Promise<void> {
  process.input.end();
  const hasEnded = async (ms: number): Promise<boolean> => {
    const timer = new AbortController();
    const late = wait(ms, false, {signal: timer.signal}).catch(() => false);
    const result = await Promise.race([process.ended.then(() => true), late]);
    timer.abort();
    return result;
  };
  if (await hasEnded(2000)) return;
  process.kill('SIGTERM');
  if (await hasEnded(2000)) return;
  process.kill('SIGKILL');
  await process.ended;
}
