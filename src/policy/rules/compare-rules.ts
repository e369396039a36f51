import type {Effect, Rule, RuleSource, Settings} from '../../config/settings.ts';
import {components} from '../paths/path-components.ts';

/**
 * Which of several matching rules wins: the more specific one, then the one from the stronger source, then the
 * stricter effect. This is a total order on everything that decides, so the order of rules in a file never matters.
 */

const sourceRank: Readonly<Record<RuleSource, number>> = {
  session: 4,
  workspace: 3,
  manifest: 2,
  user: 1,
  mode: 0,
};

const effectRank: Readonly<Record<Effect, number>> = {deny: 2, ask: 1, allow: 0};

/** A server has many tools. A tool runs many commands and opens many paths. */
const scopeRank: Readonly<Record<Rule['scope'], number>> = {
  mcp_server: 0,
  tool: 1,
  command_prefix: 2,
  path: 2,
};

/** Compares the scope first, then how much of the command or path is named, then whether a tool is named. */
function specificity(rule: Rule): readonly [number, number, number] {
  const length =
    rule.scope === 'command_prefix'
      ? normalPrefix(rule.match).split(' ').length
      : rule.scope === 'path'
        ? components(rule.match).length
        : 0;
  return [scopeRank[rule.scope], length, rule.tool === undefined ? 0 : 1];
}

/** `order` is positive if `one` wins over `other`. `because` is the criterion that decided. */
export function compareRules(one: Rule, other: Rule): {readonly order: number; readonly because: string} {
  const ours = specificity(one);
  const theirs = specificity(other);
  for (const [index, value] of ours.entries()) {
    if (value !== theirs[index]) return {order: value - theirs[index]!, because: 'more specific'};
  }
  const source = sourceRank[one.source] - sourceRank[other.source];
  if (source !== 0) return {order: source, because: 'stronger source'};
  const effect = effectRank[one.effect] - effectRank[other.effect];
  return {order: effect, because: effect === 0 ? 'equal' : 'stricter effect'};
}

/** The rule that wins over all others, or undefined when there is none. */
export function winner(rules: readonly Rule[]): Rule | undefined {
  let best: Rule | undefined;
  for (const rule of rules) {
    if (!best || compareRules(rule, best).order > 0) best = rule;
  }
  return best;
}

/** Reports whether any entry or rule could deny an execution. */
export function deniesCommands(
  {denyCommands}: Pick<Settings, 'denyCommands'>,
  rules: readonly Rule[],
): boolean {
  return (
    denyCommands.length > 0 ||
    rules.some(({effect, scope}) => effect === 'deny' && scope === 'command_prefix')
  );
}

/** A command prefix with blanks normalised. */
export function normalPrefix(prefix: string): string {
  return /^\s|\s$|\s\s|[^\S ]/.test(prefix) ? prefix.trim().replaceAll(/\s+/g, ' ') : prefix;
}
