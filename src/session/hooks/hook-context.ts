import path from 'node:path';
import {checkWorkspace, type Root} from '../../sandbox/plan/roots.ts';
import type {RunFolders} from '../../sandbox/plan/run-folders.ts';
import {sharedTemps} from '../../shell/paths.ts';
import {planRun, type RunPlan} from '../run-plan.ts';
import {hookVariables, type HookFolders} from './hook-environment.ts';
import {realpathOrSame} from '../../system/real-path.ts';

/** Where the runs of this session write, and where the project's files are. */
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

/** A context for hooks, and what is looked up for them. */
export interface HookContext {
  readonly plan: RunPlan;
  readonly folders: HookFolders;
}

/**
 * Write mode's boundary as the trusted layers without the project's give it, whatever the mode of the session. Where that would be
 * meaningless (`/`, home) nothing is writable. Where the hook `guards`, no file of a workspace, a temp folder or a write root executes.
 */
export async function openHookContext(session: RunPlan, guards: boolean): Promise<HookContext> {
  const {planning, inputs} = session;
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
      // What the config or a toolchain sets for commands is not for hooks.
      environment: {...plan.environment, variables: hookVariables(plan.environment.variables, folders)},
    },
  };
}

/** The user's own hooks: no run can write there. */
function ownHooks({home}: HookFolders): Root[] {
  if (home === undefined) return [];
  return [
    {path: path.join(home, '.ion/hooks'), grant: 'read', reason: 'hooks', optional: true, programs: true},
  ];
}
