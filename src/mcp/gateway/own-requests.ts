import {randomRunId} from '../../system/run-id.ts';
import type {Params, Request, Response} from '../wire/message.ts';

/** Requests that ion itself sends to one side. Their ids cannot be guessed, so no other answer counts. */
export interface OwnRequests {
  /** Resolves to the answer. Undefined if none came in time, or the side has gone. */
  send(method: string, params: Params, timeoutMs: number): Promise<Response | undefined>;
  /** Takes a response, if it answers a request of ion. */
  take(response: Response): boolean;
  cancel(): void;
}

export function openOwnRequests(write: (request: Request) => void): OwnRequests {
  const waiting = new Map<string, (response: Response | undefined) => void>();
  return {
    send: (method, params, timeoutMs) =>
      new Promise((resolve) => {
        const id = `ion-${randomRunId()}`;
        const finish = (response: Response | undefined): void => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(response);
        };
        const timer = setTimeout(() => finish(undefined), timeoutMs);
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
