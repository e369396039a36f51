import {requestsOf, type Action} from './actions.ts';
import {evaluate, type Rule, type Semantics} from './evaluate.ts';

/** Is the action allowed? The same under every reading of the profile, or an error. */
export function may(rules: readonly Rule[], action: Action): boolean {
  const verdicts = (['last-match', 'deny-wins'] as const).map((semantics: Semantics) =>
    requestsOf(action).every((request) => evaluate(rules, request, semantics).allowed),
  );
  if (new Set(verdicts).size > 1)
    throw new Error(`it depends on the order of rules: ${JSON.stringify(action)}`);
  return verdicts[0]!;
}
