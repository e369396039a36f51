import type {Rule, Settings, Sourced} from '../../config/settings.ts';
import {literalPattern} from '../../config/path-patterns.ts';
import {skipsAskRules} from '../../config/approval-table.ts';
import {compareRules} from '../../policy/rules/compare-rules.ts';
import {isWithin} from '../../system/is-within.ts';

/** A path that a rule denies, in the form of an entry of denied_paths. */
export interface RulePath {
  readonly entry: Sourced<string>;
  /** Paths below it that a more specific rule does not deny. */
  readonly except: readonly string[];
}

/**
 * The paths that rules deny to commands. Rules of an untrusted project are decided separately: a path that they deny
 * stays denied, whatever other rules allow. Pure.
 */
export function rulePaths(rules: readonly Rule[], approval: Settings['approval']['value']): RulePath[] {
  const about = rules.filter(
    ({scope, tool, effect}) =>
      scope === 'path' &&
      (tool === undefined || tool === 'bash') &&
      !(effect === 'ask' && skipsAskRules(approval)),
  );
  const trusted = about.filter((rule) => rule.trusted);
  const untrusted = about.filter((rule) => !rule.trusted && rule.effect !== 'allow');
  return [trusted, untrusted].flatMap((group) => deniedIn(group));
}

function deniedIn(group: readonly Rule[]): RulePath[] {
  const others = group.filter(({effect}) => effect !== 'deny');
  return group
    .filter(({effect}) => effect === 'deny')
    .filter(
      (rule) => !others.some((other) => other.match === rule.match && compareRules(other, rule).order > 0),
    )
    .map(({match, origin}) => ({
      entry: {value: literalPattern(match), origin},
      except: others
        .filter((other) => other.match !== match && isWithin(other.match, match))
        .map((other) => literalPattern(other.match)),
    }));
}

/** The rule that an entry comes from. */
export function ruleOfPath(rules: readonly Rule[], value: string): Rule | undefined {
  return rules.find(
    ({effect, scope, match}) => effect === 'deny' && scope === 'path' && literalPattern(match) === value,
  );
}
