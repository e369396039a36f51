import type {Settings} from '../config/settings.ts';
import {expandRoots} from '../sandbox/expand.ts';
import {seatbeltPlan, type SeatbeltPlan} from '../sandbox/macos/plan.ts';
import type {Root, Surroundings} from '../sandbox/plan.ts';
import type {Protected} from '../sandbox/protected.ts';
import {randomRunId} from './run-id.ts';

export interface SeatbeltContext {
  readonly settings: Settings;
  readonly roots: readonly Root[];
  readonly pins: Protected;
  readonly surroundings: Surroundings;
}

/** What seatbelt is told for one command. `scratch` is its private temp folder, where it has one. */
export function planSeatbelt(
  {settings, roots, pins, surroundings}: SeatbeltContext,
  scratch: string | undefined,
): SeatbeltPlan {
  const own: Root[] = scratch
    ? [{path: scratch, grant: 'write', reason: 'private temp folder', optional: false}]
    : [];
  return seatbeltPlan({
    tag: randomRunId(),
    network: settings.network.value,
    report: settings.report.value,
    roots: [...expandRoots(roots), ...own],
    sharedTemp: surroundings.temp,
    unixSockets: settings.unixSockets.map(({value}) => value),
    protect: [...pins.existing, ...pins.absent],
    deniedPaths: settings.deniedPaths.map(({value}) => value),
  });
}
