import {isTable, type Malformed, type Message, type Params, type RpcError} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import {withoutLookalikes} from './lookalikes.ts';

/** Names with this beginning are ion's: the denials and the decision in `_meta`. */
export const ownNames = 'ion-sandbox/';

/** A server cannot write in ion's name: ion removes every member with such a name, wherever it is. */
export function withoutForgery<M extends Message | Malformed>(message: M): M {
  return (message.kind === 'malformed' ? message : cleaned(message as unknown as Json)) as M;
}

/** Returns the value itself if there is nothing to remove. */
function cleaned(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(cleaned);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const table = value as Params;
  let copy: Record<string, Json> | undefined;
  for (const name of Object.keys(table)) {
    const kept = cleaned(table[name]!);
    if (kept === table[name] && !name.startsWith(ownNames)) continue;
    copy ??= {...table};
    if (name.startsWith(ownNames)) delete copy[name];
    else copy[name] = kept;
  }
  return copy ?? value;
}

/** A host shows ion's questions and those of a server in the same way. So the text of a server's question names the server. */
export function attributed<M extends Message>(message: M, server: string): M {
  if (message.kind === 'request' && message.method === elicitation)
    return {...message, params: askedBy(server, message.params ?? {})};
  if (message.kind !== 'response') return message;
  const {result, error} = message;
  if (error) return isTable(error.data) ? {...message, error: inError(error, error.data, server)} : message;
  return isTable(result) ? {...message, result: inResult(result, server)} : message;
}

const elicitation = 'elicitation/create';

/** Questions of 2026-07-28: the result asks. */
function inResult(given: Params, server: string): Params {
  const result = withoutLookalikes(given, ['inputRequests']);
  const {inputRequests} = result;
  if (!isTable(inputRequests)) return result;
  const requests = Object.entries(inputRequests).map(([name, given]): [string, Json] => {
    if (!isTable(given)) return [name, given];
    const request = withoutLookalikes(given, ['method', 'params']);
    const {method, params} = request;
    if (method !== elicitation) return [name, request];
    return [name, {...request, params: askedBy(server, isTable(params) ? params : {})}];
  });
  return {...result, inputRequests: Object.fromEntries(requests)};
}

/** Questions of 2025-11-25 that open a page (-32042): the error asks. */
function inError(error: RpcError, given: Params, server: string): RpcError {
  const data = withoutLookalikes(given, ['elicitations']);
  const {elicitations} = data;
  if (!Array.isArray(elicitations)) return {...error, data};
  const asked = (elicitations as readonly Json[]).map((one) => (isTable(one) ? askedBy(server, one) : one));
  return {...error, data: {...data, elicitations: asked}};
}

function askedBy(server: string, given: Params): Params {
  const params = withoutLookalikes(given, ['message']);
  const text = typeof params['message'] === 'string' ? params['message'] : '';
  return {...params, message: `The MCP server "${server}" asks, not ion: ${text}`};
}
