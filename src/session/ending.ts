/** Work of a session besides its command, which must stop when a signal ends ion: hooks, and a question. */
export interface Ending {
  /** Calls `end` when the session ends before `work` does. If the session is already ending, calls it at once. */
  during<T>(end: () => void, work: Promise<T>): Promise<T>;
  isEnding(): boolean;
  end(): void;
}

export function openEnding(): Ending {
  const ends = new Set<() => void>();
  let ending = false;
  return {
    async during(end, work) {
      ends.add(end);
      if (ending) end();
      try {
        return await work;
      } finally {
        ends.delete(end);
      }
    },
    isEnding: () => ending,
    end() {
      ending = true;
      for (const end of ends) end();
    },
  };
}
