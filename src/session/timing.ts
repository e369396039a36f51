/**
 * Where the time of a start goes, shown with ION_TIMING=1. When off, each mark costs one comparison.
 * `performance.now()` counts from the start of the process.
 */
export interface Timing {
  mark(phase: string): void;
  /** Lines of `phase milliseconds`. */
  report(): string;
}

export const noTiming: Timing = {mark: () => undefined, report: () => ''};

export function startTiming(enabled: boolean): Timing {
  if (!enabled) return noTiming;
  const marks: {readonly phase: string; readonly at: number}[] = [{phase: 'load', at: performance.now()}];
  return {
    mark: (phase) => void marks.push({phase, at: performance.now()}),
    report: () =>
      marks
        .map(
          ({phase, at}, index) =>
            `ion: timing: ${phase} ${(at - (marks[index - 1]?.at ?? 0)).toFixed(2)} ms\n`,
        )
        .join(''),
  };
}
