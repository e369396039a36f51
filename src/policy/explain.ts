import type {Decision, RuleRef} from './decision.ts';
import {locationOf as locationOfOrigin} from '../config/read/origin.ts';
import type {SourceLocation} from '../errors.ts';

/** The whole chain, for people: every stage that looked, what it saw, and what it decided. */
export function explain(decision: Decision): string {
  const lines = decision.trace.flatMap(({stage, saw, effect, reason}) => {
    const said = effect === undefined ? '' : ` → ${effect} (${reason})`;
    const [first = '', ...rest] = saw;
    return [`  ${stage}: ${first}${rest.length === 0 ? said : ''}`, ...indented(rest, said)];
  });
  return [`${decision.effect} (${decision.reason}): ${decision.message}`, ...lines].join('\n') + '\n';
}

function indented(rest: readonly string[], said: string): string[] {
  return rest.map((line, index) => `    ${line}${index === rest.length - 1 ? said : ''}`);
}

/** The location of the rule that decided, for the ` --> ` line. */
export function locationOf({ruleRefs}: Decision): SourceLocation | undefined {
  const origin = ruleRefs[0]?.origin;
  return origin && locationOfOrigin(origin);
}

/** `file:line`, or the layer if there is no file. Records and listings use it to locate a rule. */
export function whereIs({origin}: Pick<RuleRef, 'origin'>): string {
  if (origin.file === undefined) return origin.layer;
  return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
}
