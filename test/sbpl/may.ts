import {requestsOf, type Action} from './actions.ts';
import {evaluate, type Rule, type Semantics} from './evaluate.ts';

/** Reports whether the action is allowed. Throws if the answer depends on the semantics of the profile. */
export function may(rules: readonly Rule[], action: Action): boolean {
  const verdicts = (['last-match', 'deny-wins'] as const).map((semantics: Semantics) =>
    requestsOf(action).every((request) => evaluate(rules, request, semantics).allowed),
  );
  if (new Set(verdicts).size > 1)
    throw new Error(`it depends on the order of rules: ${JSON.stringify(action)}`);
  return verdicts[0]!;
}
