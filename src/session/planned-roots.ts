import type {ResolvedConfig, Settings} from '../config/settings.ts';
import {IonError} from '../errors.ts';
import {activeFrame, framePath} from '../policy/stages/gates-stage.ts';
import {existing, type Machine} from '../sandbox/machine.ts';
import {closedToExecution, systemProgramRoots, withoutExecution} from '../sandbox/plan/no-execution.ts';
import {refuseLinksOfRuns} from '../sandbox/plan/listed-links.ts';
import {makeRoot} from '../sandbox/plan/make-root.ts';
import {findProtected, type ProtectedFiles} from '../sandbox/plan/protected.ts';
import {checkWorkspace, planRoots, writeRoots, type PlanInputs, type Root} from '../sandbox/plan/roots.ts';
import {refuseUnenforceable} from '../sandbox/require.ts';
import type {ToolchainPlan} from '../sandbox/toolchains/plan-toolchains.ts';
import {isInert} from '../shell/parse/inert-text.ts';
import type {Host} from './host.ts';
import type {SessionFlags} from './session-flags.ts';

export function plannedRoots(
  settings: Settings,
  inputs: PlanInputs,
  {
    machine,
    closesWorkspace,
    makes,
  }: {readonly machine: Machine; readonly closesWorkspace: boolean; readonly makes: boolean},
): Root[] {
  const problem = checkWorkspace(settings, inputs);
  if (problem) throw new IonError(problem.what, problem);
  refuseUnenforceable(settings, machine.features);
  const planned = refuseLinksOfRuns(planRoots(settings, inputs), settings, inputs).map((root) =>
    makes && root.create ? makeRoot(root, inputs.home) : root,
  );
  const roots = wanted(planned, machine);
  if (!closesWorkspace) return roots;
  const closed = closedToExecution(
    inputs,
    settings.writeRoots.map(({value}) => value),
  );
  return withoutExecution(roots, closed, systemProgramRoots());
}

/** Drops the optional roots that do not exist. */
export function wanted(roots: readonly Root[], machine: Machine): Root[] {
  const there = existing(
    machine,
    roots.map(({path}) => path),
  );
  return roots.filter(({optional}, index) => !optional || there[index]);
}

/**
 * Auto-run files, and the config files that were allowed to loosen something: a change to one would change the next
 * run. `own`: files of this run.
 */
export function planProtectedFiles(
  host: Host,
  {settings, trustedFiles, workspace}: ResolvedConfig,
  inputs: PlanInputs,
  roots: readonly Root[],
  own: readonly string[],
): ProtectedFiles {
  return findProtected({
    cwd: inputs.cwd,
    repositoryTop: inputs.repositoryTop,
    gitFolders: inputs.gitFolders,
    packageRoot: host.packageRoot,
    home: inputs.home,
    otherHomes: inputs.otherHomes,
    searchPath: host.environment['PATH'] ?? '',
    protect: [
      ...settings.protect.map(({value}) => value),
      ...trustedFiles,
      ...own,
      ...otherFrames(settings, workspace, inputs),
    ],
    unprotect: settings.unprotect.map(({value}) => value),
    writeRoots: writeRoots(roots),
  });
}

/** Frames other than the active one are read-only: a write into one needs a decision of its own. */
function otherFrames(settings: Settings, workspace: string, {cwd, home}: PlanInputs): string[] {
  if (Object.keys(settings.frames).length === 0) return [];
  const place = {settings, cwd, home: home ?? '/nonexistent', workspace};
  const active = activeFrame(place)?.name;
  return Object.keys(settings.frames)
    .filter((name) => name !== active)
    .map((name) => framePath(name, place));
}

/** Loaded on demand: the presets would be a tenth of the code that a start loads. */
export async function toolchainPlan({
  host,
  config,
  inputs,
  planned,
  machine,
  create,
}: {
  readonly host: Host;
  readonly config: ResolvedConfig;
  readonly inputs: PlanInputs;
  readonly planned: readonly Root[];
  readonly machine: Machine;
  readonly create: boolean;
}): Promise<ToolchainPlan> {
  const {toolchainsHere} = await import('../sandbox/toolchains/toolchains-here.ts');
  return toolchainsHere({
    ...host,
    config,
    inputs,
    writeRoots: writeRoots(planned),
    exist: (paths) => existing(machine, paths),
    create,
  });
}

/** Searching for toolchains takes about as long as all other look-ups of a start. */
export function needsNoToolchain({command}: SessionFlags, {hooks, toolchains}: Settings): boolean {
  return toolchains.value === 'auto' && hooks.length === 0 && command !== undefined && isInert(command);
}
