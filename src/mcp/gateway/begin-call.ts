import {setTimeout as wait} from 'node:timers/promises';
import type {Answer, Denial} from '../../library/types.ts';
import {elicitationOf, answerOf, type AskHost} from '../server/approvals.ts';
import type {Params, Response} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import {hasFailed, withDenials, type DenialRecords} from './call-denials.ts';
import {ownNames} from './forgery.ts';
import type {SendRequest} from './own-requests.ts';
import type {ToolGate} from './tool-gate.ts';

/** A call that was allowed and is not answered yet. */
export interface BegunCall {
  /** Ends it with the server's response. If the response failed, adds the refusals of the sandbox during the call. */
  finish(response: Response): Promise<Response>;
  /** No response comes: it was cancelled, or the server has ended. */
  drop(): void;
}

/** The result for the client that takes the place of the server's. */
export interface RefusedResult {
  readonly refused: Json;
}

interface CallParts {
  readonly gate: ToolGate;
  readonly denials: DenialRecords;
}

/** ion searches this much of the input and of the result for paths. */
const searchedCharacters = 64 * 1024;
/** A refusal takes another way than the server's answer, and may arrive a little later. */
const denialMs = 25;
/** The same, for an answer that looks like a refusal. */
const likelyDenialMs = 1000;
const refusalWords =
  /EACCES|EPERM|EROFS|EXDEV|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|permission|not permitted|read-only|unreachable/i;

/** Decides about a call of a tool. Questions go to the host of the call that this runs in. */
export async function beginCall(
  {gate, denials}: CallParts,
  name: string,
  input: Params,
): Promise<BegunCall | RefusedResult> {
  const decided = await gate.call(name, input);
  if (!('end' in decided)) {
    const {text, reason, denialId} = decided;
    const decision = {decision: 'deny', reason, denial_id: denialId};
    const meta = {[`${ownNames}decision`]: decision};
    return {refused: {content: [{type: 'text', text}], isError: true, _meta: meta}};
  }
  const since = denials.mark();
  const said = JSON.stringify(input).slice(0, searchedCharacters);
  const denialsOf = async (answer: string): Promise<readonly Denial[]> => {
    const until = Date.now() + (refusalWords.test(answer) ? likelyDenialMs : denialMs);
    for (;;) {
      const found = denials.of(since, [said, answer]);
      if (found.length > 0 || Date.now() >= until) return found;
      await wait(10);
    }
  };
  return {
    drop: () => decided.end(true, []),
    async finish(response) {
      const failed = hasFailed(response);
      const answer = failed ? JSON.stringify(response.result ?? response.error) : '';
      const found = failed ? await denialsOf(answer.slice(0, searchedCharacters)) : [];
      decided.end(failed, found);
      return withDenials(response, found);
    },
  };
}

const askMs = 120_000;

/** Asks through a request to the host. */
export function askBy(send: SendRequest): AskHost {
  return async (question): Promise<Answer> => {
    const params = elicitationOf(question) as unknown as Params;
    return answerOf((await send('elicitation/create', params, {timeoutMs: askMs}))?.result);
  };
}
