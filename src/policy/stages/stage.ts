import {quoted} from '../../errors.ts';
import type {Origin} from '../../config/settings.ts';
import type {Action, PermissionState, RuleRef, StageName, Verdict} from '../decision.ts';

/** The result of a stage: lines for `explain`, and a verdict if it decides. */
export interface Finding {
  readonly saw: readonly string[];
  readonly verdict?: Verdict;
  readonly notes?: readonly string[];
}

/**
 * One step of the chain. `standing` is the verdict of the earlier stages. decide.ts chooses whether a new verdict
 * replaces it.
 */
export interface Stage {
  readonly name: StageName;
  look(action: Action, state: PermissionState, standing: Verdict | undefined): Finding;
}

export const nothing: Finding = {saw: []};

/** Names the action in a message: the command, the path, or the tool. */
export function subject(action: Action): string {
  return quoted(action.command?.text ?? action.paths[0]?.requested ?? action.tool);
}

export function ref(key: string, value: string, origin: Origin): RuleRef {
  return {key, value, origin};
}

export const builtin: Origin = {layer: 'default'};
