import {quoted} from '../../errors.ts';
import {safeContext} from '../safe-context.ts';
import type {Effect, Sourced} from '../../config/settings.ts';
import {matchGlob} from '../../shell/match/glob.ts';
import {checkSafe} from '../../shell/read-mode/safe.ts';
import {actionClasses} from '../action-classes.ts';
import type {Action, PermissionState, RuleRef, Verdict} from '../decision.ts';
import {modeOutcome, stricter, type ActionClass} from '../../config/approval-table.ts';
import {isReadVerb} from '../read-verbs.ts';
import type {Reason} from '../reasons.ts';
import {builtin, nothing, ref, subject, type Stage} from './stage.ts';

/** Stage 6: actions that never ask, then the row of the approval mode. */
export const mode: Stage = {
  name: 'mode',
  look(action, state, standing) {
    // An answer to a frame's question does not lift a refusal of the row.
    if (standing && standing.reason !== 'cross_frame') return nothing;
    const row = rowOutcome(action, state);
    for (const exempt of exemptions[row.effect]) {
      const verdict = exempt(action, state);
      if (verdict) return {saw: [`${row.saw}; ${verdict.message}`], verdict};
    }
    return {saw: [row.saw], verdict: row.verdict};
  },
};

type Exemption = (action: Action, state: PermissionState) => Verdict | undefined;

/** A row that denies (plan) exempts only read-only tools. The other exemptions skip a question, not a denial. */
const exemptions: Readonly<Record<Effect, readonly Exemption[]>> = {
  allow: [],
  ask: [readOnlyTool, allowedTool, trustedReadOnly, autoApproved],
  deny: [readOnlyTool],
};

interface RowOutcome {
  readonly effect: Effect;
  readonly saw: string;
  readonly verdict: Verdict;
}

const codes = {allow: 'mode_allow', ask: 'mode_ask', deny: 'mode_deny'} as const;
const words = {ask: 'needs approval', deny: 'denied'} as const;
const verbs = {allow: 'allows', ask: 'asks about', deny: 'denies'} as const;

/** The columns of the approval table, for people. */
const actionWords: Readonly<Record<ActionClass, string>> = {
  read: 'reads',
  edit: 'edits in the workspace',
  delete: 'deletions',
  shell: 'commands',
  network: 'the network',
  external: 'writes outside the workspace',
  mcp: 'tools of MCP servers',
};

function rowOutcome(action: Action, state: PermissionState): RowOutcome {
  const {value, origin} = state.settings.approval;
  let effect: Effect = 'allow';
  let decisive: ActionClass = action.class;
  for (const column of actionClasses(action, state)) {
    const outcome = modeOutcome(value, column);
    if (stricter(effect, outcome) === effect) continue;
    effect = outcome;
    decisive = column;
  }
  // An allow does not name the action, because quoting it costs every run a regular expression.
  const by = `approval = "${value}" ${verbs[effect]} ${actionWords[decisive]}`;
  const message = effect === 'allow' ? `allowed: ${by}` : `${words[effect]}: ${subject(action)}: ${by}`;
  return {
    effect,
    saw: by,
    verdict: {
      effect,
      reason: codes[effect],
      message,
      ruleRefs: [ref('approval', value, origin)],
      scope: decisive,
    },
  };
}

function exemption(reason: Reason, message: string, ruleRef: RuleRef, scope: string): Verdict {
  return {effect: 'allow', reason, message, ruleRefs: [ruleRef], scope};
}

const readOnlyTools = new Set('read grep glob ls git_status git_diff git_log git_blame git_show'.split(' '));

function readOnlyTool({tool}: Action): Verdict | undefined {
  if (!readOnlyTools.has(tool)) return undefined;
  return exemption('builtin_allow', `${tool} only reads`, ref('builtin_tools', tool, builtin), tool);
}

function allowedTool({tool}: Action, {settings}: PermissionState): Verdict | undefined {
  const entry = settings.allowedTools.find(({value}) => value === tool);
  if (!entry) return undefined;
  return exemption(
    'allowed_tool',
    `${tool} is in allowed_tools`,
    ref('allowed_tools', tool, entry.origin),
    tool,
  );
}

/** Anything except plain words: operators, quotes, expansions, globs, comments, history, line breaks. */
const metacharacters = /[|&;<>()$`"'\\*?[\]{}#!~\n\r\0]/;

/**
 * Origin document 000: in a trusted workspace its verbs never ask, without metacharacters and without options that
 * write or run.
 */
function trustedReadOnly({command}: Action, state: PermissionState): Verdict | undefined {
  if (!command || !state.workspaceTrusted || metacharacters.test(command.text)) return undefined;
  if (!isReadVerb(command.text)) return undefined;
  const {safe} = checkSafe(command.analysis, safeContext(command, state));
  if (!safe) return undefined;
  const message = 'a plain read-only command in a trusted workspace';
  return exemption('workspace_allow', message, ref('safe_commands', command.text, builtin), command.text);
}

/** Origin document 002: exactly one plain command. The wildcards of a pattern never match a metacharacter. */
function autoApproved({command}: Action, {settings}: PermissionState): Verdict | undefined {
  if (!command) return undefined;
  const {analysis, text} = command;
  const [segment, ...further] = analysis.segments;
  if (!segment || further.length > 0 || analysis.opaque || analysis.problems.length > 0) return undefined;
  const written = text.trim().replaceAll(/[ \t]+/g, ' ');
  const entry = settings.autoApprovePatterns.find((pattern) => approves(pattern, written));
  if (!entry) return undefined;
  const message = `it matches auto_approve_patterns ${quoted(entry.value)}`;
  return exemption(
    'auto_approve_pattern',
    message,
    ref('auto_approve_patterns', entry.value, entry.origin),
    written,
  );
}

function approves({value}: Sourced<string>, written: string): boolean {
  // A pattern that itself holds a metacharacter approves exactly its own text.
  return metacharacters.test(written) ? value === written : matchGlob(value, written);
}
