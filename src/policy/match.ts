import type {Rule} from '../config/settings.ts';
import type {Segment, Span} from '../shell/analysis.ts';
import {spelledTexts} from '../shell/deny.ts';
import type {Action, ActionPath} from './decision.ts';
import {absolutePath, isWithin} from '../shell/paths.ts';
import {namedPaths} from './named-paths.ts';
import {expandHome, folded} from './paths.ts';
import {normalPrefix, normalServer} from './rules.ts';

/**
 * What rules are asked about. Each part of an action is judged on its own, and the strictest outcome is the
 * action's: an allow for `/ws` can't outweigh a deny for `git push`, and an allow for one segment of a command says
 * nothing about the next.
 */
export type Target =
  | {
      readonly kind: 'segment';
      readonly segment: Segment;
      /** Every spelling that deny_commands sees: unquoted, by basename, without global options. */
      readonly spelled: readonly string[];
      /** The words an allow may rest on: literal ones, up to the first that is not. */
      readonly exact: string;
      readonly shown: string;
    }
  | {readonly kind: 'path'; readonly path: ActionPath; readonly shown: string}
  | {readonly kind: 'tool'; readonly shown: string};

/**
 * The parts of an action. Paths that a command names are among them where a rule is about paths: undefined when
 * there are too many to look at.
 */
export function targets(action: Action, place: Place, aboutPaths: boolean): Target[] | undefined {
  const paths = action.paths.map((path): Target => ({kind: 'path', path, shown: path.requested}));
  if (!action.command) return paths.length > 0 ? paths : [{kind: 'tool', shown: action.tool}];
  const segments = action.command.analysis.segments.map((segment): Target => ({
    kind: 'segment',
    segment,
    spelled: spelledTexts(segment).map((text) => text.replaceAll(/\s+/g, ' ')),
    exact: exactText(segment),
    shown: segment.raw,
  }));
  const named = aboutPaths ? namedPaths(action.command.analysis, place) : [];
  if (!named) return undefined;
  const byText = named.map(({requested, path, access}): Target => {
    return {kind: 'path', path: {requested, resolved: path, access}, shown: requested};
  });
  const found = [...segments, ...paths, ...byText];
  return found.length > 0 ? found : [{kind: 'tool', shown: action.tool}];
}

export function spanOf(target: Target): Span | undefined {
  return target.kind === 'segment' ? target.segment.span : undefined;
}

export interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly workspace: string;
}

/** Does the rule speak about this part of the action? An allow demands exactness where a refusal does not. */
export function matchesRule(rule: Rule, target: Target, action: Action, place: Place): boolean {
  if (rule.tool !== undefined && rule.tool !== action.tool) return false;
  switch (rule.scope) {
    case 'tool':
      // A path that a command names is no use of the tool: its segments are.
      return rule.match === action.tool && !(target.kind === 'path' && action.command);
    case 'mcp_server':
      return action.mcpServer !== undefined && normalServer(action.mcpServer) === normalServer(rule.match);
    case 'path':
      return target.kind === 'path' && matchesPath(rule, target.path, place);
    case 'command_prefix':
      return target.kind === 'segment' && matchesPrefix(rule, target);
  }
}

function matchesPath(rule: Rule, path: ActionPath, {cwd, home, workspace}: Place): boolean {
  const folder = absolutePath(expandHome(rule.match, home), workspace);
  if (rule.effect === 'allow') return isWithin(path.resolved, folder);
  const spellings = [path.resolved, absolutePath(expandHome(path.requested, home), cwd)];
  return spellings.some((spelling) => isWithin(folded(spelling), folded(folder)));
}

function matchesPrefix(rule: Rule, {spelled, exact}: Target & {kind: 'segment'}): boolean {
  const prefix = normalPrefix(rule.match);
  if (prefix === '') return false;
  return rule.effect === 'allow'
    ? startsWithWords(exact, prefix)
    : startsWithWords(exact, prefix) || spelled.some((text) => startsWithWords(text, prefix));
}

function startsWithWords(text: string, prefix: string): boolean {
  return text.startsWith(prefix) && (text.length === prefix.length || text[prefix.length] === ' ');
}

/** Nothing in front of the words that changes what runs, and no file written by the shell; else there are none. */
export function exactText({argv, assignments, redirections}: Segment): string {
  const writes = redirections.some(({writes, target}) => writes && target?.text !== '/dev/null');
  if (assignments.length > 0 || writes) return '';
  const end = argv.findIndex(({literal, text}) => !literal || text === '' || /\s/.test(text));
  return (end === -1 ? argv : argv.slice(0, end)).map(({text}) => text).join(' ');
}
