import {isTable, type Params} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import type {SendRequest} from './own-requests.ts';
import type {ToolGate} from './tool-gate.ts';

const listMs = 15_000;
const pagesAtMost = 100;

/**
 * Asks a server for its tools, and compares their definitions. Returns those that may be listed. Undefined if the server gives
 * no list.
 */
export async function listTools(
  request: SendRequest,
  gate: ToolGate,
  canAsk: boolean,
  meta?: Params,
): Promise<Json[] | undefined> {
  const tools: Json[] = [];
  let cursor: Json | undefined;
  for (let page = 0; page < pagesAtMost; page++) {
    const params = {...(cursor === undefined ? {} : {cursor}), ...(meta ? {_meta: meta} : {})};
    const answer = await request('tools/list', params, {timeoutMs: listMs});
    if (!isTable(answer?.result) || !Array.isArray(answer.result['tools'])) return undefined;
    cursor = answer.result['nextCursor'];
    const isWhole = page === 0 && cursor === undefined;
    tools.push(...(await gate.listed(answer.result['tools'] as readonly Json[], canAsk, isWhole)));
    if (typeof cursor !== 'string') break;
  }
  return tools;
}
