import {readFilter, readText, type Filter, type Parameters, type Request} from './filters.ts';
import {operationsOf, type Operation} from './operations.ts';
import {isList, parseSbpl, symbolOf, type Expression} from './parse.ts';

export interface Rule {
  readonly effect: 'allow' | 'deny';
  readonly operations: ReadonlySet<Operation>;
  /** A rule applies if any of its filters matches, or if it has none. */
  readonly filters: readonly Filter[];
  readonly message: string | undefined;
  readonly isDefault: boolean;
}

/**
 * Which rule decides if several match. `last-match` is documented and was measured; `deny-wins` was reported for some
 * builds. ion's profiles must mean the same under both.
 */
export type Semantics = 'last-match' | 'deny-wins';

/** Reads a profile as sandbox-exec would. Throws for anything unknown. */
export function readProfile(source: string, parameters: Parameters): Rule[] {
  const [version, ...rest] = parseSbpl(source);
  if (!version || !isList(version) || symbolOf(version[0]) !== 'version')
    throw new Error('SBPL: (version 1) must come first');
  const rules = rest.map((expression) => readRule(expression, parameters));
  if (!rules[0]?.isDefault) throw new Error('SBPL: (deny default) must come first');
  return rules;
}

function readRule(expression: Expression, parameters: Parameters): Rule {
  if (!isList(expression)) throw new Error(`SBPL: a rule is expected, not ${JSON.stringify(expression)}`);
  const [head, ...rest] = expression;
  const effect = symbolOf(head);
  if (effect !== 'allow' && effect !== 'deny') throw new Error(`SBPL: unknown rule ${effect}`);
  const names = rest.filter((one) => !isList(one)).map((one) => symbolOf(one));
  const lists = rest.filter(isList);
  if (names.length === 0) throw new Error('SBPL: a rule without an operation');
  const modifiers = lists.filter((list) => symbolOf(list[0]) === 'with');
  return {
    effect,
    operations: new Set(names.flatMap((name) => [...operationsOf(name)])),
    filters: lists.filter((list) => !modifiers.includes(list)).map((list) => readFilter(list, parameters)),
    message: messageOf(modifiers, effect, parameters),
    isDefault: names.length === 1 && names[0] === 'default',
  };
}

function messageOf(
  modifiers: readonly (readonly Expression[])[],
  effect: string,
  parameters: Parameters,
): string | undefined {
  const [modifier, ...more] = modifiers;
  if (!modifier) return undefined;
  if (more.length > 0 || effect !== 'deny' || modifier.length !== 3 || symbolOf(modifier[1]) !== 'message') {
    throw new Error('SBPL: only (with message TEXT) on a denial is known');
  }
  return readText(modifier[2]!, parameters);
}

export interface Verdict {
  readonly allowed: boolean;
  /** The message that the log would contain. */
  readonly message: string | undefined;
}

export function evaluate(
  rules: readonly Rule[],
  request: Request,
  semantics: Semantics = 'last-match',
): Verdict {
  const matching = rules.filter((rule) => matches(rule, request));
  const special = matching.filter((rule) => !rule.isDefault);
  const denials = special.filter(({effect}) => effect === 'deny');
  const decisive = (semantics === 'deny-wins' ? denials.at(-1) : undefined) ?? matching.at(-1);
  return {allowed: decisive?.effect === 'allow', message: decisive?.message};
}

function matches({operations, filters}: Rule, request: Request): boolean {
  return (
    operations.has(request.operation) && (filters.length === 0 || filters.some((filter) => filter(request)))
  );
}
