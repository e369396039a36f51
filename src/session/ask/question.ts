import {quoted, shortened, type SourceLocation} from '../../errors.ts';
import type {Rule} from '../../config/settings.ts';
import {exactText} from '../../policy/rules/match-rule.ts';
import {escaped} from '../report/escaped.ts';
import {collapsed, fitted, rowsOf, type Size} from './fitted.ts';
import {locationOf} from '../../policy/explain.ts';
import type {Action, Decision} from '../../policy/decision.ts';

/** The possible answers, and how long each applies. */
export type Reply = 'once' | 'session' | 'workspace' | 'user' | 'no';

/** The rule that an answer for the workspace or the user writes. */
export type RememberedRule = Pick<Rule, 'effect' | 'scope' | 'match'> & {readonly tool?: string};

const replies: Readonly<Record<string, Reply>> = {
  y: 'once',
  yes: 'once',
  once: 'once',
  s: 'session',
  session: 'session',
  a: 'session',
  always: 'session',
  w: 'workspace',
  workspace: 'workspace',
  u: 'user',
  user: 'user',
  n: 'no',
  no: 'no',
  '': 'no',
};

/** The answer that was typed. Undefined if it is not among the answers: then the question is asked again. */
export function parseReply(line: string, offered: readonly Reply[]): Reply | undefined {
  const typed = line.trim().toLowerCase();
  const reply = Object.hasOwn(replies, typed) ? replies[typed]! : undefined;
  return reply !== undefined && offered.includes(reply) ? reply : undefined;
}

/** The rule that would answer this question the next time. Undefined if no rule has exactly this meaning. */
export function rememberedRule(action: Action): RememberedRule | undefined {
  if (action.mcpServer !== undefined) return {effect: 'allow', scope: 'tool', match: action.tool};
  if (action.command) {
    const {text, analysis} = action.command;
    const [segment, ...further] = analysis.segments;
    if (!segment || further.length > 0 || analysis.opaque || analysis.problems.length > 0) return undefined;
    const match = exactText(segment);
    // A rule matches this command exactly only if it is made of plain words.
    return match !== '' && match === text.trim()
      ? {effect: 'allow', scope: 'command_prefix', match}
      : undefined;
  }
  const [path, ...others] = action.paths;
  if (!path || others.length > 0) return undefined;
  return {effect: 'allow', scope: 'path', match: path.resolved, tool: action.tool};
}

/**
 * The answers that the question offers. A write into another frame always asks, so the answer is never remembered. An
 * action that was not shown in full is allowed only once.
 */
export function offeredReplies(decision: Decision, action: Action, cut: boolean): readonly Reply[] {
  if (decision.networkName !== undefined) return ['once', 'session', 'workspace', 'no'];
  if (cut || decision.reason === 'cross_frame') return ['once', 'no'];
  // A rule would allow the command, not only its network.
  if (decision.scope === 'network') return ['once', 'session', 'no'];
  return rememberedRule(action) ? ['once', 'session', 'workspace', 'user', 'no'] : ['once', 'session', 'no'];
}

const labels: Readonly<Record<Reply, string>> = {
  once: 'y once',
  session: 's this terminal session',
  workspace: 'w always in this workspace',
  user: 'u always for you',
  no: 'N no',
};

/** One line about what an answer grants beyond this action. Undefined if it grants nothing more. */
export function grantedLine(
  reply: Reply,
  action: Action,
  {rule, lasts}: {readonly rule?: {readonly id: string; readonly shown: string}; readonly lasts: string},
): string | undefined {
  if (reply === 'no' || reply === 'once') return undefined;
  const written = rule && rememberedRule(action);
  if (!rule || !written) return `ion: allowed from now on, with exactly this text: ${lasts}`;
  return `ion: rule written to ${escaped(rule.shown, maxFact)}: ${written.effect} ${written.scope} ${quoted(written.match, maxFact)}\nhelp: "ion rules remove ${rule.id}" removes it`;
}

