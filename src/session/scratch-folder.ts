import {boundaryOf} from '../sandbox/boundary.ts';
import {quoted} from '../errors.ts';
import {makePrivateTemp} from '../sandbox/plan/private-temp.ts';
import {removeTree} from '../system/remove-tree.ts';
import type {RunPlan} from './run-plan.ts';

export function needsPrivateTemp({settings, sandboxed}: RunPlan): boolean {
  return sandboxed && (settings.tmp.value === 'private' || boundaryOf(settings) !== 'write');
}

export function makeScratch({inputs, roots, host}: RunPlan, runId: string): string {
  const whole = roots.filter(({grant}) => grant !== 'list' && grant !== 'device').map((root) => root.path);
  return makePrivateTemp({home: inputs.home, uid: host.uid, temp: inputs.temp, roots: whole}, runId);
}

/**
 * Removes the folder by descriptors if possible, because another run may write in the same temp folder. A folder that
 * stays is only a warning.
 */
export function removeScratch(
  folder: string,
  {native}: RunPlan['machine'],
  warn: (text: string) => void,
): void {
  if (native) {
    if (!native.addon.removeFolder(folder)) {
      warn(`the private temp folder ${quoted(folder)} could not be removed`);
    }
    return;
  }
  try {
    removeTree(folder);
  } catch (error) {
    warn(`the private temp folder ${quoted(folder)} could not be removed: ${(error as Error).message}`);
  }
}
