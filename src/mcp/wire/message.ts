import {NotJson, parseStrictly, type Json} from './strict-json.ts';

export type Id = string | number;
export type Params = {readonly [name: string]: Json};

export interface Request {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
  readonly params?: Params;
}

export interface Notification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params?: Params;
}

export interface Response {
  readonly kind: 'response';
  /** Null for the answer to a message whose id could not be read. */
  readonly id: Id | null;
  readonly result?: Json;
  readonly error?: RpcError;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

export type Message = Request | Notification | Response;

/** A line, or an element of a batch, that is not a message of JSON-RPC 2.0. */
export interface Malformed {
  readonly kind: 'malformed';
  readonly code: number;
  readonly why: string;
  /** The id of a request that is otherwise wrong, so that its sender gets an answer. */
  readonly id: Id | null;
}

export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** A rule of the user refused the request. */
  denied: -32000,
} as const;

/** Each message of a batch may get an answer that is a hundred times as long. */
const batchAtMost = 10_000;

/** Reads one line. A batch gives each of its messages. */
export function parseLine(line: Uint8Array): readonly (Message | Malformed)[] {
  let value: Json;
  try {
    value = parseStrictly(line);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return [{kind: 'malformed', code: rpcCodes.parse, why: error.message, id: null}];
  }
  if (!Array.isArray(value)) return [messageOf(value)];
  if (value.length === 0) return [malformed('an empty batch', null)];
  if (value.length > batchAtMost) return [malformed(`a batch of more than ${batchAtMost} messages`, null)];
  return (value as readonly Json[]).map(messageOf);
}

function malformed(why: string, id: Id | null): Malformed {
  return {kind: 'malformed', code: rpcCodes.invalidRequest, why, id};
}

function messageOf(value: Json): Message | Malformed {
  if (!isTable(value)) return malformed('a message must be an object', null);
  const {id, method, params, result, error} = value;
  const known = isId(id) ? id : null;
  if (value['jsonrpc'] !== '2.0') return malformed('"jsonrpc" must be "2.0"', known);
  if (method !== undefined) {
    if (typeof method !== 'string') return malformed('"method" must be a string', known);
    if (result !== undefined || error !== undefined)
      return malformed('a message is a request or a response, not both', known);
    if (params !== undefined && !isTable(params)) return malformed('"params" must be an object', known);
    const rest = params === undefined ? {} : {params};
    if (id === undefined) return {kind: 'notification', method, ...rest};
    return isId(id)
      ? {kind: 'request', id, method, ...rest}
      : malformed('"id" must be a string or an integer', null);
  }
  if (!isId(id) && id !== null) return malformed('"id" must be a string or an integer', null);
  if ((result === undefined) === (error === undefined))
    return malformed('a response has either "result" or "error"', null);
  if (result !== undefined) return {kind: 'response', id, result};
  return isError(error)
    ? {kind: 'response', id, error}
    : malformed('"error" needs a code and a message', null);
}

export function isTable(value: Json | undefined): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: Json | undefined): value is Id {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isError(value: Json | undefined): value is Params & RpcError {
  return isTable(value) && Number.isSafeInteger(value['code']) && typeof value['message'] === 'string';
}

/** Writes a message anew: only the members that JSON-RPC has. So ion passes on nothing that it did not read. */
export function renderMessage(message: Message): string {
  const {kind: _, ...members} = message;
  const {error, ...rest} = members as Partial<Response>;
  const {code, message: text, data} = error ?? {};
  return `${JSON.stringify({
    jsonrpc: '2.0',
    ...rest,
    ...(error ? {error: {code, message: text, ...(data === undefined ? {} : {data})}} : {}),
  })}\n`;
}

export function errorResponse(id: Id | null, code: number, message: string, data?: Json): Response {
  return {kind: 'response', id, error: {code, message, ...(data === undefined ? {} : {data})}};
}
