import {IonError} from '../../errors.ts';
import type {Launch, Outcome} from '../launch.ts';
import {monotonicMs} from '../../system/clock.ts';
import type {Addon} from './native.ts';
import {killOrphans} from './orphans.ts';

export const launcherName = 'ion-launcher';

/** A launcher that has reported the end may still have a thread in a file system that never answers. */
export const exitLimitMs = 1000;

export function notStarted(error: Error): IonError {
  return new IonError(`cannot start the launcher: ${error.message}`, {cause: error});
}

/** The launcher ended. If it ended without a report, ion kills its orphans where it can tell them from other children. */
export function finishRun(
  addon: Pick<Addon, 'reapEnded'>,
  {adoptsOrphans}: Pick<Launch, 'adoptsOrphans'>,
  end: Outcome | IonError | undefined,
  signal: number,
  {resolve, reject}: {resolve: (outcome: Outcome) => void; reject: (error: Error) => void},
): void {
  if (end instanceof Error) return reject(end);
  if (end) return resolve(end);
  const how = signal === 0 ? '' : ` (signal ${signal})`;
  const rest = adoptsOrphans
    ? `${killOrphans(addon)} processes of the run were killed`
    : 'processes of the run may go on';
  reject(new IonError(`the launcher ended without a report${how}; ${rest}`));
}

/**
 * Waits without blocking for a launcher that has reported its end. Its exit takes a millisecond, which the program does not
 * have to wait for. Until then no other process can get its pid.
 */
export async function reapLater(addon: Pick<Addon, 'reapEnded'>, pid: number): Promise<void> {
  const until = monotonicMs() + exitLimitMs;
  for (let pause = 1; monotonicMs() < until; pause *= 2) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (addon.reapEnded(pid)) return;
  }
}
