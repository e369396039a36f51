import type {Running} from '../sandbox/launch.ts';
import type {RunEvent} from '../sandbox/run-event.ts';

/** One question of a run, as the launcher knows it. The run is stopped while it stands. */
export interface OpenQuestion {
  /** Aborted when the question is over without an answer: the run has ended, or its relay has. */
  readonly over: AbortSignal;
  /** Passes the first answer on. Resolves to whether it counts. A yes does not if the run has moved meanwhile, or ended. */
  readonly answer: (allowed: boolean) => Promise<boolean>;
  /** Resolves when the run is stopped again. */
  readonly hold: () => Promise<void>;
}

export interface QuestionChannel {
  open(number: number): OpenQuestion;
  /** Takes an event about questions. Returns false for any other event. */
  take(event: RunEvent): boolean;
  /** The run has ended: so have its questions. */
  end(): void;
}

export function openQuestionChannel(running: () => Promise<Running>): QuestionChannel {
  const ends = new Map<number, (counts: boolean) => void>();
  let held: (() => void)[] = [];
  const allHeld = (): void => {
    for (const one of held) one();
    held = [];
  };
  return {
    open(number) {
      const over = new AbortController();
      let answered = false;
      const end = new Promise<boolean>((resolve) => {
        ends.set(number, (counts) => {
          resolve(counts);
          if (!answered) over.abort();
        });
      });
      return {
        over: over.signal,
        async answer(allowed) {
          const isFirst = !answered && !over.signal.aborted;
          answered = true;
          if (isFirst) (await running()).answer?.(number, allowed);
          return end;
        },
        async hold() {
          if (over.signal.aborted) return;
          const stopped = new Promise<void>((resolve) => held.push(resolve));
          (await running()).holdAgain?.();
          await stopped;
        },
      };
    },
    take(event) {
      if (event.kind === 'held') allHeld();
      else if (event.kind === 'answered') ends.get(event.number)?.(event.counts);
      else return false;
      return true;
    },
    end() {
      for (const end of ends.values()) end(false);
      allHeld();
    },
  };
}
