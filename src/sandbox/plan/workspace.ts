import type {Settings} from '../../config/settings.ts';
import {locationOf} from '../../config/read/origin.ts';
import {settingForms} from '../../config/set-option.ts';
import type {SourceLocation} from '../../errors.ts';

/** A setting that would make the sandbox meaningless, or that cannot work. */
export interface PlanProblem {
  readonly what: string;
  readonly at?: SourceLocation | undefined;
  readonly help: string;
}

interface Place {
  readonly cwd: string;
  readonly repositoryTop: string | undefined;
}

interface CheckedPlace extends Place {
  readonly topRefused?: string | undefined;
}

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
  {cwd, repositoryTop, topRefused}: CheckedPlace,
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
  {cwd, repositoryTop, topRefused}: CheckedPlace,
): string | undefined {
  const isOpenable = workspace.value === 'folder' && mode.value === 'write' && topRefused === undefined;
  return isOpenable && repositoryTop !== cwd ? repositoryTop : undefined;
}
