import {decisionRecord, type DecisionRecord} from '../../policy/decision-record.ts';
import type {Decided} from '../../policy/decision.ts';
import type {Session} from '../session.ts';
import {foreseen, nameGranted} from './foreseen.ts';
import {messageFor} from './message-for.ts';
import {namedPathsInput} from './named-paths-input.ts';
import type {Refusal} from './refusal.ts';

/** The output of `ion check --json`. */
export interface CheckRecord extends DecisionRecord {
  readonly tool: string;
  readonly will_refuse: readonly string[];
  readonly chain: readonly {
    readonly stage: string;
    readonly saw: readonly string[];
    readonly effect: string | null;
    readonly reason: string | null;
  }[];
}

export function checkRecord({action, decision}: Decided, refusals: readonly Refusal[]): CheckRecord {
  const chain = decision.trace.map(({stage, saw, effect, reason}) => ({
    stage,
    saw,
    effect: effect ?? null,
    reason: reason ?? null,
  }));
  const willRefuse = refusals.map((one) => messageFor(one).text);
  return {...decisionRecord(decision), tool: action.tool, will_refuse: willRefuse, chain};
}

/** Predicts the refusals of the sandbox from an allowed command's text. */
export function refusalsOf(session: Session, {action, decision}: Decided): Refusal[] {
  if (decision.effect === 'deny' || !action.command || !session.facts.enforced) return [];
  const {analysis, text} = action.command;
  return foreseen({analysis, text, facts: session.facts, paths: namedPathsInput(session)});
}

/** The address in an allowed command's text that the network table allows, with the place of the entry. */
export function grantOf(session: Session, {action, decision}: Decided): string | undefined {
  if (decision.effect === 'deny' || !action.command) return undefined;
  return nameGranted(action.command.text, session.facts.network);
}
