import type {Denial} from '../../library/types.ts';
import {denialLine, denialRecord, unexpected} from '../server/tool-result.ts';
import {isTable, type Response} from '../wire/message.ts';
import type {Json} from '../wire/strict-json.ts';
import {ownNames} from './forgery.ts';

/** The name of ion's own part of a result. */
const metaKey = `${ownNames}denials`;

const keptDenials = 500;
const shownDenials = 10;

/** The refusals of one server, as its sandbox reports them. */
export interface DenialRecords {
  add(denial: Denial): void;
  /** How many there have been. */
  mark(): number;
  /**
   * The denials that explain a failed call: those since its start, and earlier ones if the call or its result names
   * their path. The sandbox reports each kind of refusal only once.
   */
  of(since: number, texts: readonly string[]): readonly Denial[];
}

export function openDenials(): DenialRecords {
  const all: {readonly number: number; readonly denial: Denial}[] = [];
  let count = 0;
  return {
    add(denial) {
      all.push({number: count++, denial});
      if (all.length > keptDenials) all.shift();
    },
    mark: () => count,
    of: (since, texts) =>
      unexpected(
        all.filter(({number, denial}) => number >= since || isNamed(denial, texts)).map(({denial}) => denial),
      ).slice(-shownDenials),
  };
}

function isNamed({path}: Denial, texts: readonly string[]): boolean {
  return path !== null && path.length > 1 && texts.some((text) => text.includes(path));
}

/** Whether a response says that a call has failed. */
export function hasFailed({result, error}: Response): boolean {
  return error !== undefined || (isTable(result) && result['isError'] === true);
}

/** Adds the denials to a failed response. `isError` results get a text and `_meta`, errors get `data`. */
export function withDenials(response: Response, denials: readonly Denial[]): Response {
  if (denials.length === 0) return response;
  const text = denials.map(denialLine).join('');
  const records = denials.map((one) => ({...denialRecord(one)})) as unknown as Json;
  const {result, error} = response;
  if (error) {
    const data = error.data === undefined ? {} : isTable(error.data) ? error.data : {data: error.data};
    return {
      ...response,
      error: {...error, message: `${error.message}\n${text}`, data: {...data, [metaKey]: records}},
    };
  }
  if (!isTable(result)) return response;
  const content = Array.isArray(result['content']) ? (result['content'] as readonly Json[]) : [];
  const meta = isTable(result['_meta']) ? result['_meta'] : {};
  return {
    ...response,
    result: {
      ...result,
      content: [...content, {type: 'text', text}],
      _meta: {...meta, [metaKey]: records},
    },
  };
}
