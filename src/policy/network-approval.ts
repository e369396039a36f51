import {actionClasses} from './action-classes.ts';
import {conclude, decide} from './decide.ts';
import type {Action, Decision, PermissionState, Verdict} from './decision.ts';
import {modeOutcome} from '../config/approval-table.ts';
import type {ApprovalMode} from '../config/settings.ts';
import type {Reason} from './reasons.ts';
import {grantKey} from './action-fingerprint.ts';
import {ref, subject} from './stages/stage.ts';

/**
 * 002: the network needs an approval of its own in a row whose network column asks. What a command opens is not to be read from its
 * text: so one that was not approved for the network runs without it, and its refusal leads to the question.
 */
export function asksForNetwork(approval: ApprovalMode): boolean {
  return modeOutcome(approval, 'network') !== 'allow';
}

/** Said to the question that was shown, now or earlier in the session. */
const answered: ReadonlySet<Reason> = new Set(['answer_allow', 'session_allow', 'cross_frame_allow']);
/** Allowed because it reads: that has read mode's boundary, without a network. */
const readers: ReadonlySet<Reason> = new Set(['builtin_allow', 'workspace_allow']);

/** Does this allow include the network? */
export function approvesNetwork(action: Action, {effect, reason}: Decision, state: PermissionState): boolean {
  if (effect !== 'allow' || readers.has(reason)) return false;
  if (!asksForNetwork(state.settings.approval.value)) return true;
  if (state.session?.grants.has(networkKey(action, state))) return true;
  if (answered.has(reason)) return actionClasses(action, state).has('network');
  // What needs no question as an action of the network needs none here: a rule, a pattern, a hook.
  const asNetwork = decide({...action, class: 'network'}, state);
  return asNetwork.effect === 'allow' && !readers.has(asNetwork.reason);
}

/** What an answer for the session about the network alone is remembered by. */
export function networkKey(action: Action, state: PermissionState): string {
  return `${grantKey(action, state)}\0network`;
}

/** The question that follows a refusal of the network to a command that was not approved for it; headless it is a denial. */
export function networkQuestion(action: Action, state: PermissionState): Decision {
  const {value, origin} = state.settings.approval;
  const effect = modeOutcome(value, 'network');
  const verdict: Verdict = {
    effect,
    reason: effect === 'ask' ? 'mode_ask' : 'mode_deny',
    message: `needs approval: the network for ${subject(action)}, refused by approval = "${value}", column network`,
    help: 'add an allow rule for this command to ~/.ion/config.toml, or run ion on a terminal, where it asks',
    ruleRefs: [ref('approval', value, origin)],
    scope: 'network',
  };
  const decision = conclude(action, state, {stage: 'mode', verdict}, [], []);
  return {...decision, grantKey: networkKey(action, state)};
}
