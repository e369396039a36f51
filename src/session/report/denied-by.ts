import type {Rule, Settings, Sourced} from '../../config/settings.ts';
import {quoted} from '../../errors.ts';
import {normalPrefix} from '../../policy/rules/compare-rules.ts';
import {howToLift} from '../../policy/stages/rules-stage.ts';
import type {Violation} from '../../sandbox/launch.ts';
import type {ProtectedBy} from './protected-by.ts';
import {ruleOfPath} from '../../sandbox/plan/rule-paths.ts';

export interface DenyingSettings extends Pick<Settings, 'denyCommands' | 'deniedPaths'> {
  /** The settings' and those that ion stores itself. */
  readonly rules: readonly Rule[];
}

/** The pattern of deny_commands or the rule that refused an execution or a path, and where it stands. Pure. */
export function deniedBy(
  {rule, detail}: Pick<Violation, 'rule' | 'detail'>,
  {denyCommands, deniedPaths, rules}: DenyingSettings,
): ProtectedBy | undefined {
  if (rule === 'denied-command') return byPattern(denyCommands.find(({value}) => value === detail));
  if (rule === 'denied-rule') return byRule(ruleOfPrefix(rules, detail));
  if (rule !== 'denied-path' || deniedPaths.some(({value}) => value === detail)) return undefined;
  return byRule(ruleOfPath(rules, detail));
}

function byPattern(entry: Sourced<string> | undefined): ProtectedBy | undefined {
  if (!entry) return undefined;
  return {
    why: `denied by deny_commands ${quoted(entry.value)}`,
    origin: entry.origin,
    help: 'take the pattern out of deny_commands to allow it',
  };
}

function ruleOfPrefix(rules: readonly Rule[], prefix: string): Rule | undefined {
  return rules.find(
    ({effect, scope, match}) =>
      effect === 'deny' && scope === 'command_prefix' && normalPrefix(match) === prefix,
  );
}

function byRule(rule: Rule | undefined): ProtectedBy | undefined {
  if (!rule) return undefined;
  const because = rule.reason === undefined ? '' : `: ${quoted(rule.reason)}`;
  return {
    why: `denied by the rule ${rule.scope} ${quoted(rule.match)}${because}`,
    origin: rule.origin,
    help: howToLift(rule),
  };
}
