import type {Rule, Settings} from '../../config/settings.ts';
import {expandRoots} from '../plan/expand-roots.ts';
import {closedToExecution} from '../plan/no-execution.ts';
import {isWithin} from '../../system/is-within.ts';
import {seatbeltPlan, type SeatbeltPlan} from './seatbelt-plan.ts';
import {privateTemp, systemFolders, type Root, type Surroundings} from '../plan/roots.ts';
import type {Protected} from '../plan/protected.ts';
import {rulePaths} from '../plan/rule-paths.ts';
import {randomRunId} from '../../system/run-id.ts';

export interface SeatbeltContext {
  readonly settings: Settings;
  readonly rules: readonly Rule[];
  readonly roots: readonly Root[];
  readonly pins: Protected;
  readonly surroundings: Surroundings;
  readonly closesWorkspace: boolean;
}

/** What seatbelt is told for one command. `scratch` is its private temp folder, where it has one. */
export function planSeatbelt(
  {settings, rules, roots, pins, surroundings, closesWorkspace}: SeatbeltContext,
  scratch: string | undefined,
): SeatbeltPlan {
  const own: Root[] = scratch ? [privateTemp(scratch, {executes: !closesWorkspace})] : [];
  return seatbeltPlan({
    tag: randomRunId(),
    network: settings.network.value,
    report: settings.report.value,
    roots: [...expandRoots(roots), ...own],
    sharedTemp: surroundings.temp,
    closed: closesWorkspace ? closedFolders(surroundings, settings) : [],
    unixSockets: settings.unixSockets.map(({value}) => value),
    protect: [...pins.existing, ...pins.absent],
    deniedPaths: [
      ...settings.deniedPaths,
      // seatbelt has no exceptions below what it denies.
      ...rulePaths(rules, settings.approval.value)
        .filter(({except}) => except.length === 0)
        .map(({entry}) => entry),
    ].map(({value}) => value),
  });
}

/** Not one that contains system folders: these keep their execute right, and what it contains besides is not granted it. */
function closedFolders(surroundings: Surroundings, {writeRoots}: Settings): string[] {
  const closed = closedToExecution(
    surroundings,
    writeRoots.map(({value}) => value),
  );
  return closed.filter((folder) => !systemFolders.some((system) => isWithin(system, folder)));
}
