import {realpathSync} from 'node:fs';
import path from 'node:path';
import {attempt} from '../../system/attempt.ts';
import {checkWorkspace, type Root} from '../../sandbox/plan/roots.ts';
import type {RunFolders} from '../../sandbox/plan/run-folders.ts';
import {sharedTemps} from '../../shell/paths.ts';
import {planContext, type Context} from '../run-plan.ts';
import {hookVariables, type HookFolders} from './hook-environment.ts';

/** Where the runs of this session write, and where the project's files are. */
export function runFoldersOf({surroundings, config}: Context): RunFolders {
  const {cwd, repositoryTop, gitFolders, temp, home} = surroundings;
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
  return [...new Set(files.map((file) => attempt(() => realpathSync.native(file)) ?? file))];
}

/** A context for hooks, and what is looked up for them. */
export interface HookContext {
  readonly context: Context;
  readonly folders: HookFolders;
}

/**
 * Write mode's boundary as the trusted layers without the project's give it, whatever the mode of the session. Where that would be
 * meaningless (`/`, home) nothing is writable. Where the hook `guards`, no file of a workspace, a temp folder or a write root executes.
 */
export async function openHookContext(session: Context, guards: boolean): Promise<HookContext> {
  const {planning, surroundings} = session;
  const {hookSettings} = planning.config;
  const origin = {layer: 'default'} as const;
  const writing = {...hookSettings, mode: {value: 'write', origin}} as const;
  const settings = checkWorkspace(writing, surroundings)
    ? ({...hookSettings, mode: {value: 'read', origin}, read: {value: 'kernel', origin}} as const)
    : writing;
  const folders = {folders: runFoldersOf(session), home: surroundings.home, temp: surroundings.temp};
  const environment = hookVariables(planning.host.environment, folders);
  const context = await planContext({
    ...planning,
    host: {...planning.host, environment},
    config: {...planning.config, settings},
    flags: {command: '', closesWorkspace: guards},
    configuredNetwork: settings.network,
    hooksRoots: ownHooks(folders),
  });
  return {
    folders,
    context: {
      ...context,
      // What the config or a toolchain sets for commands is not for hooks.
      environment: {...context.environment, variables: hookVariables(context.environment.variables, folders)},
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
