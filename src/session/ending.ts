/** What is under way in a session beside its command, and must not go on when ion is told to end: hooks, and a question. */
export interface Ending {
  /** `end` is called when the session ends before `work` has; at once, where it ends already. */
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