/** The same for a name of the network. `shown`: the file with the entry. */
export function grantedNameLine(
  reply: Reply,
  name: string,
  {shown, lasts}: {readonly shown?: string; readonly lasts: string},
): string | undefined {
  if (reply === 'no' || reply === 'once') return undefined;
  if (shown === undefined)
    return `ion: ${quoted(name, Infinity)} is allowed on port 443 from now on: ${lasts}`;
  return `ion: written to ${escaped(shown, maxFact)}: sandbox.network.allow = [${quoted(name, Infinity)}]\nhelp: to undo it, remove the line from that file`;
}

export interface Question {
  readonly text: string;
  readonly offered: readonly Reply[];
}

/** The text next to the command must not push it off the screen either. */
const maxFact = 160;
const maxMessage = 320;
/** A name is shown as a whole. The longest has 253 characters, and the message names its end twice. */
const maxNameMessage = 640;
const maxDestructive = 3;
/** With fewer rows, commands could not be told apart. */
const minRows = 3;

/**
 * The question with its facts, for a terminal of this size. All of it is on the screen at once, and the command takes
 * at most half of that. Every text from outside is escaped and follows a mark of ion's own. So a command cannot move
 * the cursor or add a line that looks like ion's.
 */
export function renderQuestion(decision: Decision, action: Action, sandbox: string, size: Size): Question {
  const head = [
    `ion: approval needed: ${shortened(decision.message.replace(/^needs approval: /, ''), decision.networkName === undefined ? maxMessage : maxNameMessage)}`,
    ...place(locationOf(decision)),
    ...(action.command ? [] : [`  ${escaped(action.tool, maxFact)}`]),
  ];
  const facts = [...destructiveLines(decision), `  sandbox: ${escaped(sandbox, maxFact)}`];
  const end = (cut: boolean): string[] => endLines(action, offeredReplies(decision, action, cut), size);
  const others = rowsOf([...head, ...facts, ...end(false)], size) + 1;
  const maxRows = Math.max(minRows, Math.min(Math.floor(size.rows / 2), size.rows - others));
  const {rows, cut} = fitted(linesOf(action), size, maxRows);
  return {
    text: [...head, ...rows, ...facts, ...end(cut)].join('\n'),
    offered: offeredReplies(decision, action, cut),
  };
}

function place(at: SourceLocation | undefined): string[] {
  if (!at) return [];
  return [` --> ${escaped(at.line === undefined ? at.file : `${at.file}:${at.line}`, maxFact)}`];
}

function destructiveLines({destructive}: Decision): string[] {
  const lines = destructive.map(({what, impactScope, rollbackAdvice}) => {
    const scope = escaped(impactScope.join(' '), maxFact);
    return `  destructive: ${escaped(what, maxFact)}: ${scope} (${escaped(rollbackAdvice, maxFact)})`;
  });
  const more = lines.length - maxDestructive;
  return more > 0 ? [...lines.slice(0, maxDestructive), `  destructive: ${more} more parts`] : lines;
}

function linesOf({command, paths}: Action): string[] {
  if (!command) return paths.map(({resolved, access}) => shown(`${access} ${resolved}`));
  return command.text.split('\n').map(shown);
}

function shown(line: string): string {
  return escaped(collapsed(line), Infinity);
}

function endLines(action: Action, offered: readonly Reply[], size: Size): string[] {
  const rule = offered.includes('user') ? rememberedRule(action) : undefined;
  return [...(rule ? [ruleLine(rule, size)] : []), answersLine(offered)];
}

function answersLine(offered: readonly Reply[]): string {
  return `Allow? ${offered.map((reply) => labels[reply]).join(' / ')}: `;
}

/** The text shown after a line that is not one of the answers. */
export function notAnAnswer(line: string, offered: readonly Reply[]): string {
  return `ion: ${quoted(line.trim(), 40)} is not one of the answers\n${answersLine(offered)}`;
}

/** The rule's text is that of the command above. If it is long, it is not repeated. */
function ruleLine({scope, match}: RememberedRule, size: Size): string {
  const start = `  w and u write the rule: allow ${scope}`;
  const whole = `${start} ${quoted(match, Infinity)}`;
  return rowsOf([whole], size) <= 2 ? whole : `${start} with just this text`;
}
