import {IonError} from '../../errors.ts';
import type {Launch, Outcome} from '../launch.ts';
import {killOrphans} from './orphans.ts';

export const launcherName = 'ion-launcher';

/** A launcher that has reported the end may still have a thread in a file system that never answers. */
export const exitLimitMs = 1000;

export function notStarted(error: Error): IonError {
  return new IonError(`cannot start the launcher: ${error.message}`, {cause: error});
}

/** The launcher ended: with a report, or without one, and then ion kills its orphans where it can tell them from other children. */
export function finishRun(
  {adoptsOrphans}: Pick<Launch, 'adoptsOrphans'>,
  end: Outcome | IonError | undefined,
  signal: number,
  {resolve, reject}: {resolve: (outcome: Outcome) => void; reject: (error: Error) => void},
): void {
  if (end instanceof Error) return reject(end);
  if (end) return resolve(end);
  const how = signal === 0 ? '' : ` (signal ${signal})`;
  const rest = adoptsOrphans
    ? `${killOrphans()} processes of the run were killed`
    : 'processes of the run may go on';
  reject(new IonError(`the launcher ended without a report${how}; ${rest}`));
}
