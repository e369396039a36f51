import {quoted} from '../errors.ts';
import type {Key, ResolvedValues} from '../config/keys.ts';
import {shownOrigin} from '../config/origin.ts';
import {renderToml, tomlKey, tomlString} from '../config/render.ts';
import {resolveConfig, type ConfigRequest, type ResolvedConfigWithValues} from '../config/resolve.ts';
import type {Hook, Origin, Rule, Sourced} from '../config/settings.ts';
import {noToolchains} from '../sandbox/toolchains/plan.ts';
import type {Host} from '../session/context.ts';
import {matchGlob} from '../shell/glob.ts';
import {toolchainJson, toolchainLines, toolchainsOf} from './config-toolchains.ts';
import {asJson, printed, type CliResult} from './result.ts';

/** `ion config`: the resolved state, each value with the layer it came from. */
export async function runConfig(
  request: ConfigRequest,
  options: {readonly json: boolean},
  host?: Host,
): Promise<CliResult> {
  const config = await resolveConfig({...request, showsTrust: true});
  const values = withoutSecrets(config.values);
  const toolchains = host ? toolchainsOf(config, host) : noToolchains;
  if (options.json) return asJson({...jsonOf(config, values), toolchains: toolchainJson(toolchains)});
  return printed(renderText(config, values, host ? toolchainLines(toolchains) : []));
}

/** Values of variables whose names the config itself calls secret are not shown. */
function withoutSecrets(values: ResolvedValues): ResolvedValues {
  const secret = values['environment.exclude'].map(({value}) => value.toUpperCase());
  const shown = Object.entries(values['environment.set']).map(([name, {value, origin}]) => {
    const isSecret = secret.some((glob) => matchGlob(glob, name.toUpperCase()));
    return [name, {value: isSecret ? '(not shown)' : value, origin}];
  });
  return {...values, 'environment.set': Object.fromEntries(shown)};
}

function jsonOf(
  {workspace, trust, layers, ignored}: ResolvedConfigWithValues,
  values: ResolvedValues,
): object {
  return {schema: 1, workspace, trust, layers, values, ignored};
}

/** TOML that says the same when it is given to --config, with the origins as comments. */
function renderText(
  {workspace, trust, layers, ignored}: ResolvedConfigWithValues,
  values: ResolvedValues,
  last: readonly string[],
): string {
  const head = [
    `# workspace ${quoted(workspace, 4096)}: ${trust.state}${trust.state === 'trusted' ? ` (${trust.because})` : ''}`,
    '# layers, highest first:',
    ...layers.map(({origin, present, trusted}) => {
      const state = present ? (trusted ? 'read' : 'read, may only tighten') : 'absent';
      return `#   ${shownOrigin(origin)}: ${state}`;
    }),
    ...ignored.map(
      ({key, value, origin, why}) => `# ignored: ${key} = ${value} (${why}; ${shownOrigin(origin)})`,
    ),
  ];
  const sections = ['permissions', 'sandbox', 'sandbox.limits', 'environment', 'audit'];
  const body = sections.flatMap((section) => ['', `[${section}]`, ...keysOf(section, values)]);
  const rest = [
    ...tableLines('environment.set', values['environment.set']),
    ...tableLines('frames', values.frames),
    ...values['permissions.rules'].flatMap((rule) =>
      recordLines('permissions.rules', ruleFields(rule), rule.origin),
    ),
    ...values.hooks.flatMap((hook) => recordLines('hooks', hookFields(hook), hook.origin)),
  ];
  return `${[...head, ...body, ...rest, ...last].join('\n')}\n`;
}

function keysOf(section: string, values: ResolvedValues): string[] {
  return (Object.keys(values) as Key[]).flatMap((key) => {
    const name = key.slice(section.length + 1);
    const value: unknown = values[key];
    if (!key.startsWith(`${section}.`) || name.includes('.') || name === 'rules' || name === 'set') return [];
    if (Array.isArray(value)) return listLines(name, value as readonly Sourced<string>[]);
    const {value: single, origin} = value as Sourced<unknown>;
    return [`${name} = ${renderToml(withUnit(key, single), Infinity)}${comment(origin)}`];
  });
}

/** A number of milliseconds is no number of seconds. */
function withUnit(key: Key, value: unknown): unknown {
  return key === 'sandbox.limits.timeout' ? `${String(value)}ms` : value;
}

function listLines(name: string, list: readonly Sourced<string>[]): string[] {
  if (list.length === 0) return [`${name} = []`];
  return [`${name} = [`, ...list.map(({value, origin}) => `  ${tomlString(value)},${comment(origin)}`), ']'];
}

function tableLines(name: string, table: Readonly<Record<string, Sourced<string>>>): string[] {
  const lines = Object.entries(table).map(
    ([field, {value, origin}]) => `${tomlKey(field)} = ${tomlString(value)}${comment(origin)}`,
  );
  return lines.length === 0 ? [] : ['', `[${name}]`, ...lines];
}

function recordLines(name: string, fields: Readonly<Record<string, unknown>>, origin: Origin): string[] {
  const lines = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field} = ${renderToml(value, Infinity)}`],
  );
  return ['', `[[${name}]]${comment(origin)}`, ...lines];
}

function ruleFields({effect, scope, match, tool, reason}: Rule) {
  return {effect, scope, match, tool, reason};
}

function hookFields({event, match, command, timeoutMs, sandbox}: Hook) {
  return {event, match, command, timeout: timeoutMs === undefined ? undefined : `${timeoutMs}ms`, sandbox};
}

function comment(origin: Origin): string {
  return `  # ${shownOrigin(origin)}`;
}
