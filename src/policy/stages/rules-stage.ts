import {quoted} from '../../errors.ts';
import type {Effect, Rule} from '../../config/settings.ts';
import type {Action, PermissionState, Verdict} from '../decision.ts';
import {grantKey} from '../action-fingerprint.ts';
import {matchesRule, mayMatch, prepareRule, spanOf, targets, type Target} from '../rules/match-rule.ts';
import {skipsAskRules, stricter} from '../../config/approval-table.ts';
import {compareRules, normalPrefix, winner} from '../rules/compare-rules.ts';
import {whatIsUnclear} from '../unclear.ts';
import {nothing, ref, subject, type Finding, type Stage} from './stage.ts';

const codes = {deny: 'rule_deny', ask: 'rule_ask', allow: 'rule_allow'} as const;
const words = {deny: 'denied', ask: 'needs approval', allow: 'allowed'} as const;

interface Judged {
  readonly target: Target;
  readonly rule: Rule;
}

/**
 * Stage 5: explicit rules. Each part of the action has its winning rule, and the strictest part is the verdict. An
 * allow needs every part.
 */
export const rules: Stage = {
  name: 'rules',
  look(action, state) {
    const all = [...(state.session?.rules ?? []), ...state.settings.rules].filter(({trusted}) => trusted);
    const granted = isGranted(action, state);
    if (all.length === 0) return granted ? sessionGrant(action, []) : nothing;
    const saw: string[] = [];
    const judged = judge(all, action, state, saw);
    const {verdict, notes} = withUnclear(judged, all, action, state);
    if (saw.length === 0) saw.push(`${all.length} rules, none matches`);
    if (granted && verdict?.effect !== 'deny') return {...sessionGrant(action, saw), notes};
    return verdict ? {saw, notes, verdict} : {saw, notes};
  },
};

/**
 * Rules of a project that is not trusted. This stage comes after everything that allows, the mode included, so these
 * rules can only make the outcome stricter. Before the mode, their question would replace its refusal (plan).
 */
export const untrustedRules: Stage = {
  name: 'untrusted_rules',
  look(action, state) {
    const all = state.settings.rules.filter(({trusted, effect}) => !trusted && effect !== 'allow');
    if (all.length === 0) return nothing;
    const saw: string[] = [];
    const judged = judge(all, action, state, saw);
    const {verdict, notes} = withUnclear(judged, all, action, state);
    if (saw.length === 0) saw.push(`${all.length} rules, none matches`);
    const answered = verdict?.effect === 'ask' && isGranted(action, state);
    return verdict && !answered ? {saw, notes, verdict} : {saw, notes};
  },
};

/**
 * A part that is not understood may turn out to be what a rule denies. Then it is checked again at exec, or denied
 * where exec cannot be checked.
 */
function withUnclear(
  verdict: Verdict | undefined,
  candidates: readonly Rule[],
  action: Action,
  {execChecked}: PermissionState,
): {readonly verdict: Verdict | undefined; readonly notes: readonly string[]} {
  const denying = candidates.filter(({effect, scope}) => effect === 'deny' && scope === 'command_prefix');
  const [first] = denying;
  if (verdict?.effect === 'deny' || !first || !action.command) return {verdict, notes: []};
  const patterns = denying.map(({match}) => `${normalPrefix(match)} *`);
  const unclear = whatIsUnclear(action.command.analysis, patterns);
  if (unclear === undefined) return {verdict, notes: []};
  if (execChecked) return {verdict, notes: [`${unclear}: rules that deny are checked again at exec`]};
  const denial: Verdict = {
    effect: 'deny',
    reason: 'rule_unclear',
    message: `denied: ${subject(action)} can't be checked against the rules that deny: ${unclear}`,
    help: 'write the command out in full: executions cannot be checked here',
    ruleRefs: [ref('rules', `deny command_prefix ${first.match}`, first.origin)],
    scope: action.command.text.slice(0, 200),
  };
  return {verdict: denial, notes: []};
}

function isGranted(action: Action, state: PermissionState): boolean {
  return state.session?.grants.has(grantKey(action, state)) === true;
}

