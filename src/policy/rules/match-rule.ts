import type {Rule} from '../../config/settings.ts';
import type {Segment, Span} from '../../shell/analysis.ts';
import {spelledTexts} from '../../shell/match/deny.ts';
import type {Action, ActionPath} from '../decision.ts';
import {isWithin} from '../../system/is-within.ts';
import {absolutePath} from '../../shell/paths.ts';
import {mayExpandInto} from '../paths/denied-paths.ts';
import {namedPaths, type NamedPath, type NamingInput} from '../paths/named-paths.ts';
import {expandHome, folded} from '../paths/path-components.ts';
import {normalServer} from '../../config/server-name.ts';
import {normalPrefix} from './compare-rules.ts';

/**
 * The parts of an action that rules are applied to. Each part is judged on its own, and the strictest outcome is the
 * action's. So an allow for `/ws` cannot outweigh a deny for `git push`, and an allow for one segment of a command
 * does not cover the next.
 */
export type Target =
  | {
      readonly kind: 'segment';
      readonly segment: Segment;
      /** Every spelling that deny_commands sees: unquoted, by basename, without global options. */
      readonly spelled: readonly string[];
      /** The words that an allow may match: the literal ones, up to the first word that is not literal. */
      readonly exact: string;
      readonly shown: string;
    }
  | {
      readonly kind: 'path';
      /** Where the path really leads, which an allow is compared with. Undefined if unknown. */
      readonly resolved: string | undefined;
      /** Every spelling that a refusal is compared with, folded. */
      readonly spellings: readonly string[];
      /** True when bash may expand it to other paths: `src/*.pem`. */
      readonly pattern: boolean;
      readonly shown: string;
    }
  | {readonly kind: 'tool'; readonly shown: string};

/**
 * The parts of an action. If any rule is about paths, they include the paths that the command names. Undefined when
 * there are too many.
 */
export function targets(action: Action, place: MatchInput, aboutPaths: boolean): Target[] | undefined {
  const paths = action.paths.map((path) => pathTarget(path, place));
  if (!action.command) return paths.length > 0 ? paths : [{kind: 'tool', shown: action.tool}];
  const {analysis} = action.command;
  const named = aboutPaths ? namedPaths(analysis, place) : [];
  if (!named) return undefined;
  // The same path under the same name is judged only once.
  const distinct = new Map(named.map((one) => [`${one.path}\0${one.real}\0${one.requested}`, one]));
  const found = [
    ...analysis.segments.map(segmentTarget),
    ...paths,
    ...[...distinct.values()].map(namedTarget),
  ];
  return found.length > 0 ? found : [{kind: 'tool', shown: action.tool}];
}

function segmentTarget(segment: Segment): Target {
  const spelled = spelledTexts(segment).map((text) => text.replaceAll(/\s+/g, ' '));
  return {kind: 'segment', segment, spelled, exact: exactText(segment), shown: segment.raw};
}

function pathTarget({requested, resolved}: ActionPath, {cwd, home}: MatchInput): Target {
  const spellings = [folded(resolved), folded(absolutePath(expandHome(requested, home), cwd))];
  return {kind: 'path', resolved, spellings, pattern: false, shown: requested};
}

function namedTarget({path, real, pattern, requested}: NamedPath): Target {
  const spellings = real === undefined || real === path ? [folded(path)] : [folded(path), folded(real)];
  return {kind: 'path', resolved: real, spellings, pattern, shown: requested};
}

export function spanOf(target: Target): Span | undefined {
  return target.kind === 'segment' ? target.segment.span : undefined;
}

export interface MatchInput extends NamingInput {
  readonly workspace: string;
}

/** A rule with its match in the form that is compared. It is prepared once, not once for each part of an action. */
export interface PreparedRule {
  readonly rule: Rule;
  readonly match: string;
  /** For path rules. */
  readonly folded: string;
}

export function prepareRule(rule: Rule, {home, workspace}: MatchInput): PreparedRule {
  switch (rule.scope) {
    case 'path': {
      const match = absolutePath(expandHome(rule.match, home), workspace);
      return {rule, match, folded: folded(match)};
    }
    case 'command_prefix':
      return {rule, match: normalPrefix(rule.match), folded: ''};
    case 'mcp_server':
      return {rule, match: normalServer(rule.match), folded: ''};
    case 'tool':
      return {rule, match: rule.match, folded: ''};
  }
}

/**
 * Returns the rules whose first words can match, in their order. Preparing ten thousand rules would cost more than comparing
 * their first words.
 */
export function mayMatch(rules: readonly Rule[], parts: readonly Target[]): Rule[] {
  const words = [...new Set(parts.flatMap(firstWords))].filter((word) => word !== '');
  return rules.filter(({scope, match}) => {
    if (scope !== 'command_prefix') return true;
    const prefix = match.trimStart();
    return words.some((word) => prefix.startsWith(word));
  });
}

function firstWords(target: Target): string[] {
  if (target.kind !== 'segment') return [];
  return [target.exact, ...target.spelled].map((text) => text.split(' ', 1)[0]!);
}

/** Reports whether the rule applies to this part of the action. An allow needs an exact match, a refusal does not. */
export function matchesRule(prepared: PreparedRule, target: Target, action: Action): boolean {
  const {rule, match} = prepared;
  if (rule.tool !== undefined && rule.tool !== action.tool) return false;
  switch (rule.scope) {
    case 'tool':
      // For a command, a tool rule applies to the segments, not to the paths that it names.
      return match === action.tool && !(target.kind === 'path' && action.command);
    case 'mcp_server':
      return action.mcpServer !== undefined && normalServer(action.mcpServer) === match;
    case 'path':
      return target.kind === 'path' && matchesPath(prepared, target);
    case 'command_prefix':
      return target.kind === 'segment' && match !== '' && matchesPrefix(prepared, target);
  }
}

function matchesPath({rule, match, folded: path}: PreparedRule, target: Target & {kind: 'path'}): boolean {
  const {resolved} = target;
  if (rule.effect === 'allow') return !target.pattern && resolved !== undefined && isWithin(resolved, match);
  return target.spellings.some(
    (spelling) => isWithin(spelling, path) || (target.pattern && mayExpandInto(spelling, path)),
  );
}

function matchesPrefix({rule, match}: PreparedRule, {spelled, exact}: Target & {kind: 'segment'}): boolean {
  if (startsWithWords(exact, match)) return true;
  return rule.effect !== 'allow' && spelled.some((text) => startsWithWords(text, match));
}

function startsWithWords(text: string, prefix: string): boolean {
  return text.startsWith(prefix) && (text.length === prefix.length || text[prefix.length] === ' ');
}

/** The literal words of a segment. Empty if an assignment in front changes what runs, or the shell writes a file. */
export function exactText({argv, assignments, redirections}: Segment): string {
  const writes = redirections.some(({writes, target}) => writes && target?.text !== '/dev/null');
  if (assignments.length > 0 || writes) return '';
  const end = argv.findIndex(({literal, text}) => !literal || text === '' || /\s/.test(text));
  return (end === -1 ? argv : argv.slice(0, end)).map(({text}) => text).join(' ');
}
