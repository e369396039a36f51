import {wordOf} from '../../config/network/network-table.ts';
import type {Rule, Settings} from '../../config/settings.ts';
import {expandRoots} from '../plan/expand-roots.ts';
import {closedToExecution} from '../plan/no-execution.ts';
import {isWithin} from '../../system/is-within.ts';
import {seatbeltPlan, type SeatbeltPlan} from './seatbelt-plan.ts';
import {sharedFolders, systemFolders} from '../../system/system-folders.ts';
import {privateTemp, type Root, type PlanInputs} from '../plan/roots.ts';
import type {ProtectedFiles} from '../plan/protected.ts';
import {rulePaths} from '../plan/rule-paths.ts';
import {randomRunId} from '../../system/run-id.ts';

export interface SeatbeltContext {
  readonly settings: Settings;
  readonly rules: readonly Rule[];
  readonly roots: readonly Root[];
  readonly protectedFiles: ProtectedFiles;
  readonly inputs: PlanInputs;
  readonly closesWorkspace: boolean;
}

/** The seatbelt options for one command. `scratch` is its private temp folder, if it has one. */
export function planSeatbelt(
  {settings, rules, roots, protectedFiles, inputs, closesWorkspace}: SeatbeltContext,
  scratch: string | undefined,
): SeatbeltPlan {
  const own: Root[] = scratch ? [privateTemp(scratch, {executes: !closesWorkspace})] : [];
  return seatbeltPlan({
    tag: randomRunId(),
    network: wordOf(settings.network.value),
    report: settings.report.value,
    roots: [...expandRoots(roots), ...own],
    sharedTemp: inputs.temp,
    closed: closesWorkspace ? closedFolders(inputs, settings) : [],
    unixSockets: settings.unixSockets.map(({value}) => value),
    protect: [...protectedFiles.existing, ...protectedFiles.absent],
    deniedPaths: [
      ...settings.deniedPaths,
      // seatbelt has no exceptions below a denied path.
      ...rulePaths(rules, settings.approval.value)
        .filter(({except}) => except.length === 0)
        .map(({entry}) => entry),
    ].map(({value}) => value),
  });
}

/**
 * Leaves out a folder that contains system folders. These keep their execute right, and the folder's other files get
 * none.
 */
function closedFolders(inputs: PlanInputs, {writeRoots}: Settings): string[] {
  const closed = closedToExecution(
    inputs,
    writeRoots.map(({value}) => value),
  );
  return closed.filter(
    (folder) => ![...systemFolders, ...sharedFolders].some((system) => isWithin(system, folder)),
  );
}
