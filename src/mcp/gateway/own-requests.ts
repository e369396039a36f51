import {randomRunId} from '../../system/run-id.ts';
import type {Notification, Params, Request, Response} from '../wire/message.ts';

export interface RequestLimits {
  readonly timeoutMs?: number;
  /** Cancels the request: the other side is notified. */
  readonly signal?: AbortSignal;
}

/** Resolves to the answer. Undefined if none came in time, the request was cancelled, or the side has gone. */
export type SendRequest = (
  method: string,
  params: Params,
  limits: RequestLimits,
) => Promise<Response | undefined>;

/** Requests that ion itself sends to one side. Their ids cannot be guessed, so no other answer counts. */
export interface OwnRequests {
  readonly send: SendRequest;
  /** Takes a response, if it answers a request of ion. */
  take(response: Response): boolean;
  /** The side has gone: no answer comes any more. */
  cancel(): void;
}

export function openOwnRequests(write: (message: Request | Notification) => void): OwnRequests {
  const waiting = new Map<string, (response: Response | undefined) => void>();
  return {
    send: (method, params, {timeoutMs, signal}) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve(undefined);
        const id = `ion-${randomRunId()}`;
        const finish = (response: Response | undefined): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          waiting.delete(id);
          resolve(response);
        };
        const giveUp = (): void => {
          write({kind: 'notification', method: 'notifications/cancelled', params: {requestId: id}});
          finish(undefined);
        };
        const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
        signal?.addEventListener('abort', giveUp, {once: true});
        waiting.set(id, finish);
        write({kind: 'request', id, method, params});
      }),
    take(response) {
      const finish = typeof response.id === 'string' ? waiting.get(response.id) : undefined;
      finish?.(response);
      return finish !== undefined;
    },
    cancel() {
      for (const finish of waiting.values()) finish(undefined);
    },
  };
}