function judge(
  candidates: readonly Rule[],
  action: Action,
  state: PermissionState,
  saw: string[],
): Verdict | undefined {
  const considered = skipsAskRules(state.settings.approval.value)
    ? candidates.filter((rule) => rule.effect !== 'ask')
    : candidates;
  if (considered.length === 0) return undefined;
  const aboutPaths = considered.filter(({scope}) => scope === 'path');
  const parts = targets(action, state, aboutPaths.length > 0);
  if (!parts) return tooMany(action, aboutPaths);
  const prepared = mayMatch(considered, parts).map((rule) => prepareRule(rule, state));
  const judged: Judged[] = [];
  const open: Target[] = [];
  for (const target of parts) {
    const matching = prepared.filter((one) => matchesRule(one, target, action)).map((one) => one.rule);
    const rule = winner(matching);
    if (rule) judged.push({target, rule});
    // A path that a command names needs no rule. A segment, a tool's path and a tool do.
    else if (!(target.kind === 'path' && action.command)) open.push(target);
    if (rule) saw.push(...describe(target, rule, matching));
  }
  const effect = judged.reduce<Effect>((sofar, {rule}) => stricter(sofar, rule.effect), 'allow');
  const decisive = judged.find(({rule}) => rule.effect === effect);
  if (!decisive) return undefined;
  if (effect === 'allow' && (open.length > 0 || unclear(action))) {
    saw.push(
      ...open.map((target) => `no rule covers ${quoted(target.shown)}: the allow rule does not apply`),
    );
    return undefined;
  }
  return verdictOf(decisive, effect === 'allow' ? judged : [decisive], action);
}

/** With too many words to check, any path rule may apply: the strictest one is used. */
function tooMany(action: Action, aboutPaths: readonly Rule[]): Verdict | undefined {
  const rule = aboutPaths.reduce((one, other) =>
    stricter(one.effect, other.effect) === one.effect ? one : other,
  );
  const judged: Judged = {target: {kind: 'tool', shown: action.tool}, rule};
  return rule.effect === 'allow' ? undefined : verdictOf(judged, [judged], action);
}

/**
 * An allow covers only text that ion has read. So ion must know which programs run, and no redirection around them may write a
 * file (`{ …; } > f`).
 */
function unclear({command}: Action): boolean {
  if (!command) return false;
  const {opaque, problems, redirections} = command.analysis;
  return opaque || problems.length > 0 || redirections.some(({writes}) => writes);
}

function verdictOf({target, rule}: Judged, judged: readonly Judged[], action: Action): Verdict {
  const span = spanOf(target);
  const name = `${rule.scope} ${quoted(rule.match)}`;
  const because = rule.reason === undefined ? '' : `: ${quoted(rule.reason)}`;
  const shown = target.kind === 'tool' ? subject(action) : quoted(target.shown);
  return {
    effect: rule.effect,
    reason: codes[rule.effect],
    message: `${words[rule.effect]}: ${shown} matches the ${rule.effect} rule ${name}${because}`,
    ...(rule.effect === 'deny' ? {help: howToLift(rule)} : {}),
    ruleRefs: judged.map((one) =>
      ref('rules', `${one.rule.effect} ${one.rule.scope} ${one.rule.match}`, one.rule.origin),
    ),
    scope: target.shown,
    ...(span ? {span} : {}),
  };
}

/** `ion rules` keeps its rules as JSON. All other rules are in a config. */
export function howToLift({origin: {file}}: Rule): string {
  return file?.endsWith('.json')
    ? '"ion rules list" shows its id; "ion rules remove ID" removes it'
    : 'remove the rule from that config to allow it';
}

/** How many of the losing rules are listed. */
const maxShown = 20;

function describe(target: Target, won: Rule, matching: readonly Rule[]): string[] {
  const name = (rule: Rule) => `${rule.effect} ${rule.scope} ${quoted(rule.match)} (${rule.source})`;
  const lost = matching.filter((rule) => rule !== won);
  const more = lost.length > maxShown ? [`  and over ${lost.length - maxShown} more`] : [];
  return [
    `${quoted(target.shown)}: ${name(won)} wins`,
    ...lost.slice(0, maxShown).map((rule) => `  over ${name(rule)}: ${compareRules(won, rule).because}`),
    ...more,
  ];
}

function sessionGrant(action: Action, saw: readonly string[]): Finding {
  return {
    saw: [...saw, 'the user allowed this for the session'],
    verdict: {
      effect: 'allow',
      reason: 'session_allow',
      message: `allowed: ${subject(action)} by your answer earlier in this session`,
      ruleRefs: [],
      scope: action.tool,
    },
  };
}
