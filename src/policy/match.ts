import type {Rule} from '../config/settings.ts';
import type {Segment, Span} from '../shell/analysis.ts';
import {spelledTexts} from '../shell/deny.ts';
import type {Action, ActionPath} from './decision.ts';
import {absolutePath, isWithin} from '../shell/paths.ts';
import {expandHome, folded} from './paths.ts';
import {normalServer, prefixWords} from './rules.ts';

/**
 * What rules are asked about. Each part of an action is judged on its own, and the strictest outcome is the
 * action's: an allow for `/ws` can't outweigh a deny for `git push`, and an allow for one segment of a command says
 * nothing about the next.
 */
export type Target =
  | {
      readonly kind: 'segment';
      readonly segment: Segment;
      readonly spelled: readonly string[];
      readonly shown: string;
    }
  | {readonly kind: 'path'; readonly path: ActionPath; readonly shown: string}
  | {readonly kind: 'tool'; readonly shown: string};

export function targets(action: Action): Target[] {
  const segments = (action.command?.analysis.segments ?? []).map((segment): Target => {
    const spelled = spelledTexts(segment).map((text) => text.replaceAll(/\s+/g, ' '));
    return {kind: 'segment', segment, spelled, shown: segment.raw};
  });
  const paths = action.paths.map((path): Target => ({kind: 'path', path, shown: path.requested}));
  const found = [...segments, ...paths];
  return found.length > 0 ? found : [{kind: 'tool', shown: action.tool}];
}

export function spanOf(target: Target): Span | undefined {
  return target.kind === 'segment' ? target.segment.span : undefined;
}

interface Place {
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

function matchesPath(rule: Rule, path: ActionPath, {home, workspace}: Place): boolean {
  const folder = absolutePath(expandHome(rule.match, home), workspace);
  if (rule.effect === 'allow') return isWithin(path.resolved, folder);
  const spellings = [path.resolved, absolutePath(expandHome(path.requested, home), workspace)];
  return spellings.some((spelling) => isWithin(folded(spelling), folded(folder)));
}

function matchesPrefix(rule: Rule, {segment, spelled}: Target & {kind: 'segment'}): boolean {
  const prefix = prefixWords(rule.match);
  if (prefix.length === 0) return false;
  if (rule.effect === 'allow') return startsWithExactly(segment, prefix);
  // The same spellings that deny_commands sees: unquoted, by basename, without global options.
  const text = prefix.join(' ');
  return spelled.some(
    (one) => one.startsWith(text) && (one.length === text.length || one[text.length] === ' '),
  );
}

/** The words as written, nothing in front of them that changes what runs, and no file written by the shell. */
function startsWithExactly({argv, assignments, redirections}: Segment, prefix: readonly string[]): boolean {
  return (
    assignments.length === 0 &&
    !redirections.some((redirection) => redirection.writes && redirection.target?.text !== '/dev/null') &&
    prefix.every((word, index) => argv[index]?.literal === true && argv[index].text === word)
  );
}
