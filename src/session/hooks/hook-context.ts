import path from 'node:path';
import {checkWorkspace, type Root} from '../../sandbox/plan/roots.ts';
import type {RunFolders} from '../../sandbox/plan/run-folders.ts';
import {sharedTemps} from '../../shell/paths.ts';
import {planRun, type RunPlan} from '../run-plan.ts';
import {hookVariables, type HookFolders} from './hook-environment.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/** The folders in which runs of this session write, and those with the project's files. */
export function runFoldersOf({inputs, config}: RunPlan): RunFolders {
  const {cwd, repositoryTop, gitFolders, temp, home} = inputs;
  const around = repositoryTop === undefined ? [] : [repositoryTop, ...gitFolders];
  const roots = [config.settings, config.hookSettings].flatMap(({writeRoots}) => writeRoots);
  return {
    workspaces: real([cwd, config.workspace, ...around]),
    temps: real([temp, ...sharedTemps]),
    writeRoots: real(roots.map(({value}) => value)),
    own: home === undefined ? undefined : real([path.join(home, '.ion')])[0],
  };
}

function real(files: readonly string[]): string[] {
  return [...new Set(files.map(realpathOrSame))];
}

/** The boundary for hooks, and the facts that it needs. */
export interface HookContext {
  readonly plan: RunPlan;
  readonly folders: HookFolders;
}

/**
 * Opens the boundary for hooks. It is that of write mode, whatever the mode of the session, and is made from the trusted layers
 * without the project's. If write roots would be too wide (`/`, home), nothing is writable. If the hook `guards`, no file of
 * a workspace, a temp folder or a write root can execute.
 */
export async function openHookContext(session: RunPlan, guards: boolean): Promise<HookContext> {
  const {inputs} = session;
  const {added: _, ...planning} = session.planning;
  const {hookSettings} = planning.config;
  const origin = {layer: 'default'} as const;
  const writing = {...hookSettings, mode: {value: 'write', origin}} as const;
  const settings = checkWorkspace(writing, inputs)
    ? ({...hookSettings, mode: {value: 'read', origin}, read: {value: 'kernel', origin}} as const)
    : writing;
  const folders = {folders: runFoldersOf(session), home: inputs.home, temp: inputs.temp};
  const environment = hookVariables(planning.host.environment, folders);
  const plan = await planRun({
    ...planning,
    host: {...planning.host, environment},
    config: {...planning.config, settings},
    flags: {for: 'hooks', closesWorkspace: guards},
    configuredNetwork: settings.network,
    hooksRoots: ownHooks(folders),
  });
  return {
    folders,
    plan: {
      ...plan,
      // Variables that the config or a toolchain sets for commands do not apply to hooks.
      environment: {...plan.environment, variables: hookVariables(plan.environment.variables, folders)},
    },
  };
}

/** The folder with the user's own hooks, where no run can write. */
function ownHooks({home}: HookFolders): Root[] {
  if (home === undefined) return [];
  return [
    {path: path.join(home, '.ion/hooks'), grant: 'read', reason: 'hooks', optional: true, programs: true},
  ];
}
