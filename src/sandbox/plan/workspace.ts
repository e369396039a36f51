import type {Settings} from '../../config/settings.ts';
import {locationOf} from '../../config/read/origin.ts';
import {settingForms} from '../../config/set-option.ts';
import type {PlanInputs, PlanProblem} from './roots.ts';

type Place = Pick<PlanInputs, 'cwd' | 'repositoryTop'>;

/**
 * The folder that roots start from: the current folder, or with `sandbox.workspace = "repository"` the top of the repository that
 * contains it. Pure.
 */
export function workspaceFolder(
  {workspace}: Pick<Settings, 'workspace'>,
  {cwd, repositoryTop}: Place,
): string {
  return workspace.value === 'repository' ? (repositoryTop ?? cwd) : cwd;
}

/** Refuses a repository as the workspace of a run that starts below its top. In read mode too: all of it would be readable. Pure. */
export function checkRepository(
  {workspace}: Pick<Settings, 'workspace'>,
  {cwd, repositoryTop, topRefused}: Place & Pick<PlanInputs, 'topRefused'>,
): PlanProblem | undefined {
  if (workspace.value !== 'repository' || repositoryTop === cwd || topRefused === undefined) return undefined;
  return {
    what: `sandbox.workspace = "repository" cannot use ${repositoryTop}: ${topRefused}`,
    at: locationOf(workspace.origin),
    help: settingForms('sandbox.workspace', 'folder'),
  };
}

/** The repository that `sandbox.workspace = "repository"` would make writable around the current folder. Pure. */
export function openableRepository(
  {workspace, mode}: Pick<Settings, 'workspace' | 'mode'>,
  {cwd, repositoryTop, topRefused}: Place & Pick<PlanInputs, 'topRefused'>,
): string | undefined {
  const isOpenable = workspace.value === 'folder' && mode.value === 'write' && topRefused === undefined;
  return isOpenable && repositoryTop !== cwd ? repositoryTop : undefined;
}
