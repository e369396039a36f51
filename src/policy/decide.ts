import type {Action, Decision, PermissionState, TraceStep, Verdict} from './decision.ts';
import {destructiveFacts, type DestructiveFact} from '../shell/dangerous/destructive.ts';
import {fingerprint, grantKey} from './action-fingerprint.ts';
import {isHard} from './reasons.ts';
import type {Stage} from './stages/stage.ts';
import {taskRestrictions} from './stages/task-stage.ts';
import {guardrails} from './stages/guardrails-stage.ts';
import {capabilities} from './stages/gates-stage.ts';
import {hooks} from './stages/hooks-stage.ts';
import {rules, untrustedRules} from './stages/rules-stage.ts';
import {mode} from './stages/approval-stage.ts';
import {denialFallback} from './stages/fallback-stage.ts';

/** The order matters. A hard denial ends the chain, so later stages do not run. */
export const stages: readonly Stage[] = [
  taskRestrictions,
  guardrails,
  capabilities,
  hooks,
  rules,
  mode,
  untrustedRules,
  denialFallback,
];

/** A verdict and the stage that gave it. */
interface Standing {
  readonly stage: Stage['name'];
  readonly verdict: Verdict;
}

/**
 * Decides one action. Every stage looks at it, and its verdict replaces the earlier one where `replaces` permits. A
 * hard denial ends the chain. Pure: no clock, no disk, no environment. Callers resolve paths and run hooks first.
 */
export function decide(action: Action, state: PermissionState): Decision {
  const trace: TraceStep[] = [];
  const notes: string[] = [];
  let standing: Standing | undefined;
  for (const stage of stages) {
    const {saw, verdict, notes: more = []} = stage.look(action, state, standing?.verdict);
    notes.push(...more);
    if (saw.length > 0 || verdict) trace.push(step(stage, saw, verdict));
    if (!verdict || !replaces(verdict, standing?.verdict)) continue;
    standing = {stage: stage.name, verdict};
    if (verdict.effect === 'deny' && isHard(verdict.reason)) break;
  }
  return conclude(action, state, standing ?? noStage(action), trace, notes);
}

/**
 * Reports whether a later verdict replaces the current one. A denial always does. A question replaces an allow; from
 * the denial fallback it also replaces a soft denial. An allow replaces only a hook's verdict, and a hook's question
 * only if the user has already answered it.
 */
function replaces(next: Verdict, standing: Verdict | undefined): boolean {
  if (!standing || next.effect === 'deny') return true;
  if (next.effect === 'ask') return standing.effect === 'allow' || next.reason === 'denial_fallback';
  if (standing.reason === 'hook_ask') return next.reason === 'session_allow';
  return standing.reason === 'hook_allow';
}

function step({name}: Stage, saw: readonly string[], verdict: Verdict | undefined): TraceStep {
  return {stage: name, saw, ...(verdict ? {effect: verdict.effect, reason: verdict.reason} : {})};
}

/** Turns a verdict into a decision. A question that cannot be asked is a denial. */
export function conclude(
  action: Action,
  state: PermissionState,
  {stage, verdict}: Standing,
  trace: TraceStep[],
  notes: readonly string[],
): Decision {
  const unanswerable = verdict.effect === 'ask' && !state.interactive;
  if (unanswerable) {
    trace.push({
      stage: 'asking',
      saw: [`${verdict.reason}, and there is no terminal to ask on`],
      effect: 'deny',
      reason: 'ask_unavailable',
    });
  }
  return {
    ...verdict,
    ...(unanswerable
      ? {
          effect: 'deny',
          reason: 'ask_unavailable',
          message: unanswered(verdict, state),
          help: howToAllow(verdict, state),
        }
      : {}),
    source: stage,
    hard: verdict.effect === 'deny' && isHard(verdict.reason),
    fingerprint: fingerprint(action, state.workspace),
    grantKey: grantKey(action, state),
    destructive: destructive(action, state),
    notes,
    trace,
  };
}

function unanswered({message}: Verdict, {locked}: PermissionState): string {
  const why = locked
    ? `${locked.at} has permissions.locked = true: ion asks no questions`
    : 'there is no terminal to ask on';
  return `denied: ${message.replace(/^needs approval: /, '')}, and ${why}`;
}

function howToAllow({help}: Verdict, {locked}: PermissionState): string {
  if (locked) return locked.help;
  return help ?? 'add an allow rule to ~/.ion/config.toml, or run ion on a terminal, where it asks';
}

function destructive({command}: Action, {cwd, home, workspace}: PermissionState): readonly DestructiveFact[] {
  return command ? destructiveFacts(command.analysis, {cwd, home, workspace}) : [];
}

function noStage({tool}: Action): Standing {
  return {
    stage: 'mode',
    verdict: {
      effect: 'deny',
      reason: 'no_stage_decided',
      message: 'denied: no stage decided',
      ruleRefs: [],
      scope: tool,
    },
  };
}
