/** Lets at most `limit` calls work at the same time. The others wait in their order. */
export interface CallSlots {
  /** Runs `work` when a slot is free. Rejects with the signal's reason if the call is cancelled while it waits. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function openSlots(limit: number): CallSlots {
  let used = 0;
  const waiting = new Set<() => void>();
  /** Hands the slot over. If it were free in between, a new call could take it before the one that waits. */
  const free = (): void => {
    const [next] = waiting;
    if (!next) return void used--;
    waiting.delete(next);
    next();
  };
  return {
    async run(signal, work) {
      signal.throwIfAborted();
      if (used < limit) used++;
      else
        await new Promise<void>((resolve, reject) => {
          const cancel = (): void => {
            waiting.delete(begin);
            reject(signal.reason as Error);
          };
          const begin = (): void => {
            signal.removeEventListener('abort', cancel);
            resolve();
          };
          signal.addEventListener('abort', cancel, {once: true});
          waiting.add(begin);
        });
      try {
        return await work();
      } finally {
        free();
      }
    },
  };
}
