import {isTable, type Malformed, type Message, type Params} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';

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
export function attributed(message: Message, server: string): Message {
  if (message.kind === 'request' && message.method === 'elicitation/create')
    return {...message, params: askedBy(server, message.params ?? {})};
  if (message.kind !== 'response' || !isTable(message.result)) return message;
  const {inputRequests} = message.result;
  if (!isTable(inputRequests)) return message;
  const requests = Object.entries(inputRequests).map(([name, request]): [string, Json] => [
    name,
    isTable(request) && request['method'] === 'elicitation/create'
      ? {...request, params: askedBy(server, isTable(request['params']) ? request['params'] : {})}
      : request,
  ]);
  return {...message, result: {...message.result, inputRequests: Object.fromEntries(requests)}};
}

function askedBy(server: string, params: Params): Params {
  const text = typeof params['message'] === 'string' ? params['message'] : '';
  return {...params, message: `The MCP server "${server}" asks, not ion: ${text}`};
}
