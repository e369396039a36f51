import {quoted, type Place} from '../errors.ts';
import type {Rule} from '../config/settings.ts';
import {exactText} from '../policy/match.ts';
import {placeOf} from '../policy/explain.ts';
import type {Action, Decision} from '../policy/decision.ts';

/** What a person may answer, and how long it holds. */
export type Reply = 'once' | 'session' | 'workspace' | 'profile' | 'no';

/** The rule that an answer for the workspace or the profile writes. */
export type RememberedRule = Pick<Rule, 'effect' | 'scope' | 'match'> & {readonly tool?: string};

const replies: Readonly<Record<string, Reply>> = {
  y: 'once',
  yes: 'once',
  a: 'session',
  always: 'session',
  w: 'workspace',
  workspace: 'workspace',
  p: 'profile',
  profile: 'profile',
};

/** What was typed. Whatever is not offered is a no. */
export function parseReply(line: string, offered: readonly Reply[]): Reply {
  const typed = line.trim().toLowerCase();
  const reply = Object.hasOwn(replies, typed) ? replies[typed]! : 'no';
  return offered.includes(reply) ? reply : 'no';
}

/** The rule that would answer this question the next time; undefined when no rule says just that. */
export function rememberedRule(action: Action): RememberedRule | undefined {
  if (action.mcpServer !== undefined) return {effect: 'allow', scope: 'tool', match: action.tool};
  if (action.command) {
    const {text, analysis} = action.command;
    const [segment, ...further] = analysis.segments;
    if (!segment || further.length > 0 || analysis.opaque || analysis.problems.length > 0) return undefined;
    const match = exactText(segment);
    // Only a command of plain words is the same command when a rule spells it.
    return match !== '' && match === text.trim()
      ? {effect: 'allow', scope: 'command_prefix', match}
      : undefined;
  }
  const [path, ...others] = action.paths;
  if (!path || others.length > 0) return undefined;
  return {effect: 'allow', scope: 'path', match: path.resolved, tool: action.tool};
}

/** A text longer than this can't be judged by who is asked: then only `once` is offered. */
const maxShown = 4000;

/** The answers that make sense. A write into another frame is never silent, so it is never remembered. */
export function offeredReplies(decision: Decision, action: Action): readonly Reply[] {
  const tooLong = (action.command?.text.length ?? 0) > maxShown;
  if (tooLong || decision.reason === 'cross_frame') return ['once', 'no'];
  return rememberedRule(action)
    ? ['once', 'session', 'workspace', 'profile', 'no']
    : ['once', 'session', 'no'];
}

const labels: Readonly<Record<Reply, string>> = {
  once: 'y once',
  session: 'a always in this session',
  workspace: 'w always in this workspace',
  profile: 'p always for you',
  no: 'N no',
};

/**
 * The question, with the facts. Every text from outside is escaped and stands behind a mark of ours, so that a
 * command can neither move the cursor nor add a line that looks like ion's.
 */
export function renderQuestion(decision: Decision, action: Action, sandbox: string): string {
  const rule = rememberedRule(action);
  const offered = offeredReplies(decision, action);
  const lines = [
    `ion: approval needed: ${decision.message.replace(/^needs approval: /, '')}`,
    ...place(placeOf(decision)),
    ...shownAction(action),
    ...decision.destructive.map(
      ({what, impactScope, rollbackAdvice}) =>
        `  destructive: ${escaped(what)}: ${escaped(impactScope.join(' '))} (${escaped(rollbackAdvice)})`,
    ),
    `  sandbox: ${escaped(sandbox)}`,
    ...(rule && offered.includes('workspace')
      ? [`  w and p write the rule: allow ${rule.scope} ${quoted(rule.match, maxShown)}`]
      : []),
    `Allow? ${offered.map((reply) => labels[reply]).join(' / ')}: `,
  ];
  return lines.join('\n');
}

function place(at: Place | undefined): string[] {
  if (!at) return [];
  return [` --> ${escaped(at.line === undefined ? at.file : `${at.file}:${at.line}`)}`];
}

function shownAction({tool, command, paths}: Action): string[] {
  if (!command)
    return [`  ${escaped(tool)}`, ...paths.map(({resolved, access}) => `  | ${access} ${escaped(resolved)}`)];
  const {text} = command;
  const hidden = text.length - maxShown;
  const shown = hidden > 0 ? `${text.slice(0, maxShown / 2)}\n${text.slice(-maxShown / 2)}` : text;
  return [
    ...shown.split('\n').map((line) => `  | ${escaped(line)}`),
    ...(hidden > 0 ? [`  (${hidden} characters in the middle are not shown)`] : []),
  ];
}

/** As within quotes; but none stand around it, so its own need no mark. */
function escaped(text: string): string {
  return quoted(text, maxShown)
    .slice(1, -1)
    .replace(/\\(?:\\|")/g, (pair) => (pair === '\\"' ? '"' : pair));
}
