import {isTable} from '../../config/network/network-table.ts';
import {writtenTable} from '../../config/network/written-entry.ts';
import {quoted, visible} from '../../errors.ts';
import {eventsFromEnd} from '../../audit/read-log-back.ts';
import type {Event} from '../../audit/events.ts';
import {describeOrigin, shownOrigin} from '../../config/read/origin.ts';
import {tomlKey} from '../../config/read/render.ts';
import type {Rule, RuleSource, Sourced} from '../../config/settings.ts';
import type {PermissionState} from '../../policy/decision.ts';
import {compareRules} from '../../policy/rules/compare-rules.ts';
import {asJson, printed, type CliResult} from '../result.ts';

export interface PermissionsInput {
  readonly state: PermissionState;
  /** The audit log's folder, which has the latest decisions. */
  readonly auditFolder?: string;
  readonly json?: boolean;
}

type Evaluated = Event<'permission.evaluated'>;

const latestCount = 10;
const sources: readonly RuleSource[] = ['session', 'workspace', 'manifest', 'user', 'mode'];

/** `ion permissions`: the settings and rules that decide here, their origins, and the latest decisions. */
export function runPermissions({state, auditFolder, json = false}: PermissionsInput): CliResult {
  const {settings} = state;
  const rules = [...(state.session?.rules ?? []), ...settings.rules];
  const latest = auditFolder === undefined ? [] : latestDecisions(auditFolder);
  if (json) return asJson(record(state, rules, latest));
  const lines = [
    setting('mode', settings.mode),
    setting('approval', settings.approval),
    setting('sandbox', settings.sandbox),
    setting('network', writtenNetwork(settings.network)),
    `workspace ${quoted(state.workspace)}: ${state.workspaceTrusted ? 'trusted' : 'not trusted'}`,
    `questions: ${state.interactive ? 'on this terminal' : 'none can be asked here, so what would ask is denied'}`,
    ...section('deny_commands', settings.denyCommands.map(listed)),
    ...section('denied_paths', settings.deniedPaths.map(listed)),
    ...section('allowed_tools', settings.allowedTools.map(listed)),
    ...section('auto_approve_patterns', settings.autoApprovePatterns.map(listed)),
    ...section(
      'frames',
      Object.entries(settings.frames).map(
        ([name, {value, origin}]) => `${tomlKey(name)} = ${quoted(value)} (${shownOrigin(origin)})`,
      ),
    ),
    ...sources.flatMap((source) => section(`rules: ${source}`, ordered(rules, source).map(ruleLine))),
    ...section('allowed in this terminal session', [...(state.session?.grants ?? [])].map(grantLine)),
    ...section(
      'soft denials in this terminal session',
      [...(state.session?.denials ?? [])].map(
        ([print, {consecutive, total}]) =>
          `${quoted(readable(print))}: ${consecutive} in a row, ${total} in all`,
      ),
    ),
    ...section('latest decisions', latest.map(decisionLine)),
  ];
  return printed(`${lines.join('\n')}\n`);
}

function writtenNetwork({value, origin}: PermissionState['settings']['network']): Sourced<unknown> {
  return {value: isTable(value) ? writtenTable(value) : value, origin};
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function setting(name: string, {value, origin}: Sourced<unknown>): string {
  return `${name} = ${JSON.stringify(value)} (${shownOrigin(origin)})`;
}

function listed({value, origin}: Sourced<string>): string {
  return `${quoted(value)} (${shownOrigin(origin)})`;
}

/** The rules in the order of precedence, strongest first. */
function ordered(rules: readonly Rule[], source: RuleSource): Rule[] {
  return rules
    .filter((rule) => rule.source === source)
    .toSorted((one, other) => compareRules(other, one).order);
}

function ruleLine({effect, scope, match, tool, reason, origin, trusted}: Rule): string {
  const parts = [
    `${effect} ${scope} ${quoted(match)}`,
    ...(tool === undefined ? [] : [`for ${quoted(tool)}`]),
    ...(reason === undefined ? [] : [quoted(reason)]),
    `(${shownOrigin(origin)}${trusted ? '' : ', not trusted: can only make it stricter'})`,
  ];
  return parts.join(' ');
}

function decisionLine({time, decision, decision_reason: reason, action}: Evaluated): string {
  const subject = action.command ?? action.paths?.[0]?.path ?? action.tool;
  return `${visible(`${time} ${decision} ${reason}`)} ${quoted(String(subject), 80)}`;
}

/** Splits a key as action-fingerprint.ts joins it: tool, server, folder, boundary, and what was allowed. */
function grantLine(key: string): string {
  const [tool = '', server = '', cwd = '', , ...parts] = key.split('\0');
  const what = [tool, server, ...parts].filter((part) => part !== '').join(' ');
  return `${quoted(what)} in ${quoted(cwd)}`;
}

/** A fingerprint's parts are joined by NUL. */
function readable(fingerprint: string): string {
  return fingerprint
    .split('\0')
    .filter((part) => part !== '')
    .join(' ');
}

function latestDecisions(folder: string): Evaluated[] {
  const latest: Evaluated[] = [];
  for (const event of eventsFromEnd(folder, ['"type":"permission.evaluated"'])) {
    if (event.type !== 'permission.evaluated' || typeof event.action !== 'object') continue;
    latest.unshift(event);
    if (latest.length === latestCount) break;
  }
  return latest;
}

function record(state: PermissionState, rules: readonly Rule[], latest: readonly Evaluated[]): unknown {
  const {settings, session} = state;
  const sourced = ({value, origin}: Sourced<unknown>) => ({value, at: describeOrigin(origin)});
  return {
    mode: sourced(settings.mode),
    approval: sourced(settings.approval),
    sandbox: sourced(settings.sandbox),
    network: sourced(writtenNetwork(settings.network)),
    workspace: state.workspace,
    workspace_trusted: state.workspaceTrusted,
    interaction_allowed: state.interactive,
    deny_commands: settings.denyCommands.map(sourced),
    denied_paths: settings.deniedPaths.map(sourced),
    allowed_tools: settings.allowedTools.map(sourced),
    auto_approve_patterns: settings.autoApprovePatterns.map(sourced),
    frames: Object.fromEntries(
      Object.entries(settings.frames).map(([name, frame]) => [name, sourced(frame)]),
    ),
    rules: rules.map(({origin, ...rule}) => ({...rule, at: describeOrigin(origin)})),
    grants: [...(session?.grants ?? [])].map(grantLine),
    denials: [...(session?.denials ?? [])].map(([print, count]) => ({
      fingerprint: readable(print),
      ...count,
    })),
    latest_decisions: latest,
  };
}
