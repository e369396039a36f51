import {quoted} from '../../errors.ts';
import type {Origin} from '../../config/settings.ts';
import type {Action, PermissionState, RuleRef, StageName, Verdict} from '../decision.ts';

/** What a stage found: lines for `explain`, and a verdict when it has something to say. */
export interface Finding {
  readonly saw: readonly string[];
  readonly verdict?: Verdict;
  readonly notes?: readonly string[];
}

/**
 * One step of the chain. `standing` is what earlier stages said; whether a new verdict replaces it is not the
 * stage's business (decide.ts).
 */
export interface Stage {
  readonly name: StageName;
  look(action: Action, state: PermissionState, standing: Verdict | undefined): Finding;
}

export const nothing: Finding = {saw: []};

/** What the action is, for a message: the command, the path, or the tool. */
export function subject(action: Action): string {
  return quoted(action.command?.text ?? action.paths[0]?.requested ?? action.tool);
}

export function ref(key: string, value: string, origin: Origin): RuleRef {
  return {key, value, origin};
}

export const builtin: Origin = {layer: 'default'};
