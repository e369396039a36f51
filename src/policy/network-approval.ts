import {actionClasses} from './action-classes.ts';
import {conclude, decide} from './decide.ts';
import type {Action, Decision, PermissionState, Verdict} from './decision.ts';
import {modeOutcome} from '../config/approval-table.ts';
import type {ApprovalMode} from '../config/settings.ts';
import type {Reason} from './reasons.ts';
import {grantKey} from './action-fingerprint.ts';
import {registeredPart} from '../config/network/wide-pattern.ts';
import {quoted} from '../errors.ts';
import {ref, subject} from './stages/stage.ts';

/**
 * Origin document 002: where a row's network column asks, the network needs an approval of its own. The text of a
 * command does not show which connections it opens. So ion runs a command without the network until it is approved,
 * and asks when the boundary refuses a connection.
 */
export function asksForNetwork(approval: ApprovalMode): boolean {
  return modeOutcome(approval, 'network') !== 'allow';
}

/** The user answered a question about the whole action, now or earlier in the session. */
const answered: ReadonlySet<Reason> = new Set(['answer_allow', 'session_allow', 'cross_frame_allow']);
/** Allowed because it only reads. It runs with read mode's boundary, which has no network. */
const readers: ReadonlySet<Reason> = new Set(['builtin_allow', 'workspace_allow']);

/** Reports whether this allow includes the network. */
export function approvesNetwork(action: Action, {effect, reason}: Decision, state: PermissionState): boolean {
  if (effect !== 'allow' || readers.has(reason)) return false;
  if (!asksForNetwork(state.settings.approval.value)) return true;
  if (state.session?.grants.has(networkKey(action, state))) return true;
  if (answered.has(reason)) return actionClasses(action, state).has('network');
  // If a rule, a pattern or a hook also allows the same action in the network class, no question is needed.
  const asNetwork = decide({...action, class: 'network'}, state);
  return asNetwork.effect === 'allow' && !readers.has(asNetwork.reason);
}

/** The key of an answer for the session that is about the network alone. */
export function networkKey(action: Action, state: PermissionState): string {
  return `${grantKey(action, state)}\0network`;
}

/**
 * Returns the question for a command whose connection was refused because the network is not approved. Headless, it is a
 * denial.
 */
export function networkQuestion(action: Action, state: PermissionState): Decision {
  const {value, origin} = state.settings.approval;
  const effect = modeOutcome(value, 'network');
  const verdict: Verdict = {
    effect,
    reason: effect === 'ask' ? 'mode_ask' : 'mode_deny',
    message: `needs approval: the network for ${subject(action)}: approval = "${value}" ${effect === 'ask' ? 'asks about' : 'denies'} the network`,
    help: 'add an allow rule for this command to ~/.ion/config.toml, or run ion on a terminal, where it asks',
    ruleRefs: [ref('approval', value, origin)],
    scope: 'network',
  };
  const decision = conclude(action, state, {stage: 'mode', verdict}, [], []);
  return {...decision, grantKey: networkKey(action, state)};
}

/** Reports whether names that the network table does not list are asked about while the command runs. */
export function asksForNames(approval: ApprovalMode): boolean {
  return modeOutcome(approval, 'network') === 'ask';
}

/** The scope of a question about a name, and the first part of the key of its answer for the session. */
const nameScope = 'network name';

/** For a name alone, in this workspace. The other parts are those of `grantKey`. */
function nameKey(name: string, {workspace}: PermissionState): string {
  return [nameScope, '', workspace, '', name].join('\0');
}

/** The names that answers for the session allow. */
export function allowedNames(state: PermissionState): readonly string[] {
  const start = nameKey('', state);
  const keys = [...(state.session?.grants ?? [])].filter((key) => key.startsWith(start));
  return keys.map((key) => key.slice(start.length));
}

/** Returns the question about a name that a running command looks up. */
export function nameQuestion(
  action: Action,
  state: PermissionState,
  {name, pid, program}: {readonly name: string; readonly pid: number; readonly program: string},
): Decision {
  const {value, origin} = state.settings.approval;
  const who =
    pid === 0 ? 'a program' : `${quoted(program.slice(program.lastIndexOf('/') + 1), 40)} (pid ${pid})`;
  const verdict: Verdict = {
    effect: modeOutcome(value, 'network'),
    reason: 'mode_ask',
    message: `needs approval: ${quoted(name, Infinity)} on port 443${belowText(name)}; ${who} looks it up, and sandbox.network does not list it`,
    help: 'list it in sandbox.network.allow, or run ion on a terminal, where it asks',
    ruleRefs: [ref('approval', value, origin)],
    scope: nameScope,
  };
  const decision = conclude(action, state, {stage: 'mode', verdict}, [], []);
  return {...decision, networkName: name, grantKey: nameKey(name, state)};
}

/** The registered part of a name decides whose name it is, whatever stands before it. */
function belowText(name: string): string {
  const registered = registeredPart(name);
  return registered === name ? '' : `, a name of ${quoted(registered, Infinity)}`;
}
