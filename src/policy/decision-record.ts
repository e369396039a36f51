import type {DestructiveFact} from '../shell/dangerous/destructive.ts';
import type {Decision, RuleRef} from './decision.ts';
import {whereIs} from './explain.ts';

/** A decision as events and `--json` show it: the names of the contract, in snake case. */
export interface DecisionRecord {
  readonly decision: Decision['effect'];
  readonly decision_source: string;
  readonly decision_reason: string;
  readonly hard: boolean;
  readonly message: string;
  readonly help: string | null;
  readonly rule_refs: readonly {readonly key: string; readonly value: string; readonly at: string}[];
  readonly scope: string;
  readonly span: {readonly start: number; readonly end: number} | null;
  readonly destructive: boolean;
  readonly impact_scope: readonly string[];
  readonly rollback_advice: readonly string[];
  readonly destructive_facts: readonly {
    readonly row: string;
    readonly what: string;
    readonly impact_scope: readonly string[];
    readonly outside_workspace: boolean;
    readonly rollback_advice: string;
  }[];
  readonly notes: readonly string[];
  readonly updated_input_ref: string | null;
  readonly approval_action_id: string | null;
  readonly expires_at: string | null;
}

export function decisionRecord(decision: Decision): DecisionRecord {
  const facts = decision.destructive;
  return {
    decision: decision.effect,
    decision_source: decision.source,
    decision_reason: decision.reason,
    hard: decision.hard,
    message: decision.message,
    help: decision.help ?? null,
    rule_refs: decision.ruleRefs.map(ruleRecord),
    scope: decision.scope,
    span: decision.span ? {start: decision.span.start, end: decision.span.end} : null,
    destructive: facts.length > 0,
    impact_scope: [...new Set(facts.flatMap((fact) => fact.impactScope))],
    rollback_advice: [...new Set(facts.map((fact) => fact.rollbackAdvice))],
    destructive_facts: facts.map(factRecord),
    notes: decision.notes,
    updated_input_ref: decision.updatedInputRef ?? null,
    approval_action_id: decision.approvalActionId ?? null,
    expires_at: decision.expiresAt ?? null,
  };
}

function ruleRecord({key, value, origin}: RuleRef): {key: string; value: string; at: string} {
  return {key, value, at: whereIs({origin})};
}

function factRecord(fact: DestructiveFact): DecisionRecord['destructive_facts'][number] {
  return {
    row: fact.row,
    what: fact.what,
    impact_scope: fact.impactScope,
    outside_workspace: fact.outsideWorkspace,
    rollback_advice: fact.rollbackAdvice,
  };
}
