import type {Rule, Sourced} from '../../config/settings.ts';
import {quoted} from '../../errors.ts';
import {normalPrefix} from '../../policy/rules/compare-rules.ts';
import {howToLift} from '../../policy/stages/rules-stage.ts';
import type {Violation} from '../../sandbox/violation.ts';
import type {RefusedBy, RefusingSettings} from './refusal.ts';
import {ruleOfPath} from '../../sandbox/plan/rule-paths.ts';

/** The pattern of deny_commands or the rule that refused an execution or a path, with its origin. Pure. */
export function deniedBy(
  {rule, detail, target}: Pick<Violation, 'rule' | 'detail' | 'target'>,
  {denyCommands, deniedPaths, rules}: Pick<RefusingSettings, 'denyCommands' | 'deniedPaths' | 'rules'>,
): RefusedBy | undefined {
  if (rule === 'denied-command')
    return byPattern(
      denyCommands.find(({value}) => value === detail),
      target,
    );
  if (rule === 'denied-rule') return byRule(ruleOfPrefix(rules, detail));
  if (rule !== 'denied-path' || deniedPaths.some(({value}) => value === detail)) return undefined;
  return byRule(ruleOfPath(rules, detail));
}

/** Shells with built-in programs. They run a denied program in their own process, so no execution shows it. */
const manyShell = /^(?:\S*\/)?(?:busybox|toybox)\S* (?:sh|ash|hush|bash|lash|msh|toysh)(?: |$)/;

function byPattern(entry: Sourced<string> | undefined, target: string): RefusedBy | undefined {
  if (!entry) return undefined;
  const [program] = entry.value.split(' ');
  if (manyShell.test(target)) {
    return {
      why: `denied by deny_commands ${quoted(entry.value)}: this shell runs ${program} in its own process`,
      origin: entry.origin,
      help: `use sh or bash, which start ${program} as a program; or remove the pattern from deny_commands`,
    };
  }
  return {
    why: `denied by deny_commands ${quoted(entry.value)}`,
    origin: entry.origin,
    help: 'remove the pattern from deny_commands to allow it',
  };
}

function ruleOfPrefix(rules: readonly Rule[], prefix: string): Rule | undefined {
  return rules.find(
    ({effect, scope, match}) =>
      effect === 'deny' && scope === 'command_prefix' && normalPrefix(match) === prefix,
  );
}

function byRule(rule: Rule | undefined): RefusedBy | undefined {
  if (!rule) return undefined;
  const because = rule.reason === undefined ? '' : `: ${quoted(rule.reason)}`;
  return {
    why: `denied by the rule ${rule.scope} ${quoted(rule.match)}${because}`,
    origin: rule.origin,
    help: howToLift(rule),
  };
}
